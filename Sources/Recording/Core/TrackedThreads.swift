/// The thread ids that belong to the recording: one bit for each id that the kernel can give.
///
/// The drain asks this for every scheduler event of the machine, so it is a bitmap and no set.
struct TrackedThreads: ~Copyable {
  private let words: UnsafeMutablePointer<UInt64>
  private let limit: Int
  /// How many ids are in it.
  private(set) var count = 0

  /// PID_MAX_LIMIT of 64-bit kernels, for where /proc does not tell.
  static let largestPossible = 1 << 22

  init(limit: Int = KernelFile.integer("/proc/sys/kernel/pid_max") ?? largestPossible) {
    self.limit = max(1024, min(limit, Self.largestPossible) + 1)
    let size = (self.limit + 63) / 64
    words = .allocate(capacity: size)
    words.initialize(repeating: 0, count: size)
  }

  deinit { words.deallocate() }

  @inline(__always)
  func contains(_ tid: Int32) -> Bool {
    let index = Int(tid)
    guard index > 0, index < limit else { return false }
    return words[index >> 6] & (1 << UInt64(index & 63)) != 0
  }

  /// Adds an id; false when it was there.
  @discardableResult
  mutating func insert(_ tid: Int32) -> Bool {
    let index = Int(tid)
    guard index > 0, index < limit, !contains(tid) else { return false }
    words[index >> 6] |= 1 << UInt64(index & 63)
    count += 1
    return true
  }

  mutating func remove(_ tid: Int32) {
    guard contains(tid) else { return }
    words[Int(tid) >> 6] &= ~(1 << UInt64(Int(tid) & 63))
    count -= 1
  }
}
