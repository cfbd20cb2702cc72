import Synchronization

/// Gathers wakeups, some thousands at a time, and packs them into a log, or has a core do it that has time.
struct WakeupPacker: ~Copyable {
  /// What packs them, to be called by another core too.
  let packing = WakeupPacking()
  private var block = WakeupBlock()

  @inline(__always)
  mutating func append(_ wakeup: Wakeup) {
    (block.base + block.count).initialize(to: wakeup)
    block.count &+= 1
    if block.count == WakeupBlock.capacity { pass() }
  }

  @inline(never)
  private mutating func pass() { block = packing.pass(block) }

  /// All wakeups; none is added afterwards.
  mutating func finish() -> WakeupLog {
    pass()
    return packing.finish()
  }
}

/// Wakeups on their way to the log.
final class WakeupBlock: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: one core at a time has the block.
  static let capacity = 2048

  fileprivate let base: UnsafeMutablePointer<Wakeup>
  fileprivate var count = 0

  init() { base = .allocate(capacity: Self.capacity) }

  deinit { base.deallocate() }
}

/// The log, and the blocks on their way to it and back.
final class WakeupPacking: Sendable {
  /// With more waiting whoever brings another packs one.
  private static let mostWaiting = 8

  private struct Blocks {
    var waiting: [WakeupBlock] = []
    /// Those that were packed, for what comes next.
    var empty: [WakeupBlock] = []
  }

  private let blocks = Mutex(Blocks())
  /// Held by who packs, so that blocks are packed in order.
  private let log = Mutex(WakeupLog())

  /// Takes in a block and gives an empty one.
  fileprivate func pass(_ block: WakeupBlock) -> WakeupBlock {
    let isBehind = blocks.withLock {
      $0.waiting.append(block)
      return $0.waiting.count > Self.mostWaiting
    }
    if isBehind { _ = pack() }
    return blocks.withLock { $0.empty.popLast() } ?? WakeupBlock()
  }

  /// Packs the block that has waited longest; false where there is none.
  @Sendable func pack() -> Bool { log.withLock { packNext(&$0) } }

  private func packNext(_ log: inout WakeupLog) -> Bool {
    guard let block = blocks.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() })
    else { return false }
    log.append(contentsOf: UnsafeBufferPointer(start: block.base, count: block.count))
    block.count = 0
    blocks.withLock { $0.empty.append(block) }
    return true
  }

  /// The log of all that was taken in.
  fileprivate func finish() -> WakeupLog {
    log.withLock {
      while packNext(&$0) {}
      return exchange(&$0, with: WakeupLog())
    }
  }
}
