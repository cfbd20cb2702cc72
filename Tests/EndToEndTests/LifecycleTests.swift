import Foundation
import Testing

extension EndToEnd {
  @Suite struct Lifecycle {
    @Test func `the time from SIGTERM to the end is measured`() throws {
      let run = try Recorded(workload: "terminator ms=1000 after=500")
      let seconds = run.mainThread["terminationSeconds"].double
      #expect(isNear(seconds, run.truth["seconds"].double ?? -1), "\(run.mainThread)")
    }

    @Test func `a program that does not catch SIGTERM has no time to end in`() throws {
      let scratch = try Scratch()
      let target = try Command([
        Machine.lull, "record", "-q", "-o", scratch.file("t"), "--", "sleep", "20",
      ])
      sleep(2)
      let children = try String(
        contentsOfFile: "/proc/\(target.pid)/task/\(target.pid)/children", encoding: .utf8)
      for child in children.split(separator: " ").compactMap({ pid_t($0) }) { kill(child, SIGTERM) }
      #expect(try target.finish().status == 128 + SIGTERM)
      let report = try Recorded.report(scratch.file("t"))
      #expect(report["process"]["signal"].int == Int(SIGTERM))
      let audit = report["audits"].items.first { $0["id"].string == "termination-time" }
      #expect(audit?["status"].string == "notApplicable", "\(String(describing: audit))")
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
