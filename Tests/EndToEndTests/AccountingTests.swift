import Foundation
import PerfData
import Testing
import TraceModel

extension EndToEnd {
  /// What is measured against what the kernel tells the program of itself (getrusage, /proc/self).
  @Suite(.enabled(if: Machine.isQuiet, Machine.needsQuiet))
  struct Accounting {
    static let workloads = [
      "poller hz=200 seconds=1", "blocker cause=compute count=3 ms=100 gap=50",
      "blocker cause=lock count=5 ms=30 gap=30", "chatty messages=200 gap=1",
      "bytewriter count=100000", "spiker mb=32 times=3 gap=50",
    ]

    @Test(arguments: workloads)
    func `CPU time and context switches are the kernel's`(workload: String) throws {
      let run = try Recorded(workload: workload)
      let usage = run.truth["usage"]
      let cpu = run.signals["threads"].items.compactMap { $0["cpuSeconds"].double }.reduce(0, +)
      let trace = try Trace.load(path: run.trace)
      let spans = trace.threads(of: trace.subject.pid).flatMap(\.intervals)
      let runs = spans.count { $0.state == .running }
      let switches = (usage["voluntarySwitches"].int ?? 0) + (usage["involuntarySwitches"].int ?? 0)
      // The kernel charges the program with what switching the recorder's events costs, some microseconds a switch;
      // Lull does not. And the program asks before it prints its last line and gives back its memory.
      let truth = usage["cpuSeconds"].double ?? -1
      #expect(cpu < truth * 1.01 + 0.02, "\(cpu) s, \(usage)")
      #expect(cpu > truth * 0.99 - 0.005 - 20e-6 * Double(switches), "\(cpu) s, \(usage)")
      #expect(abs(runs - switches) <= 12 + switches / 100, "\(runs) runs, \(usage)")
    }

    @Test func `faults and peaks are the kernel's`() throws {
      let run = try Recorded(workload: "steady mb=32 seconds=1")
      let usage = run.truth["usage"]
      let memory = run.signals["memory"]
      let faults = memory["minorFaults"].double ?? 0
      let truth = usage["minorFaults"].double ?? -1
      #expect(abs(faults - truth) < 0.05 * truth + 100, "\(faults), \(usage)")
      let peak = memory["peakResidentBytes"].double ?? 0
      let peakTruth = usage["peakResidentBytes"].double ?? -1
      #expect(abs(peak - peakTruth) < 0.02 * peakTruth, "\(peak), \(usage)")
    }

    @Test(arguments: ["appender writes=200 bytes=999 gap=1", "sqlite rows=12 gap=50"])
    func `bytes written are those of /proc`(workload: String) throws {
      let scratch = try Scratch()
      let run = try Recorded(
        workload: workload + " path=\(scratch.file("target"))", scratch: scratch)
      let usage = run.truth["usage"]
      // wchar counts writes to pipes and terminals too; the program makes none before it asks.
      let counted = run.signals["disk"]["bytesWritten"].int ?? 0
      let other = (usage["writtenBytes"].int ?? 0) - counted
      #expect((0...64).contains(other), "\(counted) of \(usage)")
      // /proc was last read up to a tenth of a second before the end.
      let device = run.signals["disk"]["deviceBytesWritten"].int ?? -1
      let storage = usage["storageBytes"].int ?? -2
      #expect((storage / 2...storage + 8192).contains(device), "\(device), \(usage)")
    }
  }
}
