import Foundation
import Testing

extension EndToEnd {
  @Suite struct Lifecycle {
    @Test func `the time from SIGTERM to the end is measured`() throws {
      let run = try Recorded(workload: "terminator ms=1000 after=500")
      let seconds = run.mainThread["terminationSeconds"].double
      #expect(isNear(seconds, run.truth["seconds"].double ?? -1), "\(run.mainThread)")
    }

    @Test func `launch ends at the first event wait`() throws {
      let run = try Recorded(workload: "idle seconds=2")
      let launch = run.mainThread["launchSeconds"].double ?? -1
      #expect(launch > 0 && launch < 1)
      #expect(run.audit("launch-time")["status"].string == "pass")
    }

    @Test(arguments: [("segv", SIGSEGV), ("abort", SIGABRT)])
    func `a crash is an end with its signal`(name: String, signal: Int32) throws {
      let run = try Recorded([Machine.workload, "crash", "signal=\(name)", "ms=300"])
      #expect(run.result.status == 128 + signal)
      #expect(run.report["process"]["signal"].int == Int(signal))
      #expect(run.report["trace"]["truncated"].bool == false)
    }
  }
}
