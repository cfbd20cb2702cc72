/// Waits in a run loop within a piece of work: what runs it waits there for something, and nothing else of its thread's
/// events is served.
///
/// Seen in Foundation of Swift 6.3.1.
enum NestedRunLoops {
  /// Foundation's functions that wait in a run loop of their own until something is over.
  private static let waits: [(function: String, cause: WaitCause)] = [
    ("Process.waitUntilExit", .child)
  ]

  /// Functions that run a loop until a time or an event, where `RunLoop.run()` is a program's life.
  private static let bounded = ["RunLoop.run(mode:before:)", "RunLoop.run(until:)"]

  /// Functions of an event loop that call a program's piece of work.
  private static let callers = [
    "_dispatch_continuation_pop", "_dispatch_client_callout", "_dispatch_call_block_and_release",
    "_dispatch_source_invoke", "__CFRUNLOOP_IS_",
  ]

  /// The innermost of the user frames among which one of those stands.
  private static let depth = 12

  /// What the thread waits for there; nil where no such loop is within a piece of work.
  static func cause(of user: [Frame]) -> WaitCause? {
    let functions = user.prefix(depth).map { $0.function ?? "" }
    for (function, cause) in waits where functions.contains(where: { $0.contains(function) }) {
      return cause
    }
    let place = functions.firstIndex { name in bounded.contains { name.contains($0) } }
    guard let place else { return nil }
    let isInWork = user[(place + 1)...].contains { frame in
      callers.contains { frame.function?.hasPrefix($0) == true }
    }
    return isInWork ? .other : nil
  }
}
