/// Where the raw payload and the user registers are in the samples of one attribute, so that a tracepoint's fields are
/// read without decoding the rest.
struct PayloadLocator {
  let layout: SampleLayout
  /// Bytes from the body's start to what does not have one size in all samples.
  private let fixed: Int
  private let period: Int
  /// Bytes from a record's start to its raw payload's size, where that is the same in all samples of the attribute.
  let fixedPayload: Int?

  init(_ attribute: EventAttribute) {
    layout = SampleLayout(attribute)
    let offsets = SampleOffsets(samplesOf: layout)
    fixed = offsets.size
    period = offsets[.period] ?? -1
    fixedPayload = offsets.next == .rawSize ? 8 + fixed : nil
  }

  /// The period of a sample whose body is `body`.
  func period(_ bytes: ByteView, _ body: Range<Int>) -> UInt64? {
    guard period >= 0, period + 8 <= body.count else { return nil }
    return bytes.load(UInt64.self, at: body.lowerBound + period)
  }

  /// The raw payload's range; nil where there is none or the sample is too short for it.
  @inline(__always)
  func payload(_ bytes: ByteView, _ body: Range<Int>) -> Range<Int>? {
    guard layout.fields.contains(.raw) else { return nil }
    return ranges(bytes, body, until: .raw).raw
  }

  /// A user register by perf's number.
  func userRegister(
    _ number: Int, _ bytes: ByteView, _ body: Range<Int>
  ) -> UInt64? {
    guard layout.fields.contains(.userRegisters), number >= 0, number < 64,
      layout.userRegisters & 1 << UInt64(number) != 0,
      let registers = ranges(bytes, body, until: .userRegisters).userRegisters
    else { return nil }
    let rank = (layout.userRegisters & (1 << UInt64(number) - 1)).nonzeroBitCount
    return bytes.load(UInt64.self, at: registers.lowerBound + 8 * rank)
  }

  /// What was found up to that part, or up to where the sample is too short.
  @inline(__always)
  private func ranges(
    _ bytes: ByteView, _ body: Range<Int>, until last: SamplePart
  ) -> SampleRanges {
    var ranges = SampleRanges(
      bytes, from: body.lowerBound &+ fixed, to: body.upperBound, until: last)
    try? layout.walkVariable(&ranges)
    return ranges
  }
}

extension PerfDataFile {
  /// The whole file, lent for as long as it is open.
  public var bytes: UnsafeRawBufferPointer { storage.bytes.pointer }

  /// Bytes from the start of a sample of this attribute to its raw payload's size; nil where they differ, or there is
  /// none.
  public func fixedPayload(ofAttribute index: Int) -> Int? { locators[index].fixedPayload }

  /// A sample's raw payload, lent for as long as the file is open; nil where it has none or is too short for it.
  public func payload(of record: RecordEntry) -> UnsafeRawBufferPointer? {
    guard let body = sampleBody(of: record),
      let range = locators[Int(record.attribute)].payload(storage.bytes, body)
    else { return nil }
    return storage.bytes.view(range).pointer
  }

  /// How many events a sample stands for, where it says so.
  public func period(of record: RecordEntry) -> UInt64? {
    guard let body = sampleBody(of: record) else { return nil }
    return locators[Int(record.attribute)].period(storage.bytes, body)
  }

  /// A user register of a sample by perf's number; nil where the sample does not hold it.
  public func userRegister(_ number: Int, of record: RecordEntry) -> UInt64? {
    guard let body = sampleBody(of: record) else { return nil }
    return locators[Int(record.attribute)].userRegister(number, storage.bytes, body)
  }

  private func sampleBody(of record: RecordEntry) -> Range<Int>? {
    guard record.type == RecordType.sample, locators.indices.contains(Int(record.attribute)),
      let range = range(of: record)
    else { return nil }
    return range.lowerBound + 8..<range.upperBound
  }
}
