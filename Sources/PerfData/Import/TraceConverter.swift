/// Writes the records of a compressed or big-endian trace anew, plain and little-endian.
final class TraceConverter {
  private let spill = SpillFile()
  private let isBigEndian: Bool
  private let swapper: RecordSwapper?
  /// Leaves out FINISHED_ROUND, where files of their own rounds are put one behind the other.
  private let dropsRounds: Bool
  private var stream: ZstdStream?
  /// Unpacked bytes that are no whole record yet.
  private var carry: [UInt8] = []
  private var problems: [String] = []

  init(
    attributes: [EventAttribute], decoder: FeatureDecoder, isBigEndian: Bool,
    dropsRounds: Bool = false
  ) {
    self.isBigEndian = isBigEndian
    self.dropsRounds = dropsRounds
    swapper =
      isBigEndian
      ? RecordSwapper(attributes: attributes, tracepoints: decoder.features.tracepoints) : nil
  }

  /// Adds the records of one data section or file, which has a compressed stream of its own.
  func convert(_ bytes: ByteView, _ range: Range<Int>) throws(PerfDataError) {
    stream = nil
    carry = []
    var offset = range.lowerBound
    while range.upperBound - offset >= 8 {
      let header = RecordHeader(bytes, at: offset, isBigEndian: isBigEndian)
      if header.isCompressed, let packed = packed(header, bytes, offset, range.upperBound) {
        try unpack(bytes.view(packed.payload), at: offset)
        offset = packed.next
        continue
      }
      let left = range.upperBound - offset
      guard header.isPlausible(left: left), !header.isCompressed else {
        // A record of a known kind that reaches beyond the end was cut: what it holds is no records.
        if RecordType.isKnown(header.type), header.size > left { break }
        guard let next = nextRecord(bytes, after: offset, until: range.upperBound) else { break }
        problems.append(
          "\(next - offset) bytes at offset 0x\(String(offset, radix: 16)) are no records")
        offset = next
        continue
      }
      guard
        let trailing = header.trailing(
          bytes, at: offset, until: range.upperBound, isBigEndian: isBigEndian)
      else { break }
      try emit(bytes.view(offset..<offset + header.size))
      offset += header.size + trailing
    }
    if offset < range.upperBound {
      problems.append(
        "\(range.upperBound - offset) bytes at the end of the data are no whole record")
    }
    if !carry.isEmpty {
      problems.append("the last \(carry.count) unpacked bytes are no whole record")
    }
  }

  /// Puts the records that were made in the place of the original ones.
  func finish(into parts: inout TraceParts) throws(PerfDataError) {
    parts.storage = try spill.storage()
    parts.data = 0..<spill.count
    parts.problems += problems
    if !problems.isEmpty { parts.isUnfinished = true }
  }

  /// Where a compressed record's payload is and where the next record begins.
  ///
  /// COMPRESSED2 says how long its payload is; padding follows, up to the size in its header. Records may lie anywhere,
  /// since features before them have any size. perf's writer let the 16-bit size of COMPRESSED overflow, so the next
  /// record may be 64 KiB farther than it says.
  private func packed(
    _ header: RecordHeader, _ bytes: ByteView, _ offset: Int, _ end: Int
  ) -> (payload: Range<Int>, next: Int)? {
    if header.type == RecordType.compressed2 {
      var cursor = ByteCursor(bytes, from: offset + 8, to: end, isBigEndian: isBigEndian)
      guard let size = try? cursor.u64("data size"), size > 0, size <= UInt64(cursor.remaining)
      else {
        return nil
      }
      // The header's size has the padding in it; in a file that is cut the padding may be missing.
      let next = min(offset + header.size, end)
      guard next - cursor.offset >= Int(size) else { return nil }
      return (cursor.offset..<cursor.offset + Int(size), next)
    }
    for size in [header.size, header.size + 65536] where size > 8 && size <= end - offset {
      let next = offset + size
      if next == end || isRecord(bytes, next, end) { return (offset + 8..<next, next) }
    }
    // The last one before a tear: its stream is good as far as it goes.
    guard header.size > 8 else { return nil }
    if header.size > end - offset { problems.append("the last compressed record is cut") }
    let next = min(offset + header.size, end)
    return (offset + 8..<next, next)
  }

  private func isRecord(_ bytes: ByteView, _ offset: Int, _ end: Int) -> Bool {
    guard end - offset >= 8 else { return false }
    let header = RecordHeader(bytes, at: offset, isBigEndian: isBigEndian)
    return header.isPlausible(left: end - offset) || (header.isCompressed && header.size == 0)
  }

  private func nextRecord(
    _ bytes: ByteView, after offset: Int, until end: Int
  ) -> Int? {
    var place = offset + 8
    while end - place >= 8 {
      if isRecord(bytes, place, end) {
        let header = RecordHeader(bytes, at: place, isBigEndian: isBigEndian)
        let next = place + max(header.size, 8)
        if next == end || isRecord(bytes, next, end) { return place }
      }
      place += 8
    }
    return nil
  }

  private func unpack(_ chunk: ByteView, at offset: Int) throws(PerfDataError) {
    if stream == nil { stream = try ZstdStream(at: offset) }
    guard let stream else { return }
    do throws(ZstdStream.Failure) { try stream.unpack(chunk, to: &carry) } catch {
      problems.append(
        "the compressed records from offset 0x\(String(offset, radix: 16)) cannot be unpacked: \(error.reason)"
      )
      // A later frame may be whole.
      self.stream = nil
      carry = []
      return
    }
    let whole = carry
    let done = try whole.withView { bytes throws(PerfDataError) in
      try emitWhole(bytes, unpackedAt: offset)
    }
    carry.removeFirst(done)
  }

  /// Passes on the whole records, and gives how many bytes they are.
  private func emitWhole(
    _ bytes: ByteView, unpackedAt offset: Int
  ) throws(PerfDataError) -> Int {
    var done = 0
    while bytes.count - done >= 8 {
      let header = RecordHeader(bytes, at: done, isBigEndian: isBigEndian)
      guard header.size >= 8 else {
        problems.append(
          "the records unpacked at offset 0x\(String(offset, radix: 16)) are damaged")
        return bytes.count
      }
      guard header.size <= bytes.count - done else { break }
      try emit(bytes.view(done..<done + header.size))
      done += header.size
    }
    return done
  }

  private func emit(_ record: ByteView) throws(PerfDataError) {
    let header = RecordHeader(record, at: 0, isBigEndian: isBigEndian)
    switch header.type {
    case RecordType.auxtrace, RecordType.tracingData: return
    case RecordType.finishedRound where dropsRounds: return
    default: break
    }
    guard let swapper else { return try spill.append(record) }
    try spill.append(swapper.swapped(record, toHost: true))
  }

  /// Whether any record is compressed.
  static func hasCompressed(
    _ bytes: ByteView, _ range: Range<Int>, isBigEndian: Bool
  ) -> Bool {
    var offset = range.lowerBound
    while range.upperBound - offset >= 8 {
      let header = RecordHeader(bytes, at: offset, isBigEndian: isBigEndian)
      if header.isCompressed { return true }
      guard header.size >= 8, header.size <= range.upperBound - offset,
        let trailing = header.trailing(
          bytes, at: offset, until: range.upperBound, isBigEndian: isBigEndian)
      else { return false }
      offset += header.size + trailing
    }
    return false
  }
}

/// perf_event_header.
struct RecordHeader {
  var type: UInt32
  var misc: UInt16
  var size: Int

  /// The caller has checked that 8 bytes are there.
  init(_ bytes: ByteView, at offset: Int, isBigEndian: Bool) {
    let type = bytes.load(UInt32.self, at: offset)
    let misc = bytes.load(UInt16.self, at: offset + 4)
    let size = bytes.load(UInt16.self, at: offset + 6)
    self.type = isBigEndian ? UInt32(bigEndian: type) : UInt32(littleEndian: type)
    self.misc = isBigEndian ? UInt16(bigEndian: misc) : UInt16(littleEndian: misc)
    self.size = Int(isBigEndian ? UInt16(bigEndian: size) : UInt16(littleEndian: size))
  }

  var isCompressed: Bool { type == RecordType.compressed || type == RecordType.compressed2 }

  func isPlausible(left: Int) -> Bool {
    size >= 8 && size <= left && RecordType.isKnown(type)
  }

  /// Bytes that follow the record, which is all there: hardware traces, and pipe mode's tracing data; nil where they
  /// are cut.
  func trailing(
    _ bytes: ByteView, at offset: Int, until end: Int, isBigEndian: Bool
  ) -> Int? {
    var cursor = ByteCursor(
      bytes, from: offset + 8, to: offset + size, isBigEndian: isBigEndian)
    var extra: UInt64 = 0
    if type == RecordType.auxtrace, let size = try? cursor.u64("size") { extra = size }
    if type == RecordType.tracingData, let size = try? cursor.u32("size") {
      extra = (UInt64(size) + 7) / 8 * 8
    }
    return extra <= UInt64(end - offset - size) ? Int(extra) : nil
  }
}

extension RecordType {
  /// Whether this version knows records of that type.
  static func isKnown(_ type: UInt32) -> Bool {
    (1...lastKernel).contains(type) || (firstUser...lastUser).contains(type)
  }
}
