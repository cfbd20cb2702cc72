/// The records of stacks that threads wait with, as far as threads go back to them.
struct KernelStacksTold {
  private struct Thread {
    var stacks: [UInt64: [UInt8]] = [:]
    var last: UInt64 = 0
  }

  private var threads = RecentTable<Int32, Thread>(most: 512)
  /// The programs go back to no more of each thread, and to none that is older than five seconds.
  private static let most = 64

  mutating func add(_ record: [UInt8], of tid: Int32, at time: UInt64) {
    var thread = threads[tid] ?? Thread()
    if thread.stacks.count >= Self.most, let oldest = thread.stacks.keys.min() {
      thread.stacks[oldest] = nil
    }
    thread.stacks[time] = record
    thread.last = time
    threads[tid] = thread
  }

  mutating func goesBack(_ tid: Int32, to time: UInt64) { threads[tid]?.last = time }

  func last(of tid: Int32) -> [UInt8]? { threads[tid].flatMap { $0.stacks[$0.last] } }
}
