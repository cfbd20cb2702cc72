/// Values by thread id: an array for the ids that Linux gives, a dictionary for all others that a file may claim.
struct TidTable<Value> {
  /// PID_MAX_LIMIT (include/linux/threads.h).
  private static var largest: Int32 { 1 << 22 }

  private var slots: ContiguousArray<Int32> = []
  private var values: ContiguousArray<Value?> = []
  private var free: [Int32] = []
  private var others: [Int32: Value] = [:]

  subscript(tid: Int32) -> Value? {
    @inline(__always)
    get {
      let place = Int(UInt32(bitPattern: tid))
      if place < slots.count {
        let slot = slots[place]
        return slot < 0 ? nil : values[Int(slot)]
      }
      return others.isEmpty ? nil : others[tid]
    }
    set {
      guard tid >= 0, tid <= Self.largest else {
        others[tid] = newValue
        return
      }
      let place = Int(tid)
      if place >= slots.count {
        guard newValue != nil else { return }
        let size = Swift.max(place + 1, Swift.min(slots.count * 2, Int(Self.largest) + 1))
        slots.append(contentsOf: repeatElement(-1, count: size - slots.count))
      }
      let slot = slots[place]
      if let newValue {
        if slot >= 0 {
          values[Int(slot)] = newValue
        } else if let reused = free.popLast() {
          values[Int(reused)] = newValue
          slots[place] = reused
        } else {
          slots[place] = Int32(truncatingIfNeeded: values.count)
          values.append(newValue)
        }
      } else if slot >= 0 {
        values[Int(slot)] = nil
        slots[place] = -1
        free.append(slot)
      }
    }
  }

  mutating func removeValue(forKey tid: Int32) -> Value? {
    let old = self[tid]
    self[tid] = nil
    return old
  }

  /// All ids in use, ascending.
  var keys: [Int32] {
    let ordinary = slots.indices.compactMap { slots[$0] >= 0 ? Int32(truncatingIfNeeded: $0) : nil }
    return (others.keys + ordinary).sorted()
  }
}
