/// Values by thread id, or by another small number: an array for the ids that Linux gives, a dictionary for all others
/// that a file may claim.
struct TidTable<Value>: ~Copyable {
  /// PID_MAX_LIMIT (include/linux/threads.h).
  private static var largest: Int32 { 1 << 22 }

  private var slots: ContiguousArray<Int32> = []
  private var others: [Int32: Int32] = [:]
  private var free: [Int32] = []
  /// By slot; changed where they are, since each event changes one.
  private var base: UnsafeMutablePointer<Value>
  /// By slot; nil for those that are free.
  private var tids: [Int32?] = []
  private var capacity = 16

  init() { base = .allocate(capacity: capacity) }

  deinit {
    for slot in tids.indices where tids[slot] != nil { (base + slot).deinitialize(count: 1) }
    base.deallocate()
  }

  @inline(__always)
  private func slot(of tid: Int32) -> Int? {
    let place = Int(UInt32(bitPattern: tid))
    if place < slots.count {
      let slot = slots[place]
      return slot < 0 ? nil : Int(slot)
    }
    return others.isEmpty ? nil : others[tid].map { Int($0) }
  }

  /// Where the value of an id is, until another is added or removed; nil where there is none.
  @inline(__always)
  func place(of tid: Int32) -> UnsafeMutablePointer<Value>? {
    slot(of: tid).map { base + $0 }
  }

  /// Adds the value of an id that has none.
  mutating func insert(_ value: Value, for tid: Int32) {
    precondition(slot(of: tid) == nil)
    let slot = free.popLast() ?? Int32(truncatingIfNeeded: tids.count)
    if slot == tids.count {
      if tids.count == capacity { grow() }
      tids.append(nil)
    }
    (base + Int(slot)).initialize(to: value)
    tids[Int(slot)] = tid
    setSlot(of: tid, to: slot)
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Value>.allocate(capacity: 2 * capacity)
    for slot in tids.indices where tids[slot] != nil {
      (larger + slot).moveInitialize(from: base + slot, count: 1)
    }
    base.deallocate()
    base = larger
    capacity *= 2
  }

  private mutating func setSlot(of tid: Int32, to slot: Int32?) {
    guard tid >= 0, tid <= Self.largest else {
      others[tid] = slot
      return
    }
    let place = Int(tid)
    if place >= slots.count {
      let size = Swift.max(place + 1, Swift.min(slots.count * 2, Int(Self.largest) + 1))
      slots.append(contentsOf: repeatElement(-1, count: size - slots.count))
    }
    slots[place] = slot ?? -1
  }

  mutating func removeValue(forKey tid: Int32) -> Value? {
    guard let slot = slot(of: tid) else { return nil }
    setSlot(of: tid, to: nil)
    tids[slot] = nil
    free.append(Int32(truncatingIfNeeded: slot))
    return (base + slot).move()
  }

  /// All ids in use, ascending.
  var keys: [Int32] { tids.compactMap(\.self).sorted() }
}
