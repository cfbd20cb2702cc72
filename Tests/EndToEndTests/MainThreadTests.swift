import Foundation
import Testing
import TraceModel

extension EndToEnd {
  @Suite(.enabled(if: Machine.isQuiet, Machine.needsQuiet))
  struct MainThread {
    /// The name a cause of the blocker has in the report.
    static let causes = [
      ("sleep", "sleep"), ("lock", "lock"), ("semaphore", "lock"), ("network", "network"),
      ("child", "child"), ("file", "file"), ("fsync", "sync"),
    ]

    @Test(arguments: causes)
    func `each cause of blocking is told apart and timed`(cause: String, name: String) throws {
      let run = try Recorded(workload: "blocker cause=\(cause) count=3 ms=300 gap=300")
      let hangs = run.hangs
      try #require(hangs.count == 3, "\(run.mainThread)")
      for (hang, truth) in zip(hangs, zip(run.trueSpans, run.trueCPU)) {
        let (length, cpu) = truth
        #expect(isNear(hang, length), "\(hang)")
        let causes = hang["blockedByCause"]
        let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
        let share = (causes[name].double ?? 0) / blocked
        switch cause {
        case "file", "fsync":
          // Thousands of short waits: what was not CPU time was one of them, or waiting for a CPU.
          let waiting = blocked + (hang["runnableSeconds"].double ?? 0)
          #expect(waiting > length - cpu - 0.015, "\(hang)")
          #expect(share > 0.9, "\(hang)")
        case "child":
          // The parent also waits for the new process to have started.
          let waited = blocked + (hang["runnableSeconds"].double ?? 0)
          #expect((0.29...length).contains(causes[name].double ?? 0), "\(hang)")
          #expect(waited > length - cpu - 0.015, "\(hang)")
        default:
          // On a busy machine what ends the wait is late itself: the program's own clock is the truth.
          let waited = length - cpu - (hang["runnableSeconds"].double ?? 0)
          #expect(isNear(causes[name].double, waited, slack: 0.005), "\(hang) of \(length) s")
          #expect(share > 0.98, "\(hang)")
        }
      }
      #expect(run.mainThread["hasEventLoop"].bool == true)
    }

    // The loop's own wait was taken for that of the program's event loop: idle, no hangs, 100 points.
    @Test(arguments: ["auto", "perf", "process"], [("process", "child"), ("runLoop", "other")])
    func `a run loop within a piece of work keeps the main queue from its own`(
      recorder: String, cause: (workload: String, name: String)
    ) throws {
      let run = try Recorded(
        workload: "blocker cause=\(cause.workload) count=3 ms=300 gap=300",
        options: ["--recorder", recorder])
      try #require(run.hangs.count == 3, "\(run.mainThread)")
      for (hang, length) in zip(run.hangs, run.trueSpans) {
        #expect(isNear(hang, length), "\(hang)")
        let waited =
          length - (hang["runningSeconds"].double ?? 0) - (hang["runnableSeconds"].double ?? 0)
        #expect((hang["blockedByCause"][cause.name].double ?? 0) > 0.95 * waited, "\(hang)")
        let frames = hang["stack"].items.compactMap { $0["function"].string }
        let function = cause.workload == "process" ? "waitForProcess" : "waitInRunLoop"
        #expect(frames.contains { $0.hasPrefix(function) }, "\(hang)")
      }
      #expect(run.mainThread["hasEventLoop"].bool == true)
    }

    @Test func `computing is running time, not blocking`() throws {
      let run = try Recorded(workload: "blocker cause=compute count=3 ms=300 gap=300")
      try #require(run.hangs.count == 3)
      for (hang, truth) in zip(run.hangs, zip(run.trueSpans, run.trueCPU)) {
        #expect(isNear(hang, truth.0), "\(hang)")
        #expect(isNear(hang["runningSeconds"].double, truth.1, slack: 0.01 + 0.1 * truth.1))
      }
    }

    @Test(arguments: ["sleep", "lock", "fsync", "compute"])
    func `the parts of every hang add up to it`(cause: String) throws {
      let run = try Recorded(workload: "blocker cause=\(cause) count=4 ms=150 gap=100")
      #expect(run.hangs.count == 4)
      for hang in run.hangs {
        let causes = hang["blockedByCause"]
        let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
        let sum = (hang["runningSeconds"].double ?? 0) + (hang["runnableSeconds"].double ?? 0)
        #expect(abs(sum + blocked - (hang["durationSeconds"].double ?? -1)) < 1e-6, "\(hang)")
      }
      let trace = try Trace.load(path: run.trace)
      for thread in trace.threads(of: trace.subject.pid) {
        for (one, next) in zip(thread.intervals, thread.intervals.dropFirst()) {
          try #require(one.end == next.start, "\(thread.name) at \(trace.seconds(one.end)) s")
        }
      }
    }

    @Test(arguments: [120, 300, 600])
    func `severity follows the length`(milliseconds: Int) throws {
      let run = try Recorded(workload: "blocker cause=sleep count=2 ms=\(milliseconds) gap=100")
      #expect(run.hangs.count == 2)
      for hang in run.hangs {
        let length = hang["durationSeconds"].double ?? 0
        let severity =
          length >= 2
          ? "critical" : length >= 0.5 ? "severe" : length >= 0.25 ? "hang" : "noticeable"
        #expect(hang["severity"].string == severity, "\(hang)")
      }
    }

    @Test func `a short turn is no hang`() throws {
      let run = try Recorded(workload: "blocker cause=sleep count=5 ms=40 gap=100")
      // On a busy machine a sleep of 40 ms may last longer, as the program itself knows.
      #expect(run.hangs.count <= run.trueSpans.count { $0 > 0.08 })
    }

    @Test(arguments: ["sleep", "lock", "semaphore", "network", "fsync"])
    func `the program's own function is in the stack of a hang`(cause: String) throws {
      let run = try Recorded(workload: "blocker cause=\(cause) count=2 ms=200 gap=200")
      for hang in run.hangs {
        let own = hang["stack"].items.filter {
          $0["module"].string?.contains("lull-workload") == true
        }
        #expect(own.contains { $0["function"].string?.contains("fire") == true }, "\(hang)")
      }
    }

    @Test(arguments: ["async-main", "dispatch"])
    func `MainActor is found where it runs`(mode: String) throws {
      let command = [Machine.asyncWorkload, "mode=\(mode)", "count=3", "ms=300", "gap=300"]
      let run = try Recorded(command)
      try #require(run.result.status == 0)
      try #require(run.hangs.count == 3, "\(run.mainThread)")
      for (hang, length) in zip(run.hangs, run.trueSpans) {
        #expect(isNear(hang, length), "\(hang)")
        #expect(isNear(hang["blockedByCause"]["sleep"].double, length))
      }
      // The stacks of probed jobs are cut behind them, which was taken for tasks of the pool: blocked for 0 s.
      let blocked = run.trueSpans.reduce(0, +)
      #expect(isNear(run.mainThread["blockedSeconds"].double, blocked, slack: 0.02))
    }

    // A deadlock was in no figure: a job's time was told as it returned.
    @Test(arguments: ["auto", "perf", "process"])
    func `MainActor's job that never returns is a hang until the end`(recorder: String) throws {
      let run = try Recorded(
        [Machine.asyncWorkload, "mode=async-main", "count=1", "ms=60000", "gap=500"],
        options: ["--recorder", recorder, "--duration", "3"])
      try #require(run.hangs.count == 1, "\(run.mainThread)")
      let length = run.hangs[0]["durationSeconds"].double ?? 0
      #expect((2.2..<2.6).contains(length), "\(run.hangs)")
      #expect(isNear(run.mainThread["blockedSeconds"].double, length, slack: 0.02))
      #expect(isNear(run.hangs[0]["blockedByCause"]["sleep"].double, length, slack: 0.02))
    }

    // Only the innermost 3 kB of a stack were taken: of what was deeper the queue was not known, and neither hangs nor
    // blocked tasks were told. 98 points, and budgets passed.
    @Test(arguments: ["auto", "perf", "process", "outside"])
    func `work under a deep stack is the queue's that runs it`(recorder: String) throws {
      func run(_ mode: String) throws -> Recorded {
        try Recorded(
          [Machine.asyncWorkload, "mode=\(mode)", "count=3", "ms=300", "gap=300", "depth=8"],
          options: ["--recorder", recorder])
      }
      let queue = try run("dispatch")
      if ["process", "outside"].contains(recorder) {
        try #require(queue.hangs.count == 3, "\(queue.mainThread)")
        for (hang, length) in zip(queue.hangs, queue.trueSpans) {
          #expect(isNear(hang["blockedByCause"]["sleep"].double, length, slack: 0.05), "\(hang)")
        }
      } else {
        // Who called is told by frame pointers, but not which queue it was.
        let hangs = queue.audit("main-thread-hangs")
        #expect(hangs["status"].string == "notMeasured", "\(hangs)")
      }
      let pool = try run("pool")
      let blocked = pool.audit("cooperative-pool-blocking")
      #expect(blocked["status"].string == "fail", "\(blocked)")
      #expect(blocked["displayValue"].string?.contains("in 3 waits") == true, "\(blocked)")
    }

    @Test(arguments: ["auto", "perf", "process", "outside"])
    func `of work under a stack that was taken in part nothing is told but that it is not known`(
      recorder: String
    ) throws {
      func run(_ mode: String) throws -> Recorded {
        try Recorded(
          [Machine.asyncWorkload, "mode=\(mode)", "count=3", "ms=300", "gap=300", "depth=200"],
          options: ["--recorder", recorder])
      }
      let queue = try run("dispatch")
      let hangs = queue.audit("main-thread-hangs")
      #expect(["notMeasured", "fail"].contains(hangs["status"].string), "\(hangs)")
      #expect((hangs["low"].double ?? 0) < 50, "\(hangs)")
      // The probes tell whose task it was.
      let blocked = try run("pool").audit("cooperative-pool-blocking")
      let isProbed = ["auto", "perf"].contains(recorder)
      #expect(blocked["status"].string == (isProbed ? "fail" : "notMeasured"), "\(blocked)")
    }

    @Test func `another serial queue is not taken for the main queue`() throws {
      let run = try Recorded([
        Machine.asyncWorkload, "mode=private", "count=3", "ms=300", "gap=200",
      ])
      try #require(run.result.status == 0 && run.trueSpans.count == 3)
      #expect(run.mainThread["hangs"].items.isEmpty, "\(run.mainThread)")
      #expect((run.mainThread["blockedSeconds"].double ?? 1) < 0.05)
      for rule in ["main-thread-hangs", "main-thread-sleeps", "main-thread-computation"] {
        #expect(run.audit(rule)["status"].string == "notApplicable", "\(run.audit(rule))")
      }
    }

    @Test func `a program without an event loop is not called one hang`() throws {
      let run = try Recorded(workload: "bytewriter count=2000000")
      #expect(run.mainThread["hasEventLoop"].bool == false)
      #expect(run.hangs.isEmpty)
    }
  }
}
