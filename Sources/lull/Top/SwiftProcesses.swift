import Glibc
import Recording
import Reporting

/// The Swift processes that this user may look into, with what each used since the last look.
struct SwiftProcesses {
  private struct Seen {
    var startTicks: UInt64
    var name: String
    /// Nil of what is no Swift, which is not looked at again.
    var sampler: FootprintSampler?
    var cpu: UInt64 = 0
    var written: UInt64 = 0
    var waits: UInt64 = 0
    var time: ContinuousClock.Instant?
  }

  private var seen: [Int32: Seen] = [:]

  /// The costliest first.
  mutating func look() -> [ProcessFigures] {
    var all: [ProcessFigures] = []
    var still: [Int32: Seen] = [:]
    for pid in KernelFile.numbers(in: "/proc") where pid != getpid() {
      guard let start = ProcessProbe.startTime(pid: pid) else { continue }
      var process = seen[pid].flatMap { $0.startTicks == start ? $0 : nil } ?? first(pid, start)
      // It may have become another program meanwhile.
      if let name = RunningProcess.programName(pid: pid), name != process.name {
        process = first(pid, start)
      }
      if let figures = figures(of: pid, &process) { all.append(figures) }
      still[pid] = process
    }
    seen = still
    return all.sorted {
      ($1.cpuShare ?? 0, $1.footprintBytes, $0.pid) < ($0.cpuShare ?? 0, $0.footprintBytes, $1.pid)
    }
  }

  private func first(_ pid: Int32, _ start: UInt64) -> Seen {
    let isSwift = ProcessProbe.isSwift(pid: pid) == true
    return Seen(
      startTicks: start, name: RunningProcess.programName(pid: pid) ?? "",
      sampler: isSwift ? FootprintSampler(pid: pid, proportionalEvery: 0) : nil)
  }

  private func figures(of pid: Int32, _ process: inout Seen) -> ProcessFigures? {
    guard let sampler = process.sampler, let sample = sampler.sample() else { return nil }
    let now = ContinuousClock.now
    let cpu = sample.userTimeNs + sample.systemTimeNs
    let waits = ProcessProbe.voluntarySwitches(pid: pid)
    var figures = ProcessFigures(
      pid: pid, name: process.name, footprintBytes: sample.footprint,
      threads: Int(clamping: sample.threadCount))
    if let before = process.time {
      let parts = (now - before).components
      let seconds = max(Double(parts.seconds) + Double(parts.attoseconds) / 1e18, 1e-3)
      func rate(_ new: UInt64, _ old: UInt64) -> Double {
        new > old ? Double(new - old) / seconds : 0
      }
      figures.cpuShare = rate(cpu, process.cpu) / 1e9
      // Threads that ended take their counts with them.
      figures.wakeupsPerSecond = rate(waits, process.waits)
      figures.writtenPerSecond =
        sampler.readsTransfers ? rate(sample.storageWriteBytes, process.written) : nil
    }
    (process.cpu, process.written, process.waits, process.time) =
      (cpu, sample.storageWriteBytes, waits, now)
    return figures
  }
}
