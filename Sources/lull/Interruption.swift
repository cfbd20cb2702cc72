import Glibc

/// Lets a command that starts others end them, and clear up, when it is told to stop.
enum Interruption {
  /// The signal that came, 0 before one has.
  nonisolated(unsafe) private static var received: Int32 = 0

  /// From here on Ctrl-C, SIGTERM and SIGHUP end the waiting and no more than that.
  static func watch() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { Interruption.received = $0 }
    // Without SA_RESTART the calls that wait return.
    action.sa_flags = 0
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaction(number, &action, nil) }
  }

  /// The signal to hand on to a program that is waited for; a terminal gives it its Ctrl-C itself.
  static var forwarded: Int32? { received == 0 || received == SIGINT ? nil : SIGTERM }

  /// The signal that came.
  static var signal: Int32? { received == 0 ? nil : received }

  /// Throws when one of the signals has come.
  static func check(_ what: @autoclosure () -> String) throws {
    guard received != 0 else { return }
    throw Failure(status: 128 + received, message: "interrupted \(what())")
  }
}
