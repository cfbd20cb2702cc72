import Foundation
import Testing

extension EndToEnd {
  /// Programs that hold the Swift runtime themselves, and those that hold the C library too, into which nothing can be
  /// loaded: these are looked at from outside.
  @Suite(
    .enabled(if: Machine.tool("swift") != nil, "needs swift to build the program"),
    .enabled(if: Rung.areThere, Rung.needsTools))
  struct StaticBuilds {
    private func record(
      _ workload: LadderWorkload, _ program: String, in rung: Rung
    ) throws -> Recorded {
      let scratch = try Scratch()
      let run = try Recorded(
        [program] + workload.words(path: scratch.file("target")),
        in: rung.words(writingTo: scratch), options: workload.options,
        reportOptions: workload.options, scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      return run
    }

    private static let places: [(LadderWorkload, Rung)] =
      Ladder.isWhole
      ? LadderWorkload.allCases.flatMap { [($0, .user), ($0, .dockerUser)] }
      : [
        (.lock, .user), (.file, .dockerUser), (.compute, .user), (.atomicSaver, .dockerUser),
        (.chatty, .user),
      ]

    @Test(arguments: places)
    func `with the runtime in it a program is recorded within`(
      workload: LadderWorkload, rung: Rung
    ) throws {
      let run = try record(
        workload, try TestPackage.staticRuntime.program("lull-workload"), in: rung)
      #expect(
        run.report["capture"]["privilege"].string?.contains("recorded within the process") == true)
      try workload.expect(run, "\(rung)")
      if Ladder.isWhole { print(rung.rawValue, workload.rawValue, "runtime", workload.line(run)) }
    }

    @Test func `with all in it, and an agent that is empty, too`() throws {
      let run = try record(
        .lock, try TestPackage.staticWhole.program("lull-workload-agent"), in: .user)
      #expect(
        run.report["capture"]["privilege"].string?.contains("looked at from outside") == true)
      try LadderWorkload.lock.expect(run, "static", within: 0.015)
    }

    @Test(arguments: places)
    func `with all in it a program is looked at from outside`(
      workload: LadderWorkload, rung: Rung
    ) throws {
      let run = try record(workload, try TestPackage.staticWhole.program("lull-workload"), in: rung)
      #expect(
        run.report["capture"]["privilege"].string?.contains("looked at from outside") == true)
      if Ladder.isWhole { print(rung.rawValue, workload.rawValue, "whole", workload.line(run)) }
      switch workload {
      // Of many waits that are shorter than the distance of two looks, some causes stay unknown; none is another.
      case .file:
        try workload.expect(run, "\(rung)", within: 0.03, told: 0.75)
        for hang in run.hangs {
          let causes = hang["blockedByCause"]
          let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
          let right = ["file", "unknown"].compactMap { causes[$0].double }.reduce(0, +)
          #expect(right > 0.9 * blocked, "\(hang)")
        }
      case .poller, .appender, .rewriter, .atomicSaver:
        let signal = workload == .poller ? "wakeups" : "disk"
        #expect(!run.signals[signal].exists, "\(rung): \(run.signals[signal])")
        for id in ["write-frequency", "bytes-written", "idle-wakeups", "polling-timers"] {
          #expect(run.audit(id)["status"].string == "notMeasured", "\(rung): \(run.audit(id))")
        }
      case .chatty, .bursty:
        for key in ["bytesSent", "bytesReceived"] {
          let told = run.signals["network"][key].int ?? 0
          #expect(abs(told - (run.truth[key].int ?? 0)) <= 1, "\(rung): \(run.signals["network"])")
        }
        // In how many calls they went is not known.
        let sent = run.report["blame"]["network"].items
        #expect(!sent.isEmpty && sent.allSatisfy { $0["count"].double == 0 }, "\(sent)")
      default: try workload.expect(run, "\(rung)", within: 0.015)
      }
      if workload == .lock, rung == .user, Rung.userHasEvents {
        // The kernel's switches tell of each wait when it began and ended.
        for (hang, (length, cpu)) in zip(run.hangs, zip(run.trueSpans, run.trueCPU)) {
          let blocked = hang["blockedByCause"]["lock"].double ?? 0
          let queued = hang["runnableSeconds"].double ?? 0
          #expect(blocked < length - cpu + 0.001, "\(hang) of \(length) with \(cpu)")
          #expect(blocked + queued > length - cpu - 0.001, "\(hang) of \(length) with \(cpu)")
        }
      }
      if let blame = workload.blame, workload != .file, workload != .compute {
        for hang in run.hangs {
          let function = hang["blamedFunction"].string ?? ""
          #expect(function.contains(blame.function), "\(rung): \(hang)")
        }
      }
    }

    // Nothing tells of such a program within: it was not even named, and the shell that starts it had a perfect score.
    @Test(arguments: ["\"$@\"; true", "exec \"$@\""])
    func `with all in it a program that another starts is looked at from outside`(script: String)
      throws
    {
      let scratch = try Scratch()
      let program = try TestPackage.staticWhole.program("lull-workload")
      let run = try Recorded(
        ["sh", "-c", script, "sh", program] + LadderWorkload.lock.words(path: ""),
        in: Rung.dockerUser.words(writingTo: scratch), scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      #expect(run.report["process"]["name"].string == "lull-workload", "\(run.report["process"])")
      #expect(run.report["process"]["isSwift"].bool == true, "\(run.report["process"])")
      for signal in ["wakeups", "network", "disk"] {
        #expect(!run.signals[signal].exists, "\(signal): \(run.signals[signal])")
      }
      try #require(run.hangs.count == run.trueSpans.count, "\(run.mainThread)")
      for (hang, length) in zip(run.hangs, run.trueSpans) {
        #expect(abs((hang["durationSeconds"].double ?? 0) - length) < 0.015, "\(hang) of \(length)")
        #expect((hang["blockedByCause"]["lock"].double ?? 0) > 0.9 * length, "\(hang)")
      }
      let reasons = run.report["capture"]["unavailable"].items
      #expect(
        reasons.contains {
          $0["signal"].string == "processes"
            && $0["reason"].string?.contains("looked at from outside") == true
        }, "\(reasons)")
    }

    @Test func `with all in it a program's files are known by their paths where it may be probed`()
      throws
    {
      let run = try record(
        .atomicSaver, try TestPackage.staticWhole.program("lull-workload"), in: .root)
      try LadderWorkload.atomicSaver.expect(run, "root")
    }
  }
}
