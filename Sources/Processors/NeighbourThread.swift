import CProcessor

/// A thread that works beside the one that begins it.
///
/// The scheduler may put a new thread on the CPU of its beginner, where it waits for milliseconds while another CPU has
/// nothing to do. So it begins on another one, where it may, and can go anywhere from there.
public final class NeighbourThread: Sendable {
  /// A bit for each CPU, of as many as Linux can have (CONFIG_NR_CPUS is 8192 at most).
  private typealias Mask = [UInt64]
  private static let maskWords = 8192 / 64
  private static let maskBytes = maskWords * MemoryLayout<UInt64>.stride

  private let body: @Sendable () -> Void
  /// Where it may be; nil where its beginner may be on one CPU only.
  private let allowed: Mask?

  private init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
    var mask = Mask(repeating: 0, count: Self.maskWords)
    let isKnown = lull_allowed_cpus(0, &mask, Self.maskBytes)
    allowed = isKnown && mask.reduce(0) { $0 + $1.nonzeroBitCount } > 1 ? mask : nil
  }

  /// Begins a thread, which ends with its work; false where there is none to be had.
  @discardableResult
  public static func begin(_ body: @escaping @Sendable () -> Void) -> Bool {
    let thread = NeighbourThread(body)
    let mask = thread.allowed.map { without(lull_this_cpu(), $0) }
    let context = Unmanaged.passRetained(thread)
    let begins = lull_begin_thread(
      { context in
        if let context { Unmanaged<NeighbourThread>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque(), mask, maskBytes)
    if !begins { context.release() }
    return begins
  }

  private func run() {
    if let allowed { _ = lull_allow_cpus(0, allowed, Self.maskBytes) }
    body()
  }

  /// The same set of CPUs but one.
  private static func without(_ cpu: Int32, _ mask: Mask) -> Mask {
    guard cpu >= 0, cpu < maskWords * 64 else { return mask }
    var others = mask
    others[Int(cpu) / 64] &= ~(1 << UInt64(cpu % 64))
    return others
  }
}
