import Synchronization

/// Events of tracepoints that the recorder opened before its own, to see whether it can or to hold them.
///
/// They are closed with what the recording leaves: the last event of a tracepoint takes the kernel 30 to 80 ms, in
/// which the program's forks wait, and beside programs in the kernel some are the only ones.
enum TriedEvents {
  private static let opened = Mutex<[Int32]>([])

  /// Takes over the descriptor of an event that is off.
  static func keep(_ descriptor: Int32) { opened.withLock { $0.append(descriptor) } }

  /// Gives them to who closes them.
  static func take() -> [Int32] {
    opened.withLock { opened in
      defer { opened = [] }
      return opened
    }
  }
}
