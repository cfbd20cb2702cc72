import PerfData
import Quantities
import Testing

@testable import TraceModel

@Suite struct `Tests as their runners tell of them` {
  static let lines: [(line: String, name: String, what: TestRunnerLine.What)] = [
    (
      "Test Case 'OldTests.testSpins' started at 2026-11-22 17:00:00.123", "OldTests.testSpins",
      .started
    ),
    (
      "Test Case 'OldTests.testSpins' passed (0.2 seconds)", "OldTests.testSpins", .ended(.passed)
    ),
    ("Test Case 'A.b' failed (1.0 seconds)", "A.b", .ended(.failed)),
    ("Test Case 'A.b' skipped (0.0 seconds)", "A.b", .ended(.skipped)),
    ("◇ Test spins() started.", "spins()", .started),
    ("✔ Test each(_:) with 2 test cases passed after 0.151 seconds.", "each(_:)", .ended(.passed)),
    ("✔ Test each(_:) with 1 test case passed after 0.151 seconds.", "each(_:)", .ended(.passed)),
    ("◇ Test \"a name with \"quotes\"\" started.", "a name with \"quotes\"", .started),
    (
      "✘ Test \"takes with 2 test cases\" failed after 0.1 seconds with 1 issue.",
      "takes with 2 test cases", .ended(.failed)
    ),
    ("\u{1B}[90m◇\u{1B}[0m Test spins() started.", "spins()", .started),
    ("◇ Test run() started.", "run()", .started),
    ("Test spins() started.", "spins()", .started),
  ]

  @Test(arguments: lines)
  func `a line tells which test begins or ends`(
    line: String, name: String, what: TestRunnerLine.What
  ) {
    let found = TestRunnerLine(line)
    #expect(found?.name == name)
    #expect(found?.what == what)
    #expect(found?.library == (line.hasPrefix("Test Case") ? .xctest : .swiftTesting))
  }

  @Test(arguments: [
    "◇ Test run started.", "◇ Suite NewTests started.",
    "✔ Test run with 5 tests in 1 suite passed after 0.3 seconds.",
    "◇ Test case passing 1 argument n → 1 to each(_:) started.",
    "✘ Test spins() recorded an issue at S.swift:4:5: Expectation failed",
    "Test Suite 'All tests' started at 2026-11-22 17:00:00.123", "the Test of time() started.",
    "Test Case '", "{", "{\"kind\":\"test\"}", "", "\u{1B}", "Test Case 'A.b' pondered (1 s)",
    #"{"kind":"event","payload":{"kind":"testStarted","testID":"Work.NewTests"},"version":0}"#,
    #"{"kind":"event","payload":{"kind":"runStarted"},"version":0}"#,
  ])
  func `other lines tell nothing`(line: String) { #expect(TestRunnerLine(line) == nil) }

  private func time(_ nanoseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: nanoseconds) }

  private func event(_ kind: String, _ id: String, _ symbol: String = "default") -> String {
    """
    {"version":0,"kind":"event","payload":{"kind":"\(kind)","testID":"\(id)",\
    "messages":[{"symbol":"\(symbol)","text":"x"}]}}
    """
  }

  @Test func `the event stream tells tests of one name apart, and counts instead of the lines`() {
    var tracker = TestTracker()
    tracker.said("◇ Test same() started.\n", pid: 7, at: time(1))
    tracker.said(event("testStarted", "M.A/same()/A.swift:3:4"), pid: 7, at: time(2))
    tracker.said("◇ Test same() started.\n", pid: 7, at: time(3))
    tracker.said(event("testStarted", "M.B/same()/B.swift:3:4"), pid: 7, at: time(4))
    tracker.said(event("testEnded", "M.A/same()/A.swift:3:4", "fail"), pid: 7, at: time(10))
    tracker.said("✘ Test same() failed after 1 seconds with 1 issue.", pid: 7, at: time(11))
    tracker.said(event("testEnded", "M.B/same()/B.swift:3:4", "pass"), pid: 7, at: time(20))
    // Another process has no stream.
    tracker.said("◇ Test same() started.", pid: 8, at: time(30))
    #expect(tracker.runs.map(\.name) == ["M.A/same()", "M.B/same()", "same()"])
    #expect(tracker.runs.map { $0.end?.nanoseconds } == [10, 20, nil])
    #expect(tracker.runs.map(\.outcome) == [.failed, .passed, nil])
    #expect(tracker.runs.map(\.pid) == [7, 7, 8])
  }

  @Test func `several lines may come at once, and an end without its beginning is no test`() {
    var tracker = TestTracker()
    tracker.said("Test Case 'A.b' passed (0.1 seconds)\n", pid: 1, at: time(1))
    tracker.said(
      "Test Case 'A.c' started at x\nTest Case 'A.c' passed (0.1 seconds)\n", pid: 1, at: time(2))
    #expect(tracker.runs.map(\.name) == ["A.c"])
  }
}
