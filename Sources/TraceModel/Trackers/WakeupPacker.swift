import Dispatch
import Synchronization

/// Packs wakeups into a log on another core, some thousands at a time, while the trace is read on.
struct WakeupPacker: ~Copyable {
  private var block = WakeupBlock()
  private var packing: WakeupPacking?

  @inline(__always)
  mutating func append(_ wakeup: Wakeup) {
    (block.base + block.count).initialize(to: wakeup)
    block.count &+= 1
    if block.count == WakeupBlock.capacity { pass() }
  }

  @inline(never)
  private mutating func pass() {
    let packing = packing ?? WakeupPacking()
    self.packing = packing
    block = packing.pass(block)
  }

  /// All wakeups; none is added afterwards.
  mutating func finish() -> WakeupLog {
    guard let packing else { return WakeupLog(block.wakeups) }
    return packing.finish(block)
  }
}

/// Wakeups on their way to where they are packed.
private final class WakeupBlock: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: one core at a time has the block.
  static let capacity = 8192

  let base: UnsafeMutablePointer<Wakeup>
  var count = 0

  init() { base = .allocate(capacity: Self.capacity) }

  deinit { base.deallocate() }

  var wakeups: UnsafeBufferPointer<Wakeup> { UnsafeBufferPointer(start: base, count: count) }
}

/// The log that is being packed, and the blocks on their way to it and back.
private final class WakeupPacking: Sendable {
  private let queue = DispatchQueue(label: "lull.wakeups", qos: .userInitiated)
  /// Blocks that may wait.
  private let room = DispatchSemaphore(value: 8)
  private let log = Mutex(WakeupLog())
  /// Blocks that were packed, for what comes next.
  private let packed = Mutex<[WakeupBlock]>([])

  /// Takes in a full block and gives an empty one.
  func pass(_ block: WakeupBlock) -> WakeupBlock {
    room.wait()
    queue.async { [self] in
      log.withLock { $0.append(contentsOf: block.wakeups) }
      block.count = 0
      packed.withLock { $0.append(block) }
      room.signal()
    }
    return packed.withLock { $0.popLast() } ?? WakeupBlock()
  }

  /// All wakeups, those of the last block behind.
  func finish(_ block: WakeupBlock) -> WakeupLog {
    queue.sync {
      log.withLock {
        $0.append(contentsOf: block.wakeups)
        return exchange(&$0, with: WakeupLog())
      }
    }
  }
}
