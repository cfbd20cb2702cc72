import PerfData

/// Where a sample record holds the parts that redaction changes.
struct SampleLayout {
  /// The raw payload without its length.
  var raw: Range<Int>?
  /// The user stack with its lengths: size, bytes, used size.
  var stack: Range<Int>?

  /// Walks the fields in the order in which the kernel writes them; nil for a malformed record.
  init?(_ record: [UInt8], attribute: EventAttribute) {
    let fields = attribute.sampleType
    var at = 8
    let words: [SampleFields] = [
      .identifier, .instructionPointer, .tid, .time, .address, .id, .streamID, .cpu, .period,
    ]
    for word in words where fields.contains(word) { at += 8 }
    if fields.contains(.read) {
      guard let size = Self.readSize(record, at, format: attribute.readFormat) else { return nil }
      at += size
    }
    if fields.contains(.callchain) {
      guard let count = Self.count(record, at, of: 8) else { return nil }
      at += 8 + count * 8
    }
    if fields.contains(.raw) {
      guard let size = Bytes.u32(record, at), at + 4 + Int(size) <= record.count else {
        return nil
      }
      raw = at + 4..<at + 4 + Int(size)
      at += 4 + Int(size)
    }
    if fields.contains(.branchStack) {
      guard let count = Self.count(record, at, of: 24) else { return nil }
      at += 8 + count * 24
      if attribute.branchSampleType & (1 << 17) != 0 { at += 8 }
      if attribute.branchSampleType & (1 << 19) != 0 { at += count * 8 }
    }
    if fields.contains(.userRegisters) {
      guard let abi = Bytes.u64(record, at) else { return nil }
      at += 8 + (abi == 0 ? 0 : attribute.sampleRegsUser.nonzeroBitCount * 8)
    }
    if fields.contains(.userStack) {
      guard let size = Self.count(record, at, of: 1) else { return nil }
      let length = size == 0 ? 8 : 8 + size + 8
      guard at + length <= record.count else { return nil }
      stack = at..<at + length
    }
  }

  private static func count(_ record: [UInt8], _ at: Int, of size: Int) -> Int? {
    guard let value = Bytes.u64(record, at), value <= UInt64(record.count / size) else {
      return nil
    }
    return Int(value)
  }

  /// Bytes of a PERF_SAMPLE_READ field.
  private static func readSize(_ record: [UInt8], _ at: Int, format: UInt64) -> Int? {
    let isGroup = format & 8 != 0
    let times = (format & 1 != 0 ? 8 : 0) + (format & 2 != 0 ? 8 : 0)
    let each = 8 + (format & 4 != 0 ? 8 : 0) + (format & 16 != 0 ? 8 : 0)
    guard isGroup else { return each + times }
    guard let count = count(record, at, of: each) else { return nil }
    return 8 + times + count * each
  }
}

/// Little-endian integers in bytes.
enum Bytes {
  static func u32(_ bytes: [UInt8], _ at: Int) -> UInt32? {
    guard at >= 0, at + 4 <= bytes.count else { return nil }
    return (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }
  }

  static func u64(_ bytes: [UInt8], _ at: Int) -> UInt64? {
    guard at >= 0, at + 8 <= bytes.count else { return nil }
    return (0..<8).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
  }

  static func put(_ value: UInt32, in bytes: inout [UInt8], at: Int) {
    for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }

  static func put(_ value: UInt64, in bytes: inout [UInt8], at: Int) {
    for index in 0..<8 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }
}
