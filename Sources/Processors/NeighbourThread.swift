import CProcessor

/// A thread that works beside the one that begins it, on another CPU.
///
/// The scheduler may put a thread that is begun or woken on the CPU of the one that does it, where both take turns for milliseconds
/// while another CPU has nothing to do. So each is kept off the other's CPU. Where threads may be on one CPU only, or the kernel
/// refuses, they are anywhere.
public final class NeighbourThread: Sendable {
  /// A bit for each CPU, of as many as Linux can have (CONFIG_NR_CPUS is 8192 at most).
  private typealias Mask = [UInt64]
  private static let maskWords = 8192 / 64
  private static let maskBytes = maskWords * MemoryLayout<UInt64>.stride

  /// Where the process's threads may be, as it began; nil where that is one CPU.
  private static let allowed: Mask? = {
    var mask = Mask(repeating: 0, count: maskWords)
    guard lull_allowed_cpus(0, &mask, maskBytes),
      mask.reduce(0, { $0 + $1.nonzeroBitCount }) > 1
    else { return nil }
    return mask
  }()

  private let beginner = lull_this_thread()
  private let body: @Sendable () -> Void

  private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Begins a thread, which ends with its work; false where there is none to be had.
  @discardableResult
  public static func begin(_ body: @escaping @Sendable () -> Void) -> Bool {
    let mask = allowed.map { without(lull_this_cpu(), $0) }
    let thread = Unmanaged.passRetained(NeighbourThread(body))
    let begins = lull_begin_thread(
      { context in
        if let context { Unmanaged<NeighbourThread>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, thread.toOpaque(), mask, maskBytes)
    if !begins { thread.release() }
    return begins
  }

  private func run() {
    guard let allowed = Self.allowed else { return body() }
    _ = lull_allow_cpus(beginner, Self.without(lull_this_cpu(), allowed), Self.maskBytes)
    body()
    _ = lull_allow_cpus(beginner, allowed, Self.maskBytes)
  }

  /// The same set of CPUs but one.
  private static func without(_ cpu: Int32, _ mask: Mask) -> Mask {
    guard cpu >= 0, cpu < maskWords * 64 else { return mask }
    var others = mask
    others[Int(cpu) / 64] &= ~(1 << UInt64(cpu % 64))
    return others
  }
}
