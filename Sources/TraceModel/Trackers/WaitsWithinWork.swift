/// Waits that are idle at the end of a program's main function, and none within a piece of work: what runs it waits
/// there for something, and nothing else of its thread's events is served.
///
/// Seen in Foundation of Swift 6.3.1 and SwiftNIO 2.101.2.
enum WaitsWithinWork {
  /// Foundation's functions that wait in a run loop of their own until something is over.
  private static let waits: [(function: String, cause: WaitCause)] = [
    ("Process.waitUntilExit", .child)
  ]

  /// Functions that run a loop until a time or an event, where `RunLoop.run()` is a program's life, and that wait for
  /// another thread's answer, where a server waits so for its channel to close.
  private static let bounded: [(function: String, cause: WaitCause, callers: [String])] = [
    ("RunLoop.run(mode:before:)", .other, callers), ("RunLoop.run(until:)", .other, callers),
    ("EventLoopFuture.wait", .lock, callers + [job]),
    ("EventLoopFuture._blockingWait", .lock, callers + [job]),
  ]

  /// Calls a job of Swift concurrency, as which an async main may run the program's loop.
  private static let job = "swift_job_run"

  /// Functions of an event loop that call a program's piece of work.
  private static let callers = [
    "_dispatch_continuation_pop", "_dispatch_client_callout", "_dispatch_call_block_and_release",
    "_dispatch_source_invoke", "__CFRUNLOOP_IS_",
  ]

  /// The innermost of the user frames among which one of those stands.
  private static let depth = 14

  /// What the thread waits for there; nil where no such loop is within a piece of work.
  static func cause(of user: [Frame]) -> WaitCause? {
    let functions = user.prefix(depth).map { $0.function ?? "" }
    for (function, cause) in waits where functions.contains(where: { $0.contains(function) }) {
      return cause
    }
    for (place, function) in functions.enumerated() {
      guard let row = bounded.first(where: { function.contains($0.function) }) else { continue }
      let isInWork = user[(place + 1)...].contains { frame in
        row.callers.contains { frame.function?.hasPrefix($0) == true }
      }
      return isInWork ? row.cause : nil
    }
    return nil
  }
}
