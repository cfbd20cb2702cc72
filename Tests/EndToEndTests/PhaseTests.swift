import Foundation
import Testing

extension EndToEnd {
  /// Programs that are interrupted, come back, or are launched in the background, as they say themselves.
  @Suite struct PhasesOfPrograms {
    @Test(arguments: [(2000, "fail"), (30, "pass")])
    func `work while inactive is what the program computed`(work: Int, verdict: String) throws {
      let run = try Recorded(workload: "phases work=\(work) lag=10")
      let audit = run.audit("inactive-work")
      #expect(audit["status"].string == verdict, "\(audit)")
      let phase = try #require(
        run.report["phases"].items.first { $0["name"].string == "inactive" })
      let seconds = try #require(phase["durationSeconds"].double)
      #expect(isNear(seconds, 3, slack: 0.2))
      // The rest are the prices of a few wakeups.
      let truth = try #require(run.trueCPU.first) / seconds * 100
      let value = try #require(audit["value"].double)
      #expect(value >= 0.98 * truth && value <= truth + 1.5, "\(value) of \(truth) %")
    }

    @Test(arguments: [(700, "fail"), (20, "pass")])
    func `a lag on coming back is the turn in which the program was told`(
      lag: Int, verdict: String
    ) throws {
      let run = try Recorded(workload: "phases lag=\(lag)")
      let audit = run.audit("resume-lag")
      #expect(audit["status"].string == verdict, "\(audit)")
      let truth = try #require(run.trueSpans.last) * 1000
      #expect(isNear(audit["value"].double, truth, slack: 15), "\(audit) of \(truth) ms")
    }

    @Test func `a launch in the background is measured until the program is quiet`() throws {
      let run = try Recorded(workload: "phases launch=400")
      let phases = run.report["phases"].items.compactMap { $0["name"].string }
      #expect(phases == ["launch", "background"], "\(phases)")
      let audit = run.audit("background-launch")
      // What it needs depends on what it is launched for.
      #expect(audit["status"].string == "notApplicable")
      // By its own clock, up to the end of its work.
      let truth = try #require(run.truth["seconds"].double)
      #expect(isNear(audit["value"].double, truth, slack: 0.03), "\(audit) of \(truth) s")
      #expect(run.audit("resume-lag")["status"].string == "notApplicable")
    }
  }
}
