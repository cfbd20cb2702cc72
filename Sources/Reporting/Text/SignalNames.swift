/// Names of signals on Linux, the same on every machine that Swift runs on.
package enum SignalNames {
  private static let names = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
  ]

  /// "11 (SIGSEGV)", or the number alone where it has no name.
  package static func name(_ number: Int) -> String {
    guard names.indices.contains(number - 1) else { return String(number) }
    return "\(number) (SIG\(names[number - 1]))"
  }
}
