import Foundation
import Reporting
import Testing

/// What an expert would say of each kept recording, against the score of its report.
@Suite struct RecordedVerdictsTests {
  enum Verdict: String {
    /// The score is below 50, and no part of the bounds is much above.
    case poor
    /// The score is from 50 to 89, and no part of the bounds is good.
    case middle
    /// The score is 90 and more.
    case good
    /// Too little was recorded.
    case none
  }

  /// Why, in a few words.
  static let expected: [(trace: String, verdict: Verdict, why: String)] = [
    ("async-main", .poor, "the MainActor sleeps for 0.9 of 1.1 s"),
    ("blocker-lock", .poor, "the main thread waits for a lock for 0.9 of 2.1 s"),
    ("blocker-network", .poor, "the main thread waits for the network, which the guide forbids"),
    ("appender", .middle, "nothing hangs, but it writes line by line and polls"),
    ("atomic-saver", .middle, "nothing hangs, but each save writes and syncs the whole file"),
    ("chatty", .middle, "nothing hangs, but each message is sent by itself"),
    ("poller", .middle, "nothing hangs, but it wakes fifty times a second for nothing"),
    ("sqlite", .middle, "nothing hangs, but each row is synced"),
    ("idle", .good, "it sleeps"),
    ("marker", .good, "it does little, and less in the background"),
    ("swift-format", .good, "a run that costs little"),
    ("ls", .good, "a run that costs little"),
    ("perf-calls", .none, "most was not recorded"), ("perf-cpus", .none, "most was not recorded"),
    ("perf-dwarf", .none, "CPU samples alone"), ("perf-fp", .none, "CPU samples alone"),
    ("perf-file", .none, "most was not recorded"), ("perf-pipe", .none, "most was not recorded"),
    ("perf-threads", .none, "most was not recorded"),
    ("perf-zstd", .none, "most was not recorded"),
  ]

  @Test(arguments: expected.indices)
  func `a recording scores as an expert would say`(index: Int) throws {
    let (trace, verdict, why) = Self.expected[index]
    let path = RecordedReportsTests.root.appendingPathComponent("Reports/\(trace).json")
    let report = try JSONReport.parse(String(contentsOf: path, encoding: .utf8))
    let score = report.score
    let words = "\(trace): \(why): \(score.low ?? -1) \(score.overall ?? -1) \(score.high ?? -1)"
    switch verdict {
    case .poor: #expect((score.overall ?? 100) < 50 && (score.high ?? 100) < 60, "\(words)")
    case .middle:
      #expect((50..<90).contains(score.overall ?? 0) && (score.high ?? 100) < 90, "\(words)")
    case .good: #expect((score.overall ?? 0) >= 90 && (score.low ?? 0) >= 30, "\(words)")
    case .none: #expect(score.overall == nil && score.note?.isEmpty == false, "\(words)")
    }
  }
}
