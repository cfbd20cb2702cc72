import Foundation
import Testing

/// A workload, the rules that it was written to break, and those that it may break besides.
struct BadProgram: CustomTestStringConvertible, Sendable {
  let workload: String
  let breaks: Set<String>
  var mayBreak: Set<String> = []
  var options: [String] = []

  var testDescription: String { workload }

  static let all = [
    BadProgram(
      workload: "blocker cause=sleep count=3 ms=400 gap=500",
      breaks: ["main-thread-hangs", "main-thread-sleeps"]),
    BadProgram(
      workload: "blocker cause=lock count=3 ms=400 gap=500",
      breaks: ["main-thread-hangs", "main-thread-lock-waits"]),
    BadProgram(
      workload: "blocker cause=network count=3 ms=400 gap=500",
      breaks: ["main-thread-hangs", "main-thread-network-waits"]),
    BadProgram(
      workload: "blocker cause=file count=3 ms=400 gap=900",
      breaks: ["main-thread-hangs", "main-thread-file-access"],
      // Reading past the page cache costs a quarter of the time in CPU, and a wake for each read.
      mayBreak: ["main-thread-computation", "idle-wakeups", "cpu-use"]),
    BadProgram(
      workload: "blocker cause=fsync count=3 ms=400 gap=900",
      breaks: ["main-thread-hangs", "sync-frequency"],
      // On a busy machine most of a sync is waiting for a CPU.
      mayBreak: [
        "main-thread-file-access",
        "main-thread-computation", "write-frequency", "bytes-written", "whole-file-rewrites",
        "cache-writes",
        "idle-wakeups", "cpu-use",
      ]),
    BadProgram(
      workload: "blocker cause=compute count=6 ms=300 gap=500",
      breaks: ["main-thread-hangs", "main-thread-computation"], mayBreak: ["cpu-use"]),
    BadProgram(workload: "poller hz=50 seconds=5", breaks: ["polling-timers"]),
    // Nothing paces these: a pause is a timer, which has rules of its own. So they do all that they do at a high rate.
    BadProgram(
      workload: "appender writes=800 bytes=80 gap=0", breaks: ["write-frequency"],
      mayBreak: ["cache-writes"]),
    BadProgram(
      workload: "rewriter times=80 bytes=20000 gap=0", breaks: ["whole-file-rewrites"],
      mayBreak: ["write-frequency", "cache-writes", "idle-wakeups"]),
    BadProgram(
      workload: "atomic-saver times=80 bytes=20000 gap=0",
      breaks: ["whole-file-rewrites", "sync-frequency"],
      // The disk wakes the program at the end of each sync.
      mayBreak: ["idle-wakeups", "write-frequency", "cache-writes"]),
    BadProgram(
      workload: "sqlite rows=80 gap=0", breaks: ["sync-frequency"],
      // A rollback journal writes many times what a row holds, in pages and in smaller pieces.
      mayBreak: ["bytes-written", "write-frequency", "idle-wakeups", "cache-writes"]),
    BadProgram(
      workload: "chatty messages=40 gap=200", breaks: ["radio-duty-cycle"],
      mayBreak: ["tail-energy", "server-polling"], options: ["--radio-loopback"]),
    BadProgram(workload: "leaker mbPerSecond=4 seconds=33", breaks: ["footprint-growth"]),
    BadProgram(
      workload: "spiker mb=400 times=1 gap=400", breaks: ["peak-footprint"],
      // Clearing so many pages takes a CPU a third of a second.
      mayBreak: ["cpu-use", "idle-cpu-use"]),
    BadProgram(workload: "terminator ms=2600 after=500", breaks: ["termination-time"]),
  ]
}

extension EndToEnd {
  @Suite(.enabled(if: Machine.isQuiet, Machine.needsQuiet))
  struct Rules {
    @Test(arguments: BadProgram.all)
    func `a bad program fails just its rules`(program: BadProgram) throws {
      let run = try Recorded(
        workload: program.workload, options: program.options, reportOptions: program.options)
      let failed = run.failed
      #expect(program.breaks.subtracting(failed) == [], "rules that did not fail")
      let others = failed.subtracting(program.breaks).subtracting(program.mayBreak)
      #expect(others == [], "\(others.map { run.audit($0) })")
    }

    @Test func `the well-behaved program scores at least 95`() throws {
      let run = try Recorded(workload: "idle seconds=12")
      #expect((run.report["score"]["overall"].double ?? 0) >= 95, "\(run.report["score"])")
      #expect(run.failed == [])
    }

    /// The score of a longer recording lies within the bounds of a shorter one, and its own are closer.
    @Test func `how long one looks changes the bounds of a score and not the score`() throws {
      var shorter: ClosedRange<Double>?
      // What is shorter than a second is counted by the run, and not by the second.
      for seconds in ["1", "2", "12"] {
        let score = try Recorded(workload: "poller hz=50 seconds=\(seconds)").report["score"]
        let low = try #require(score["low"].double)
        let high = try #require(score["high"].double)
        if let known = shorter {
          let value = try #require(score["overall"].double, "\(score)")
          #expect(known.contains(value), "\(value) after \(seconds) s, was \(known)")
          #expect(high - low < known.upperBound - known.lowerBound + 1)
        }
        shorter = low...high
      }
    }

    @Test func `a steady program fails nothing`() throws {
      #expect(try Recorded(workload: "steady mb=16 seconds=5").failed == [])
    }
  }
}
