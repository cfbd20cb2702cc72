/// Values by thread id: an array for the ids that Linux gives, a dictionary for all others that a file may claim.
struct TidTable<Value> {
  /// PID_MAX_LIMIT (include/linux/threads.h).
  private static var largest: Int32 { 1 << 22 }

  private var slots: ContiguousArray<Int32> = []
  private var others: [Int32: Int32] = [:]
  private var free: [Int32] = []
  /// By slot, so that a value is changed where it is.
  var values: ContiguousArray<Value?> = []

  /// Where the value of an id is in `values`; nil where there is none.
  @inline(__always)
  func slot(of tid: Int32) -> Int? {
    let place = Int(UInt32(bitPattern: tid))
    if place < slots.count {
      let slot = slots[place]
      return slot < 0 ? nil : Int(slot)
    }
    return others.isEmpty ? nil : others[tid].map { Int($0) }
  }

  subscript(tid: Int32) -> Value? {
    @inline(__always)
    get { slot(of: tid).flatMap { values[$0] } }
    set {
      if let slot = slot(of: tid) {
        values[slot] = newValue
        guard newValue == nil else { return }
        setSlot(of: tid, to: nil)
        free.append(Int32(truncatingIfNeeded: slot))
      } else if let newValue {
        if let reused = free.popLast() {
          values[Int(reused)] = newValue
          setSlot(of: tid, to: reused)
        } else {
          setSlot(of: tid, to: Int32(truncatingIfNeeded: values.count))
          values.append(newValue)
        }
      }
    }
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
    let old = values[slot].take()
    self[tid] = nil
    return old
  }

  /// All ids in use, ascending.
  var keys: [Int32] {
    let ordinary = slots.indices.compactMap { slots[$0] >= 0 ? Int32(truncatingIfNeeded: $0) : nil }
    return (others.keys + ordinary).sorted()
  }
}
