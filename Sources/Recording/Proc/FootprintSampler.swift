import Glibc
import PerfData

extension FootprintSample {
  /// Leaves out shared memory that the process holds for the recorder.
  mutating func leaveOut(shared held: UInt64) {
    let held = min(held, sharedMemory, resident)
    sharedMemory -= held
    resident -= held
    peakResident -= min(held, peakResident)
  }
}

/// Reads what a process holds in memory, and what it used, from /proc at little cost.
///
/// The files stay open and are read again in place: one sample is four short system calls. A process whose first thread
/// has ended has its memory still, but shows it with its other threads only.
package final class FootprintSampler {
  /// The process that is sampled.
  package let pid: Int32

  /// Whether the kernel lets us read the bytes that the process read and wrote.
  package let readsTransfers: Bool

  /// Whether the proportional share of shared pages can be read.
  package let readsProportional: Bool

  private var status: OwnedDescriptor
  private let statistics: OwnedDescriptor
  private let transfers: OwnedDescriptor?
  private var rollup: OwnedDescriptor?
  private let proportionalEvery: Int
  private let nanosecondsPerTick: UInt64
  private var calls = 0
  private var lastProportional: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: 8192)

  /// Opens the files of a process; nil when there is no such process.
  ///
  /// - Parameters:
  ///   - proportionalEvery: every how many samples the proportional size is read, which walks
  ///     the whole address space; 0 never reads it.
  package init?(pid: Int32, proportionalEvery: Int = 20) {
    guard let status = OwnedDescriptor(opening: "/proc/\(pid)/status"),
      let statistics = OwnedDescriptor(opening: "/proc/\(pid)/stat")
    else { return nil }
    self.pid = pid
    self.status = status
    self.statistics = statistics
    self.proportionalEvery = proportionalEvery
    let ticks = sysconf(Int32(_SC_CLK_TCK))
    nanosecondsPerTick = 1_000_000_000 / UInt64(ticks > 0 ? ticks : 100)
    transfers = OwnedDescriptor(opening: "/proc/\(pid)/io")
    rollup =
      proportionalEvery > 0 ? OwnedDescriptor(opening: "/proc/\(pid)/smaps_rollup") : nil
    // Permission is checked again at each read, so only a read tells.
    readsTransfers = transfers?.readAgain(into: &buffer) != nil
    readsProportional = rollup?.readAgain(into: &buffer) != nil
  }

  /// Takes one sample; nil when the process is gone or only waits to be reaped.
  package func sample() -> FootprintSample? {
    guard let sizes = readStatus() ?? readStatusOfOthers(), let use = readStatistics() else {
      return nil
    }
    if proportionalEvery > 0, calls % proportionalEvery == 0, readsProportional,
      let rollup, let count = rollup.readAgain(into: &buffer)
    {
      lastProportional = ProcFields.kilobytes("Pss:", in: buffer[..<count]) ?? lastProportional
    }
    calls &+= 1
    let io = readTransfers()
    var result = FootprintSample()
    result.anonymous = sizes.anonymous
    result.file = sizes.file
    result.sharedMemory = sizes.shared
    result.swapped = sizes.swapped
    result.resident = sizes.resident
    result.peakResident = sizes.peak
    result.proportional = lastProportional
    result.minorFaults = use.minorFaults
    result.majorFaults = use.majorFaults
    result.userTimeNs = use.userTime
    result.systemTimeNs = use.systemTime
    result.readChars = io[0]
    result.writtenChars = io[1]
    result.readCalls = io[2]
    result.writeCalls = io[3]
    result.storageReadBytes = io[4]
    result.storageWriteBytes = io[5]
    result.cancelledWriteBytes = io[6]
    result.threadCount = use.threads
    result.caughtSignals = sizes.caughtSignals
    return result
  }

  private struct Sizes {
    var anonymous: UInt64 = 0
    var file: UInt64 = 0
    var shared: UInt64 = 0
    var swapped: UInt64 = 0
    var resident: UInt64 = 0
    var peak: UInt64 = 0
    var caughtSignals: UInt64 = 0
  }

  private func readStatusOfOthers() -> Sizes? {
    for tid in ProcessProbe.threadIDs(pid: pid) where tid != pid {
      let folder = "/proc/\(pid)/task/\(tid)"
      guard let other = OwnedDescriptor(opening: "\(folder)/status") else { continue }
      status = other
      if rollup != nil { rollup = OwnedDescriptor(opening: "\(folder)/smaps_rollup") }
      if let sizes = readStatus() { return sizes }
    }
    return nil
  }

  private func readStatus() -> Sizes? {
    guard let count = status.readAgain(into: &buffer), count > 0 else { return nil }
    var sizes = Sizes()
    var hasMemory = false
    ProcFields.forEachLine(of: buffer[..<count]) { line in
      // All the wanted names begin with one of these letters: R, S, V.
      guard line.count > 6, let first = line.first, first == 82 || first == 83 || first == 86
      else { return }
      if let value = ProcFields.value("RssAnon:", in: line) {
        sizes.anonymous = value << 10
      } else if let value = ProcFields.value("RssFile:", in: line) {
        sizes.file = value << 10
      } else if let value = ProcFields.value("RssShmem:", in: line) {
        sizes.shared = value << 10
      } else if let value = ProcFields.value("VmSwap:", in: line) {
        sizes.swapped = value << 10
      } else if let value = ProcFields.value("VmRSS:", in: line) {
        sizes.resident = value << 10
        hasMemory = true
      } else if let value = ProcFields.value("VmHWM:", in: line) {
        sizes.peak = value << 10
      } else if let mask = ProcFields.mask("SigCgt:", in: line) {
        sizes.caughtSignals = mask | FootprintSample.signalsKnown
      }
    }
    return hasMemory ? sizes : nil
  }

  private struct Use {
    var minorFaults: UInt64
    var majorFaults: UInt64
    var userTime: UInt64
    var systemTime: UInt64
    var threads: UInt64
  }

  private func readStatistics() -> Use? {
    guard let count = statistics.readAgain(into: &buffer),
      let fields = ProcessStatistics(parsing: buffer[..<count])
    else { return nil }
    return Use(
      minorFaults: fields.minorFaults, majorFaults: fields.majorFaults,
      userTime: fields.userTicks &* nanosecondsPerTick,
      systemTime: fields.systemTicks &* nanosecondsPerTick, threads: fields.threads)
  }

  private static let transferNames: [StaticString] = [
    "rchar:", "wchar:", "syscr:", "syscw:", "read_bytes:", "write_bytes:",
    "cancelled_write_bytes:",
  ]

  private func readTransfers() -> [UInt64] {
    var values = [UInt64](repeating: 0, count: Self.transferNames.count)
    guard readsTransfers, let count = transfers?.readAgain(into: &buffer) else { return values }
    ProcFields.forEachLine(of: buffer[..<count]) { line in
      for (index, name) in Self.transferNames.enumerated() {
        if let value = ProcFields.value(name, in: line) {
          values[index] = value
          return
        }
      }
    }
    return values
  }
}
