/// Functions of libraries that return when a peer has answered: who polls within one waits for the network, and serves
/// no events.
///
/// By their manuals: getaddrinfo(3) and resolver(3), curl_easy_perform(3), "Command Execution Functions" of libpq, the
/// C API of MySQL and MariaDB, hiredis.
enum BlockingCalls {
  private static let names: Set<Substring> = Set(
    """
    getaddrinfo getnameinfo gethostbyname gethostbyname2 gethostbyname_r gethostbyname2_r gethostbyaddr \
    gethostbyaddr_r res_send res_query res_search res_querydomain res_nsend res_nquery res_nsearch res_nquerydomain \
    res_context_send res_context_query res_context_search res_context_querydomain send_dg send_vc curl_easy_perform \
    PQexec PQexecParams PQexecPrepared PQprepare PQgetResult PQconnectdb PQconnectdbParams PQsetdbLogin \
    PQdescribePrepared PQdescribePortal PQgetCopyData PQputCopyData PQputCopyEnd mysql_real_connect mysql_real_query \
    mysql_query mysql_ping mysql_store_result mysql_stmt_prepare mysql_stmt_execute redisConnect \
    redisConnectWithTimeout redisCommand redisvCommand redisGetReply
    """.split(separator: " "))

  /// The innermost of the user frames among which one of those stands.
  private static let depth = 32

  /// Whether the thread is in one of them.
  static func holds(_ user: [Frame]) -> Bool {
    user.prefix(depth).contains { frame in
      frame.function.map { names.contains(LibraryWaits.plain($0)[...]) } ?? false
    }
  }
}
