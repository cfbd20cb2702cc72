import ArgumentParser
import Glibc

/// `USR1=background`: a signal whose delivery is taken for a mark.
struct SignalMark: Sendable {
  var number: Int
  var name: String

  @Sendable init(argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, !parts[1].isEmpty, let number = Self.number(String(parts[0])) else {
      throw ValidationError(
        "“\(argument)” is no signal and mark; write for example USR1=background.")
    }
    self.number = number
    name = String(parts[1])
  }

  /// A signal by its name, with or without SIG, or by its number.
  static func number(_ text: String) -> Int? {
    let name = text.uppercased().hasPrefix("SIG") ? String(text.dropFirst(3)) : text
    if let number = Int(name) { return (1...64).contains(number) ? number : nil }
    let known: [String: Int32] = [
      "HUP": SIGHUP, "INT": SIGINT, "QUIT": SIGQUIT, "USR1": SIGUSR1, "USR2": SIGUSR2,
      "ALRM": SIGALRM, "TERM": SIGTERM, "STOP": SIGSTOP, "TSTP": SIGTSTP, "CONT": SIGCONT,
      "WINCH": SIGWINCH, "URG": SIGURG, "IO": SIGIO, "PWR": SIGPWR,
    ]
    return known[name.uppercased()].map(Int.init)
  }
}
