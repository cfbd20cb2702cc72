import TraceModel

/// Which sockets are those of a server: others connected to them, and ask.
struct ServerSide {
  private let connections: [Connection]
  private let hasListener: Bool

  init(_ subject: SubjectView) {
    connections = subject.trace.connections
    hasListener = subject.trace.listeners.contains { $0.pid == subject.pid }
  }

  /// Whether a socket is one, by its connection.
  ///
  /// Of one that was set up while another program had the CPU no connection is known. A program that listens and hears
  /// first of the other side was asked.
  func has(connection: Int?, first: Transfer.Direction) -> Bool {
    connection.map { connections[$0].isServerSide } ?? (hasListener && first == .receive)
  }
}
