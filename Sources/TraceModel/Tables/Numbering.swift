/// Values that come again and again, each kept once and known by a number.
struct Numbering<Value: Hashable & Sendable>: Sendable {
  private(set) var values: ContiguousArray<Value> = []
  /// The numbers by their values' hashes, from each hash's place on; -1 where there is none. A dictionary would keep
  /// the values again.
  private var numbers = ContiguousArray<Int32>(repeating: -1, count: 16)
  /// The number of the last value of each place that a hint may have.
  private var recent = ContiguousArray<Int32>(repeating: -1, count: 1 << 10)
  private var shift: UInt64 = 64 - 10
  /// As many places as a core's own cache holds with ease.
  private static var mostPlaces: Int { 1 << 16 }

  /// The number of a value; values with other hints are other values.
  @inline(__always)
  mutating func number(of value: Value, hint: Int) -> Int {
    let guess = Int(recent[place(of: hint)])
    if guess >= 0, holds(value, at: guess) { return guess }
    return find(value, hint)
  }

  /// Compares a value where it stands: the subscript would copy it for that, with all that it refers to.
  @inline(__always)
  private func holds(_ value: Value, at number: Int) -> Bool {
    values.withUnsafeBufferPointer { $0[number] == value }
  }

  /// Fibonacci hashing (Knuth, The Art of Computer Programming 6.4): neighbours are spread.
  @inline(__always)
  private func place(of hint: Int) -> Int {
    Int((UInt64(bitPattern: Int64(hint)) &* 0x9e37_79b9_7f4a_7c15) &>> shift)
  }

  @inline(never)
  private mutating func find(_ value: Value, _ hint: Int) -> Int {
    var slot = slot(of: value)
    if numbers[slot] < 0 {
      if values.count * 2 >= numbers.count {
        growNumbers()
        slot = self.slot(of: value)
      }
      numbers[slot] = Int32(truncatingIfNeeded: values.count)
      values.append(value)
      if values.count * 4 > recent.count, recent.count < Self.mostPlaces {
        recent = ContiguousArray(repeating: -1, count: recent.count * 4)
        shift -= 2
      }
    }
    recent[place(of: hint)] = numbers[slot]
    return Int(numbers[slot])
  }

  /// Where the number of a value is, or is to be.
  private func slot(of value: Value) -> Int {
    var slot = value.hashValue & (numbers.count - 1)
    while numbers[slot] >= 0, !holds(value, at: Int(numbers[slot])) {
      slot = (slot + 1) & (numbers.count - 1)
    }
    return slot
  }

  private mutating func growNumbers() {
    numbers = ContiguousArray(repeating: -1, count: 2 * numbers.count)
    for (number, value) in values.enumerated() {
      numbers[slot(of: value)] = Int32(truncatingIfNeeded: number)
    }
  }
}
