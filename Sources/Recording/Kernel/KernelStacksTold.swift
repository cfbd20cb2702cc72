import PerfData

/// The records of stacks, as far as threads go back to them: with those of waits threads wait again.
struct KernelStacksTold {
  private struct Thread {
    var stacks: [UInt64: [UInt8]] = [:]
    var last: UInt64 = 0
  }

  private var threads = RecentTable<Int32, Thread>(most: 512)
  /// The programs go back to no more of each thread, and to none that is older than five seconds.
  private static let most = 64

  /// When the present part of the recording began; no stack from before is in it.
  private var partBegan: UInt64 = 0
  /// The stacks from before that are told in it by now, the last of each thread.
  private var toldAgain: [Int32: UInt64] = [:]
  private let places = SamplePlaces(.base)

  mutating func beginPart(at time: UInt64) {
    partBegan = time
    toldAgain = [:]
  }

  mutating func add(_ record: [UInt8], of tid: Int32, at time: UInt64, isOfWait: Bool) {
    var thread = threads[tid] ?? Thread()
    if thread.stacks.count >= Self.most, let oldest = thread.stacks.keys.min() {
      thread.stacks[oldest] = nil
    }
    thread.stacks[time] = record
    if isOfWait {
      thread.last = time
      toldAgain[tid] = nil
    }
    threads[tid] = thread
  }

  mutating func goesBack(_ tid: Int32, to time: UInt64) { threads[tid]?.last = time }

  func last(of tid: Int32) -> [UInt8]? { threads[tid].flatMap { $0.stacks[$0.last] } }

  /// The record of a stack from before the present part with which a thread waits again, or calls, as one of that
  /// moment; nil where it is in this part. The programs go back to such stacks until they hear of the part.
  mutating func again(_ tid: Int32, told stack: UInt64, at time: UInt64, isOfWait: Bool) -> [UInt8]?
  {
    guard stack > 0, stack <= partBegan, time > partBegan else { return nil }
    if isOfWait {
      guard toldAgain[tid] != stack else { return nil }
      toldAgain[tid] = stack
    }
    guard var record = threads[tid]?.stacks[stack] else { return nil }
    record.withUnsafeMutableBytes {
      $0.storeBytes(of: time, toByteOffset: Int(places.time), as: UInt64.self)
    }
    return record
  }
}
