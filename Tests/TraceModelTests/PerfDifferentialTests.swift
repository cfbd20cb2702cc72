import Foundation
import TestSupport
import Testing

@testable import TraceModel

/// Runs perf where there is tracefs.
enum PerfRun {
  static func run(_ command: String) -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let tracefs = "/sys/kernel/tracing"
    process.arguments = [
      "unshare", "-m", "sh", "-c",
      "{ test -d \(tracefs)/events || mount -t tracefs none \(tracefs); } && \(command)",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return (127, "") }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  static let canRecord: Bool = {
    guard ProcessInfo.processInfo.environment["LULL_END_TO_END"] != nil,
      let directory = try? TemporaryDirectory()
    else { return false }
    defer { directory.remove() }
    return run("perf record -q -e sched:sched_switch -o \(directory.path)/t true").status == 0
  }()
}

/// Figures from a file that perf wrote, against perf's own from the same file.
@Suite(
  .serialized,
  .enabled(if: PerfRun.canRecord, "set LULL_END_TO_END where perf can record"))
struct PerfDifferentialTests {
  /// Sums over a thread's runs but its first, of which perf and Lull know the beginning differently.
  private struct Sums {
    var runs = 0
    var run = 0.0
    var wait = 0.0
    var delay = 0.0
  }

  /// `perf sched timehist` prints a line whenever a thread leaves a CPU, in milliseconds.
  private static func timehist(_ path: String) throws -> [Int32: Sums] {
    let result = PerfRun.run("perf sched -i \(path) timehist 2>/dev/null")
    try #require(result.status == 0)
    var sums: [Int32: Sums] = [:]
    var seen: Set<Int32> = []
    for line in result.text.split(separator: "\n") {
      guard let open = line.lastIndex(of: "["), let close = line.lastIndex(of: "]"), open < close
      else { continue }
      let ids = line[line.index(after: open)..<close].split(separator: "/")
      let figures = line[line.index(after: close)...].split(separator: " ").compactMap {
        Double($0)
      }
      guard let tid = ids.first.flatMap({ Int32($0) }), figures.count == 3 else { continue }
      guard !seen.insert(tid).inserted else { continue }
      sums[tid, default: Sums()].runs += 1
      sums[tid]?.wait += figures[0]
      sums[tid]?.delay += figures[1]
      sums[tid]?.run += figures[2]
    }
    return sums
  }

  private static func ours(_ trace: Trace) -> [Int32: Sums] {
    var result: [Int32: Sums] = [:]
    for thread in trace.threads where thread.tid > 0 {
      var sums = Sums()
      var gap = 0.0
      var delay = 0.0
      var ran = false
      for (interval, next) in zip(thread.intervals, thread.intervals.dropFirst()) {
        let length = interval.length.seconds * 1000
        switch interval.state {
        case .running:
          if ran {
            sums.runs += 1
            sums.run += length
            sums.wait += gap
            sums.delay += delay
          }
          ran = true
          gap = 0
          delay = 0
        case .runnable:
          gap += length
          // After a preemption nobody woke it.
          if delay < 0 { delay = length } else { delay = 0 }
        case .blocked:
          gap += length
          delay = next.state == .runnable ? -1 : 0
        }
      }
      if sums.runs > 0 { result[thread.tid] = sums }
    }
    return result
  }

  @Test(
    arguments: [
      "sh -c 'for i in 1 2 3 4 5 6 7 8; do ls -R /etc >/dev/null; done'",
      "perf bench sched messaging -g 2 -l 200",
      "perf bench sched pipe -T -l 3000",
    ])
  func `run times, waits, delays and switches are those of perf sched timehist`(work: String)
    throws
  {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/trace"
    try #require(
      PerfRun.run("perf sched record -q -m 8M -o \(path) \(work) >/dev/null").status == 0)
    let theirs = try Self.timehist(path)
    let ours = Self.ours(try Trace.load(path: path))
    // This machine's kernel may lose a switch; where perf says so by another count, its times are guesses too.
    let common = theirs.filter { ours[$0.key]?.runs == $0.value.runs && $0.value.runs > 1 }
    let eligible = theirs.values.count { $0.runs > 1 }
    try #require(eligible >= 3)
    #expect(common.count * 10 >= eligible * 8, "\(common.count) of \(eligible) threads")
    var equal = 0
    for (tid, sums) in common {
      let own = try #require(ours[tid])
      // perf prints microseconds.
      let slack = 0.001 * Double(sums.runs) + 0.002
      if abs(own.run - sums.run) <= slack, abs(own.wait - sums.wait) <= slack,
        abs(own.delay - sums.delay) <= slack
      {
        equal += 1
      }
    }
    #expect(equal * 10 >= common.count * 9, "\(equal) of \(common.count) threads")
  }

  @Test func `sample counts are those of perf report`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/trace"
    let work =
      "sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done & j=0; while [ $j -lt 300000 ]; do j=$((j+1)); done; wait'"
    try #require(
      PerfRun.run("perf record -q -g -F 500 -e cpu-clock -o \(path) \(work)").status == 0)
    let report = PerfRun.run(
      "perf report -i \(path) --stdio -n -g none --sort pid -F sample,pid -t, 2>/dev/null")
    var theirs: [Int32: Int] = [:]
    for line in report.text.split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: ",")
      guard fields.count == 2, let count = Int(fields[0].filter { $0 != " " }),
        let pid = Int32(fields[1].split(separator: ":")[0].filter { $0 != " " })
      else { continue }
      theirs[pid] = count
    }
    try #require(!theirs.isEmpty, "\(report.text)")
    var ours: [Int32: Int] = [:]
    for sample in try Trace.load(path: path).processorSamples { ours[sample.pid, default: 0] += 1 }
    #expect(ours == theirs)
  }
}
