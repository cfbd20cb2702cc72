/// The header's features, written again as the first records of the data.
///
/// A recording that is killed never gets its feature sections, and without event names and
/// tracepoint formats its data would mean nothing. So the writer puts them, in their own encoding,
/// into PERF_RECORD_HEADER_FEATURE records of the STAT feature, which perf passes over in silence.
enum EarlyMetadata {
  /// "LULLMETA", which tells these records from others of their type.
  static let magic: UInt64 = 0x4154_454d_4c4c_554c
  /// Record header, feature id, magic, chunk index and count.
  private static let prefixSize = 8 + 8 + 8 + 4 + 4
  private static let chunkSize = 60_000

  /// The records that hold the features.
  static func records(
    features: FileFeatures, attributes: [EventAttribute]
  ) -> [UInt8] {
    var blob = ByteBuilder()
    for (feature, bytes) in features.sections(attributes: attributes) {
      blob.append(UInt64(feature))
      blob.append(UInt64(bytes.count))
      blob.append(contentsOf: bytes)
      blob.pad(to: 8)
    }
    let bytes = blob.bytes
    let chunks = (bytes.count + chunkSize - 1) / chunkSize
    var output: [UInt8] = []
    for index in 0..<chunks {
      var body = ByteBuilder()
      body.append(UInt64(FeatureID.stat))
      body.append(magic)
      body.append(UInt32(index))
      body.append(UInt32(chunks))
      let end = min(bytes.count, (index + 1) * chunkSize)
      body.append(contentsOf: [UInt8](bytes[index * chunkSize..<end]))
      body.pad(to: 8)
      output += RecordBuilder.record(type: RecordType.headerFeature, misc: 0, body: body)
    }
    return output
  }

  /// Whether the record at `offset`, whose whole size is in the file, is one of these.
  static func isPart(_ bytes: ByteView, type: UInt32, offset: Int, size: Int) -> Bool {
    guard type == RecordType.headerFeature, size >= prefixSize else { return false }
    return bytes.load(UInt64.self, at: offset + 8) == FeatureID.stat
      && bytes.load(UInt64.self, at: offset + 16) == magic
  }

  /// Joins the newest whole set of chunks, given in file order.
  static func blob(_ bytes: ByteView, parts: [Range<Int>]) -> [UInt8]? {
    var newest: [UInt8]?
    var current: [UInt8] = []
    var expected: UInt32 = 0
    for part in parts {
      let index = bytes.load(UInt32.self, at: part.lowerBound + 24)
      let count = bytes.load(UInt32.self, at: part.lowerBound + 28)
      if index == 0 {
        current = []
        expected = 0
      }
      guard index == expected, count > index else { continue }
      current += bytes[part.lowerBound + prefixSize..<part.upperBound]
      expected += 1
      if expected == count { newest = current }
    }
    return newest
  }

  /// The sections within a joined blob.
  static func sections(_ bytes: ByteView) -> [(feature: Int, range: Range<Int>)] {
    var sections: [(feature: Int, range: Range<Int>)] = []
    var cursor = ByteCursor(bytes, from: 0, to: bytes.count)
    while let feature = try? cursor.u64("feature"), feature < 256,
      let size = try? cursor.u64("size"), let range = try? cursor.range(size, "section")
    {
      sections.append((Int(feature), range))
      cursor.align(to: 8, from: 0)
    }
    return sections
  }
}
