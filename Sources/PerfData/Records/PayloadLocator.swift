/// Where the raw payload and the user registers are in the samples of one attribute, so that a tracepoint's fields are read without
/// decoding the rest.
struct PayloadLocator {
  /// Bytes from the body's start to the counter values or what stands next; -1 where the attribute has no raw payload.
  private var fixed = 0
  private var period = -1
  private let fields: SampleFields
  private let isGroup: Bool
  private let readSize: Int
  private let readingSize: Int
  private let registerMask: UInt64

  init(_ attribute: EventAttribute) {
    fields = attribute.sampleType
    registerMask = attribute.sampleRegsUser
    let order: [SampleFields] = [
      .identifier, .instructionPointer, .tid, .time, .address, .id, .streamID, .cpu, .period,
    ]
    for field in order where fields.contains(field) {
      if field == .period { period = fixed }
      fixed += 8
    }
    let format = ReadFormat(rawValue: attribute.readFormat)
    isGroup = format.contains(.group)
    let times = [ReadFormat.timeEnabled, .timeRunning].count(where: format.contains)
    let extras = [ReadFormat.id, .lost].count(where: format.contains)
    readingSize = 8 * (1 + extras)
    readSize = isGroup ? 8 * (1 + times) : 8 * times + readingSize
  }

  /// Bytes from a record's start to its raw payload's size, where that is the same in all samples of the attribute.
  var fixedPayload: Int? {
    fields.contains(.raw) && fields.isDisjoint(with: [.read, .callchain]) ? 8 + fixed : nil
  }

  /// The period of a sample whose body is `body`.
  func period(_ bytes: UnsafeRawBufferPointer, _ body: Range<Int>) -> UInt64? {
    guard period >= 0, period + 8 <= body.count else { return nil }
    return bytes.loadUnaligned(fromByteOffset: body.lowerBound + period, as: UInt64.self)
  }

  /// The raw payload's range; nil where there is none or the sample is too short for it.
  @inline(__always)
  func payload(_ bytes: UnsafeRawBufferPointer, _ body: Range<Int>) -> Range<Int>? {
    guard fields.contains(.raw) else { return nil }
    var position = body.lowerBound &+ fixed
    if !fields.isDisjoint(with: [.read, .callchain]) {
      guard let past = pastVariable(bytes, position, body.upperBound) else { return nil }
      position = past
    }
    guard body.upperBound - position >= 4 else { return nil }
    let size = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    position += 4
    guard size <= body.upperBound - position else { return nil }
    return position..<position + size
  }

  private func pastVariable(
    _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int
  ) -> Int? {
    var position = start
    func count() -> Int? {
      guard end - position >= 8 else { return nil }
      let value = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      return value <= UInt64((end - position) / 8) ? Int(value) : nil
    }
    if fields.contains(.read) {
      var size = readSize
      if isGroup {
        guard let readings = count() else { return nil }
        size += readings * readingSize
      }
      guard size <= end - position else { return nil }
      position += size
    }
    if fields.contains(.callchain) {
      guard let addresses = count(), (addresses + 1) * 8 <= end - position else { return nil }
      position += (addresses + 1) * 8
    }
    return position
  }

  /// A user register by perf's number, where the registers follow the raw payload.
  func userRegister(
    _ number: Int, _ bytes: UnsafeRawBufferPointer, _ body: Range<Int>
  ) -> UInt64? {
    guard fields.contains(.userRegisters), !fields.contains(.branchStack), number >= 0,
      number < 64, registerMask & 1 << UInt64(number) != 0
    else { return nil }
    var position: Int
    if fields.contains(.raw) {
      guard let payload = payload(bytes, body) else { return nil }
      position = payload.upperBound
    } else {
      guard let past = pastVariable(bytes, body.lowerBound + fixed, body.upperBound) else {
        return nil
      }
      position = past
    }
    let rank = (registerMask & (1 << UInt64(number) - 1)).nonzeroBitCount
    guard body.upperBound - position >= 16 + 8 * rank,
      bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) != 0
    else { return nil }
    return bytes.loadUnaligned(fromByteOffset: position + 8 + 8 * rank, as: UInt64.self)
  }
}

extension PerfDataFile {
  /// The whole file, lent for as long as it is open.
  public var bytes: UnsafeRawBufferPointer { storage.bytes }

  /// Bytes from the start of a sample of this attribute to its raw payload's size; nil where they differ, or there is none.
  public func fixedPayload(ofAttribute index: Int) -> Int? { locators[index].fixedPayload }

  /// A sample's raw payload, lent for as long as the file is open; nil where it has none or is too short for it.
  public func payload(of record: RecordEntry) -> UnsafeRawBufferPointer? {
    guard let body = sampleBody(of: record),
      let range = locators[Int(record.attribute)].payload(storage.bytes, body)
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: storage.bytes[range])
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
