/// A trace of `perf record -o -`: what a header says stands in records before the data.
enum PipeTrace {
  /// Bytes of perf_pipe_file_header.
  private static let headerSize = 16

  static func parts(
    _ storage: ByteStorage, isBigEndian: Bool
  ) throws(PerfDataError) -> TraceParts {
    let bytes = storage.bytes
    let range = headerSize..<bytes.count
    var attributes: [EventAttribute] = []
    var decoder = FeatureDecoder(bytes, isBigEndian: isBigEndian)
    var isCompressed = false
    var offset = range.lowerBound
    while range.upperBound - offset >= 8 {
      let header = RecordHeader(bytes, at: offset, isBigEndian: isBigEndian)
      guard header.size >= 8, header.size <= range.upperBound - offset,
        let trailing = header.trailing(
          bytes, at: offset, until: range.upperBound, isBigEndian: isBigEndian)
      else { break }
      let body = offset + 8..<offset + header.size
      switch header.type {
      case RecordType.attribute:
        attributes.append(try attribute(bytes, body, isBigEndian))
      case RecordType.eventUpdate: update(&decoder, bytes, body, isBigEndian)
      case RecordType.headerFeature:
        var cursor = ByteCursor(
          bytes, from: body.lowerBound, to: body.upperBound, isBigEndian: isBigEndian)
        if let feature = try? cursor.u64("feature"), feature < 256, cursor.remaining > 0 {
          decoder.decode(Int(feature), range: cursor.offset..<body.upperBound)
        }
      case RecordType.tracingData:
        decoder.decode(
          FeatureID.tracingData, range: body.upperBound..<body.upperBound + trailing)
      case RecordType.buildID:
        let known = decoder.features.buildIDs
        decoder.decode(FeatureID.buildID, range: offset..<body.upperBound)
        decoder.features.buildIDs = known + decoder.features.buildIDs
      case RecordType.compressed, RecordType.compressed2: isCompressed = true
      default: break
      }
      offset += header.size + trailing
    }
    guard !attributes.isEmpty else {
      throw PerfDataError(
        .malformed("the pipe-mode trace has no event attributes"), offset: headerSize)
    }
    var parts = TraceParts(
      storage: storage, data: range, attributes: attributes, decoder: decoder)
    guard isCompressed || isBigEndian else { return parts }
    let converter = TraceConverter(
      attributes: attributes, decoder: decoder, isBigEndian: isBigEndian)
    try converter.convert(bytes, range)
    try converter.finish(into: &parts)
    return parts
  }

  /// HEADER_ATTR: an attribute of its own size, then ids.
  private static func attribute(
    _ bytes: ByteView, _ body: Range<Int>, _ isBigEndian: Bool
  ) throws(PerfDataError) -> EventAttribute {
    var cursor = ByteCursor(
      bytes, from: body.lowerBound, to: body.upperBound, isBigEndian: isBigEndian)
    _ = try cursor.u32("attribute type")
    let size = Int(try cursor.u32("attribute's own size"))
    let end = body.lowerBound + (size == 0 ? 64 : min(size, body.count))
    var attribute = try EventAttribute(
      decoding: bytes, range: body.lowerBound..<end, isBigEndian: isBigEndian)
    cursor = ByteCursor(bytes, from: end, to: body.upperBound, isBigEndian: isBigEndian)
    attribute.ids = try cursor.words(UInt64(cursor.remaining / 8), "ids")
    return attribute
  }

  /// EVENT_UPDATE of kind 2 names the event with that id.
  private static func update(
    _ decoder: inout FeatureDecoder, _ bytes: ByteView, _ body: Range<Int>,
    _ isBigEndian: Bool
  ) {
    var cursor = ByteCursor(
      bytes, from: body.lowerBound, to: body.upperBound, isBigEndian: isBigEndian)
    guard let kind = try? cursor.u64("kind"), kind == 2, let id = try? cursor.u64("id"),
      let name = try? cursor.text(UInt64(cursor.remaining), "name"), !name.isEmpty
    else { return }
    decoder.name(id, name)
  }
}
