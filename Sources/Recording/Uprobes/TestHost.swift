/// Knows the commands that run tests: their runners say which test begins and which ends.
enum TestHost {
  /// Whether a command runs tests with XCTest or Swift Testing.
  static func isStarted(by command: [String]) -> Bool {
    // `sh -c 'swift test'` has its words in one.
    let words = command.flatMap { $0.split(whereSeparator: \.isWhitespace) }
    let names = words.map { $0.split(separator: "/").last.map(String.init) ?? "" }
    if names.contains(where: { runners.contains($0) || $0.hasSuffix(".xctest") }) { return true }
    guard let swift = names.firstIndex(of: "swift") else { return false }
    return words[swift...].contains("test")
  }

  /// Whether a running process does.
  static func isRunning(pid: Int32) -> Bool {
    ProcessProbe.mappedPaths(pid: pid).contains { path in
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      return name.hasSuffix(".xctest") || name == "libXCTest.so" || name == "libTesting.so"
    }
  }

  private static let runners: Set<String> = ["swift-test", "swiftpm-testing-helper"]

  /// The lines that matter, for the kernel to choose: XCTest's, then Swift Testing's for people and for programs.
  static let filter = [
    "Test Case '*", "*Test * started.*", "*Test * after *", "*testStarted*", "*testEnded*",
  ].map { "text~\"\($0)\"" }.joined(separator: "||")
}
