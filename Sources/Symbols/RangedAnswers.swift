/// An answer about one address, with the addresses around it that it holds for as well.
struct Ranged<Value> {
  var range: ClosedRange<UInt64>
  var value: Value
}

/// What was answered about addresses, each for all that it holds for: most of what is asked lies in the same functions.
struct RangedAnswers<Value> {
  /// By page, so that a new one moves no more than what lies beside it.
  private var pages: [UInt64: [Ranged<Value>]] = [:]
  private(set) var count = 0

  private static var pageBits: UInt64 { 12 }

  func find(_ address: UInt64) -> Value? {
    pages[address >> Self.pageBits]?.first { $0.range.contains(address) }?.value
  }

  /// Takes in what was found at an address, in whose page it counts from here on.
  mutating func insert(_ found: Ranged<Value>, at address: UInt64) {
    let page = address >> Self.pageBits
    let first = page << Self.pageBits
    let inPage = first...(first | (1 << Self.pageBits - 1))
    pages[page, default: []].append(
      Ranged(range: found.range.clamped(to: inPage), value: found.value))
    count += 1
  }

  var all: some Sequence<Ranged<Value>> { pages.values.lazy.joined() }
}

extension RangedAnswers {
  /// As they are kept.
  func write(to writer: inout WireWriter, _ put: (Value, inout WireWriter) -> Void) {
    writer.put(UInt64(count))
    for answer in all { answer.write(to: &writer, put) }
  }

  init(
    from reader: inout WireReader, _ value: (inout WireReader) throws(WireError) -> Value
  ) throws(WireError) {
    for _ in 0..<(try reader.count(of: Ranged<Value>.smallest)) {
      let answer = try Ranged(from: &reader, value)
      insert(answer, at: answer.range.lowerBound)
    }
  }
}

extension Ranged {
  /// What one takes at least as it is sent.
  fileprivate static var smallest: Int { 17 }

  func write(to writer: inout WireWriter, _ put: (Value, inout WireWriter) -> Void) {
    writer.put(range.lowerBound)
    writer.put(range.upperBound)
    put(value, &writer)
  }

  init(
    from reader: inout WireReader, _ value: (inout WireReader) throws(WireError) -> Value
  ) throws(WireError) {
    let (first, last) = (try reader.number(UInt64.self), try reader.number(UInt64.self))
    guard first <= last else { throw WireError() }
    range = first...last
    self.value = try value(&reader)
  }
}
