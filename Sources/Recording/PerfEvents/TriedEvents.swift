import Synchronization

/// Events that were opened to see whether they can be.
///
/// They are kept until the recording has its own: closing the only event of a tracepoint takes the kernel 30 to 50 ms,
/// and opening it again as long.
enum TriedEvents {
  private static let opened = Mutex<[Int32]>([])

  /// Takes over the descriptor of an event that is off.
  static func keep(_ descriptor: Int32) { opened.withLock { $0.append(descriptor) } }

  /// Has all of them closed by a process which nobody waits for: beside programs in the kernel they are the only ones
  /// of their tracepoints.
  static func close() {
    let descriptors = opened.withLock { opened in
      defer { opened = [] }
      return opened
    }
    Leftovers(tracefs: nil).add(descriptors)
  }
}
