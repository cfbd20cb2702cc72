// A trace has thousands of stack events, and a JSON library takes longer for them than all else does.

extension StackEvent {
  /// The same JSON as a library's, with its keys in order.
  public func encoded() throws(PerfDataError) -> [UInt8] {
    func list(_ numbers: [Int]) -> String {
      "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }
    let keys = keys.map { ",\"keys\":" + list($0) } ?? ""
    let later = later.map { ",\"later\":" + list($0) } ?? ""
    let samples = keys + later
    return Array(
      "{\"complete\":\(complete),\"frames\":\(list(frames))\(samples),\"tid\":\(tid),\"time\":\(time)}"
        .utf8)
  }

  /// Reads the payload as `encoded()` writes it; nil where it is JSON of another form, or none.
  public init?(scanning payload: UnsafeRawBufferPointer) {
    var scanner = PayloadScanner(bytes: payload)
    guard scanner.skip("{\"complete\":") else { return nil }
    let complete = scanner.skip("true")
    guard complete || scanner.skip("false"), scanner.skip(",\"frames\":["),
      let frames = scanner.numbers(), scanner.skip("]")
    else { return nil }
    var keys: [Int]?
    if scanner.skip(",\"keys\":[") {
      keys = scanner.numbers()
      guard keys != nil, scanner.skip("]") else { return nil }
    }
    var later: [Int]?
    if scanner.skip(",\"later\":[") {
      later = scanner.numbers()
      guard later != nil, scanner.skip("]") else { return nil }
    }
    guard scanner.skip(",\"tid\":"), let tid = scanner.number(), scanner.skip(",\"time\":"),
      let time = scanner.number(), time >= 0, scanner.skip("}"), scanner.isAtPadding
    else { return nil }
    self.init(
      time: UInt64(time), tid: tid, frames: frames, complete: complete, later: later, keys: keys)
  }
}

/// Goes through the bytes of a payload, from left to right.
private struct PayloadScanner {
  let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  /// Nothing follows but what `RecordBuilder` fills up with.
  var isAtPadding: Bool { bytes[place...].allSatisfy { $0 == 0x20 || $0 == 0 } }

  /// Steps over a text if it comes next.
  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - place >= count,
      (0..<count).allSatisfy({ text.utf8Start[$0] == bytes[place + $0] })
    else { return false }
    place += count
    return true
  }

  /// A whole number that is the next thing; nil where it is no such or does not fit.
  mutating func number() -> Int? {
    let isNegative = skip("-")
    var digits = 0
    var value = 0
    while let byte = next, byte >= 0x30, byte <= 0x39 {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(byte - 0x30))
      if overflow || carry { return nil }
      value = sum
      digits += 1
      place += 1
    }
    return digits > 0 ? isNegative ? -value : value : nil
  }

  /// Numbers with commas between them, perhaps none.
  mutating func numbers() -> [Int]? {
    var numbers: [Int] = []
    if next == 0x5d { return numbers }
    repeat {
      guard let number = number() else { return nil }
      numbers.append(number)
    } while skip(",")
    return numbers
  }
}
