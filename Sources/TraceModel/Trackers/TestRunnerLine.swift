import FoundationEssentials

/// A line of a test runner that says that a test begins or ends; nil of any other line.
struct TestRunnerLine: Equatable {
  enum What: Equatable {
    case started
    case ended(TestRun.Outcome)
  }

  var library: TestRun.Library
  var name: String
  var what: What
  /// From Swift Testing's event stream, not from its lines for people.
  var isStreamed = false

  init?(_ line: String) {
    if line.hasPrefix("{") {
      self.init(event: line)
    } else if line.hasPrefix("Test Case '") {
      self.init(xctest: line)
    } else {
      self.init(forPeople: Self.plain(line))
    }
  }

  /// `Test Case 'Suite.testCase' started at 2026-01-01 12:00:00.000`, `… passed (0.1 seconds)`.
  private init?(xctest line: String) {
    let rest = line.dropFirst("Test Case '".count)
    guard let quote = rest.lastIndex(of: "'") else { return nil }
    library = .xctest
    name = String(rest[..<quote])
    switch rest[quote...].dropFirst(2).prefix(while: { $0 != " " }) {
    case "started": what = .started
    case let word:
      guard let outcome = TestRun.Outcome(rawValue: String(word)) else { return nil }
      what = .ended(outcome)
    }
  }

  /// `◇ Test name() started.`, `✔ Test "name" with 2 test cases passed after 0.1 seconds.`
  private init?(forPeople line: String) {
    guard let start = line.firstRange(of: "Test "), line.distance(to: start.lowerBound) <= 3
    else { return nil }
    var rest = line[start.upperBound...]
    library = .swiftTesting
    if rest.hasSuffix(" started.") {
      rest = rest.dropLast(" started.".count)
      what = .started
    } else {
      let words: [(String, TestRun.Outcome)] = [
        (" passed after ", .passed), (" failed after ", .failed), (" skipped after ", .skipped),
      ]
      guard
        let (range, outcome) = words.lazy.compactMap({ word, outcome in
          rest.ranges(of: word).last.map { ($0, outcome) }
        }).first
      else { return nil }
      rest = rest[..<range.lowerBound]
      if let with = rest.ranges(of: " with ").last,
        rest.hasSuffix(" test cases")
          || rest.hasSuffix(" test case")
      {
        rest = rest[..<with.lowerBound]
      }
      what = .ended(outcome)
    }
    // A function's name ends in its arguments, a name of one's own is between quotes: the run itself has neither.
    if rest.hasPrefix("\""), rest.hasSuffix("\""), rest.count > 1 {
      name = String(rest.dropFirst().dropLast())
    } else if rest.hasSuffix(")"), !rest.hasPrefix("case passing ") {
      name = String(rest)
    } else {
      return nil
    }
  }

  private struct Record: Decodable {
    struct Payload: Decodable {
      var kind: String
      var testID: String?
      var messages: [Message]?
    }
    struct Message: Decodable { var symbol: String }
    var kind: String
    var payload: Payload
  }

  /// A record of `--event-stream-output-path`; schema at swift-testing's Documentation/ABI/JSON.md.
  private init?(event line: String) {
    guard let record = try? JSONDecoder().decode(Record.self, from: Data(line.utf8)),
      record.kind == "event", let id = record.payload.testID
    else { return nil }
    // A function's id ends in its place, `/File.swift:12:4`; a suite's has none.
    let parts = id.split(separator: "/")
    guard let last = parts.last, parts.count > 1, last.split(separator: ":").count == 3 else {
      return nil
    }
    library = .swiftTesting
    name = String(id.dropLast(last.count + 1))
    isStreamed = true
    switch record.payload.kind {
    case "testStarted": what = .started
    case "testEnded":
      what = .ended(
        record.payload.messages?.contains { $0.symbol == "fail" } == true ? .failed : .passed)
    default: return nil
    }
  }

  /// The line without the colours of a terminal (`ESC [ … m`).
  private static func plain(_ line: String) -> String {
    var result = ""
    var rest = line[...]
    while let escape = rest.firstIndex(of: "\u{1B}") {
      result += rest[..<escape]
      rest = rest[escape...].drop { !$0.isLetter }.dropFirst()
    }
    return result + rest
  }
}

extension String {
  fileprivate func distance(to index: Index) -> Int { distance(from: startIndex, to: index) }
}
