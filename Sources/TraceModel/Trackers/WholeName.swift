/// What a name was before it was cut to the 15 bytes that the kernel keeps (TASK_COMM_LEN).
enum WholeName {
  private static let kept = 15

  /// Names of libdispatch's root queues: it gives a worker the last 15 bytes of its queue's label (Swift 6.3.1), as
  /// `oot.default-qos` of `com.apple.root.default-qos`. Those with `.overcommit` behind them end alike.
  private static let workers: [String: String] = [
    "oot.default-qos": "default-qos", "oot.utility-qos": "utility-qos",
    ".background-qos": "background-qos", "r-initiated-qos": "user-initiated-qos",
    "interactive-qos": "user-interactive-qos",
  ]

  /// A program's, where the name of its file goes on from there.
  static func ofProgram(_ name: String, file path: String?) -> String {
    guard let file = path?.split(separator: "/").last.map(String.init), isKept(name, of: file)
    else { return name }
    return file
  }

  /// A thread's, which may have its program's.
  static func ofThread(_ name: String, program: String?) -> String {
    if let worker = workers[name] { return worker }
    guard let program, isKept(name, of: program) else { return name }
    return program
  }

  /// Whether that is what the kernel keeps of a name.
  static func isKept(_ short: String, of name: String) -> Bool {
    short.utf8.count == kept && name.utf8.starts(with: short.utf8)
  }
}
