import CSQLite
import Foundation

/// `sqlite`: a table that grows by one row a transaction.
enum SQLiteUser {
  static let keys = ["rows", "path", "journal", "gap"]

  enum Journal: String, CaseIterable {
    case delete, wal
  }

  static func run(_ arguments: Arguments) throws {
    let rows = try arguments.integer("rows", 20)
    let journal = try arguments.choice("journal", Journal.delete)
    let gap = try arguments.number("gap", 10)
    let path = temporaryPath(arguments, "table.sqlite")
    runBesideMainRunLoop {
      let database = try Database(path)
      try database.execute("PRAGMA journal_mode=\(journal.rawValue)")
      try database.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, text TEXT)")
      for row in 0..<rows {
        if row > 0 { pause(milliseconds: gap) }
        try database.execute("INSERT INTO t (text) VALUES ('row \(row)')")
      }
      database.close()
      var truth = Truth("sqlite")
      truth.count = rows
      truth.path = path
      truth.cause = journal.rawValue
      return truth
    }
  }

  private final class Database {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
      guard sqlite3_open(path, &handle) == SQLITE_OK else { throw failure("open \(path)") }
    }

    func execute(_ statement: String) throws {
      guard sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK else {
        throw failure(statement)
      }
    }

    func close() {
      sqlite3_close(handle)
      handle = nil
    }

    private func failure(_ what: String) -> UsageError {
      let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "out of memory"
      return UsageError("sqlite: \(what): \(message)")
    }
  }
}
