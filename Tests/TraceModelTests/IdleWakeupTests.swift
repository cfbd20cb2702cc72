import Foundation
import Testing

@testable import TraceModel

/// Which wakes found their CPU idle, on the recordings that are kept, against what perf shows of the same files.
@Suite(.enabled(if: PerfRun.isThere, "perf is not installed"))
struct IdleWakeupTests {
  /// How often perf shows each thread woken while the idle task had the CPU.
  private static func wokenFromIdle(_ path: String) -> [Int32: Int] {
    let script = PerfRun.run("perf script -i \(path) -F pid,tid,event,trace")
    var counts: [Int32: Int] = [:]
    for line in script.text.split(separator: "\n") where line.contains("sched:sched_waking:") {
      let words = line.split(separator: " ")
      guard words.first == "0/0", let woken = words.first(where: { $0.hasPrefix("pid=") }),
        let tid = Int32(woken.dropFirst(4))
      else { continue }
      counts[tid, default: 0] += 1
    }
    return counts
  }

  @Test(arguments: ["poller", "appender", "chatty", "sqlite", "async-main", "idle"])
  func `wakes that found the CPU idle are those that perf shows from the idle task`(name: String)
    throws
  {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let path = folder.appendingPathComponent("Traces/\(name).perf.data").path
    let expected = Self.wokenFromIdle(path)
    try #require(!expected.isEmpty)
    var found: [Int32: Int] = [:]
    for wakeup in try Trace.load(path: path).wakeups where wakeup.cpuWasIdle {
      found[wakeup.tid, default: 0] += 1
    }
    #expect(found == expected)
  }
}
