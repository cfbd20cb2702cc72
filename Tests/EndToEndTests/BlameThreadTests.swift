import Foundation
import Testing

extension EndToEnd {
  /// Threads other than the main one that must not block.
  @Suite struct BlameThreads {
    @Test func `a handler that reads a file on its event loop is found`() throws {
      let scratch = try Scratch()
      let server = try TestPackage.servers.program("nio-server")
      let run = try Recorded([server, scratch.path, "loop", "25", "40"], scratch: scratch)
      #expect(run.truth["requests"].double == 25)
      let audit = run.audit("event-loop-blocking")
      #expect(audit["status"].string == "fail", "\(audit)")
      #expect(
        audit["evidence"].items.first?["function"].string?.contains("readSlowly") == true,
        "\(audit)")
      let loops = run.signals["criticalThreads"].items.filter { $0["role"].string == "event loop" }
      try #require(loops.count == 1, "\(run.signals["threads"])")
      // What the program timed was blocked in the file, or on a CPU, or waiting for one.
      let reading = (run.truth["readingNs"].double ?? 0) / 1e9
      let file = loops[0]["blockedByCause"]["file"].double ?? 0
      let busy =
        (loops[0]["runningSeconds"].double ?? 0) + (loops[0]["runnableSeconds"].double ?? 0)
      #expect(file > 0.2 * reading && file <= reading + 0.01, "\(file) of \(reading)")
      #expect(file + busy > reading * 0.9 - 0.005)
      #expect((loops[0]["longestTurnSeconds"].double ?? 0) > 0.039)
      #expect(run.mainThread["hangs"].items.isEmpty, "waiting for the server to close is no hang")
    }

    @Test func `a handler that leaves the file to a thread pool is not`() throws {
      let scratch = try Scratch()
      let server = try TestPackage.servers.program("nio-server")
      let run = try Recorded([server, scratch.path, "pool", "25", "40"], scratch: scratch)
      let audit = run.audit("event-loop-blocking")
      for thread in run.signals["criticalThreads"].items
      where thread["role"].string == "event loop" {
        // The loop and the pool hand work over under a lock of SwiftNIO's, for which the one may wait some microseconds
        // while the other has it, and a page of the program may have to be read, which the rule takes for the system's
        // doing: that is no wait of the handler's, nor for a file.
        let causes = thread["blockedByCause"]
        #expect(causes.keys.allSatisfy { $0 == "lock" || $0 == "pageFault" }, "\(thread)")
        #expect((causes["lock"].double ?? 0) < 0.001, "\(thread)")
      }
      let waits = audit["evidence"].items
      #expect(audit["status"].string == (waits.isEmpty ? "notApplicable" : "pass"), "\(audit)")
      for wait in waits {
        let functions = wait["stack"].items.compactMap { $0["function"].string }
        #expect(functions.contains { $0.contains("LockOperations.lock") }, "\(wait)")
        #expect(
          !functions.contains { $0.contains("Handler") || $0.contains("SlowFile") }, "\(wait)")
      }
      let roles = run.signals["threads"].items.compactMap { $0["role"].string }
      #expect(roles.contains("event loop") && roles.contains("thread pool"), "\(roles)")
      let blocked = run.report["blame"]["blocked"].items
      let reading = blocked.first {
        $0["function"].string?.contains("readSlowly") == true && $0["cause"].string == "file"
      }
      #expect((reading?["selfSeconds"].double ?? 0) > 0.2, "\(blocked.prefix(3))")
    }

    @Test func `a task that blocks the cooperative pool is found`() throws {
      let run = try Recorded([Machine.asyncWorkload, "mode=pool", "count=5", "ms=150", "gap=50"])
      let audit = run.audit("cooperative-pool-blocking")
      #expect(audit["status"].string == "fail", "\(audit)")
      #expect(
        audit["evidence"].items.first?["stack"].items
          .contains { $0["function"].string?.contains("blockTask") == true } == true, "\(audit)")
      #expect(run.audit("main-thread-hangs")["status"].string != "fail")
    }

    @Test(arguments: ["async-main", "dispatch"])
    func `a MainActor that blocks is no task of the pool`(mode: String) throws {
      let run = try Recorded([
        Machine.asyncWorkload, "mode=\(mode)", "count=3", "ms=300", "gap=100",
      ])
      #expect(run.audit("cooperative-pool-blocking")["status"].string != "fail")
      #expect(run.audit("main-thread-hangs")["status"].string == "fail")
      let expected = mode == "dispatch" ? "blockMainQueue" : "blockMainActor"
      #expect(run.hangs.count == 3)
      for hang in run.hangs {
        #expect(
          hang["stack"].items.contains { $0["function"].string?.contains(expected) == true },
          "\(hang)")
      }
    }
  }
}
