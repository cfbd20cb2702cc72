import Foundation
import Synchronization
import Testing

extension EndToEnd {
  /// The same programs with all the rights that there are, and with few: what is told is the same.
  ///
  /// Each on each rung takes a quarter of an hour: LULL_WHOLE_LADDER=1, with a line printed for each.
  @Suite(.enabled(if: Rung.areThere, Rung.needsTools))
  struct Ladder {
    static let isWhole = ProcessInfo.processInfo.environment["LULL_WHOLE_LADDER"] != nil

    /// All as root and as a plain user, which are recorded by other means, and in each other place some of them, so
    /// that each is in one.
    private static let cells: [(Rung, LadderWorkload)] = {
      let all = LadderWorkload.allCases
      if isWhole { return Rung.allCases.flatMap { rung in all.map { (rung, $0) } } }
      let others = Rung.allCases.filter { $0 != .root && $0 != .user }
      let few = all.enumerated().map { (others[$0.offset % others.count], $0.element) }
      return all.map { (.root, $0) } + all.map { (.user, $0) } + few
    }()

    /// Between what root's score of each lay.
    private static let rootScores = Mutex<[LadderWorkload: ClosedRange<Double>]>([:])

    @Test(arguments: cells)
    func `what a program did is told in each place, and its score is root's`(
      rung: Rung, workload: LadderWorkload
    ) throws {
      let run = try Self.record(workload, in: rung)
      let isWithin = run.report["capture"]["privilege"].string?.contains("within the process")
      #expect(isWithin == Rung.lesser.contains(rung), "\(rung): \(run.report["capture"])")
      try workload.expect(run, "\(rung)")
      let score = try Self.score(of: run)
      if Self.isWhole {
        print(
          rung.rawValue, workload.rawValue, workload.line(run),
          String(format: "score %.0f–%.0f", score.lowerBound, score.upperBound), separator: "\t")
      }
      guard rung != .root else {
        Self.rootScores.withLock { $0[workload] = score }
        return
      }
      let known = Self.rootScores.withLock { $0[workload] }
      let root = try known ?? Self.score(of: Self.record(workload, in: .root))
      #expect(score.overlaps(root), "\(rung): \(score), root's \(root)")
    }

    private static func record(_ workload: LadderWorkload, in rung: Rung) throws -> Recorded {
      let scratch = try Scratch()
      let run = try Recorded(
        [Machine.workload] + workload.words(path: scratch.file("target")),
        in: rung.words(writingTo: scratch), options: workload.options,
        reportOptions: workload.options, scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      return run
    }

    private static func score(of run: Recorded) throws -> ClosedRange<Double> {
      let score = run.report["score"]
      let low = try #require(score["low"].double, "\(score)")
      return low...(try #require(score["high"].double, "\(score)"))
    }
  }
}
