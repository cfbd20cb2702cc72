/// Values that come again and again, each kept once and known by a number.
struct Numbering<Value: Hashable & Sendable>: Sendable {
  private(set) var values: ContiguousArray<Value> = []
  private var numbers: [Value: Int] = [:]
  /// The number of the last value with each low hint.
  private var recent = ContiguousArray<Int32>(repeating: -1, count: 1024)

  /// The number of a value; values with other hints are other values.
  @inline(__always)
  mutating func number(of value: Value, hint: Int) -> Int {
    let guess = Int(recent[hint & 1023])
    if guess >= 0, values[guess] == value { return guess }
    return find(value, hint)
  }

  @inline(never)
  private mutating func find(_ value: Value, _ hint: Int) -> Int {
    let number = numbers[value] ?? values.count
    if number == values.count {
      numbers[value] = number
      values.append(value)
    }
    recent[hint & 1023] = Int32(truncatingIfNeeded: number)
    return number
  }
}
