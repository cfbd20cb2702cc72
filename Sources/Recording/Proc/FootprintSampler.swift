import Glibc
import PerfData

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
  private var calls = 0
  private var lastProportional: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: 8192)
  private var last: FootprintSample?

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
    transfers = OwnedDescriptor(opening: "/proc/\(pid)/io")
    rollup =
      proportionalEvery > 0 ? OwnedDescriptor(opening: "/proc/\(pid)/smaps_rollup") : nil
    // Permission is checked again at each read, so only a read tells.
    readsTransfers = transfers?.readAgain(into: &buffer) != nil
    readsProportional = rollup?.readAgain(into: &buffer) != nil
  }

  /// Takes one sample; nil when the process is gone or only waits to be reaped.
  package func sample() -> FootprintSample? {
    guard var result = readStatus() ?? readStatusOfOthers(), readStatistics(into: &result) else {
      return nil
    }
    if proportionalEvery > 0, calls % proportionalEvery == 0, readsProportional,
      let rollup, let count = rollup.readAgain(into: &buffer)
    {
      lastProportional = ProcFields.kilobytes("Pss:", in: buffer[..<count]) ?? lastProportional
    }
    calls &+= 1
    result.proportional = lastProportional
    if readsTransfers, let count = transfers?.readAgain(into: &buffer) {
      result.takeTransfers(buffer[..<count])
    }
    last = result
    return result
  }

  /// What a process that waits to be reaped used in all, with the memory that it was last seen to hold; nil where it
  /// was never seen, or is gone.
  package func sampleAtEnd() -> FootprintSample? {
    guard var result = last, readsTransfers, readStatistics(into: &result),
      let count = transfers?.readAgain(into: &buffer)
    else { return nil }
    // Its threads are gone, but this is of the process as it was.
    result.threadCount = last?.threadCount ?? result.threadCount
    result.takeTransfers(buffer[..<count])
    return result
  }

  private func readStatus() -> FootprintSample? {
    guard let count = status.readAgain(into: &buffer) else { return nil }
    return FootprintSample(status: buffer[..<count])
  }

  private func readStatusOfOthers() -> FootprintSample? {
    for tid in ProcessProbe.threadIDs(pid: pid) where tid != pid {
      let folder = "/proc/\(pid)/task/\(tid)"
      guard let other = OwnedDescriptor(opening: "\(folder)/status") else { continue }
      status = other
      if rollup != nil { rollup = OwnedDescriptor(opening: "\(folder)/smaps_rollup") }
      if let sample = readStatus() { return sample }
    }
    return nil
  }

  private func readStatistics(into sample: inout FootprintSample) -> Bool {
    guard let count = statistics.readAgain(into: &buffer) else { return false }
    return sample.takeStatistics(buffer[..<count])
  }
}
