/// An offset and a size in the file.
struct FileSection: Equatable {
  var offset: UInt64
  var size: UInt64

  /// The section as a range of the file; nil where it reaches beyond `count` bytes.
  func range(in count: Int) -> Range<Int>? {
    let (end, overflow) = offset.addingReportingOverflow(size)
    guard !overflow, end <= UInt64(count) else { return nil }
    return Int(offset)..<Int(end)
  }
}

/// The header of a seekable perf.data file (perf_file_header, 104 bytes).
struct FileHeader {
  static let size = 104
  /// "PERFILE2" as a little-endian word.
  static let magic: UInt64 = 0x3245_4c49_4652_4550
  /// "PERFFILE", which perf before 3.4 wrote (its version 1); what follows is the same.
  static let firstMagic: UInt64 = 0x454c_4946_4652_4550
  /// Size of the header of the first of these, which had no features.
  private static let sizeWithoutFeatures = 72

  var attributeSize: UInt64
  var attributes: FileSection
  var data: FileSection
  var featureBits: [UInt64]
  /// The machine that recorded was big-endian.
  var isBigEndian = false

  init(attributeSize: UInt64, attributes: FileSection, data: FileSection, features: [Int]) {
    self.attributeSize = attributeSize
    self.attributes = attributes
    self.data = data
    featureBits = [0, 0, 0, 0]
    for feature in features where feature >= 0 && feature < 256 {
      featureBits[feature / 64] |= 1 << UInt64(feature % 64)
    }
  }

  /// What a file begins with.
  enum Kind: Equatable {
    case seekable, pipe, other
  }

  /// Tells from the first bytes what the file is, and in which order its bytes are.
  static func kind(_ bytes: ByteView) -> (kind: Kind, isBigEndian: Bool) {
    guard bytes.count >= 16 else { return (.other, false) }
    let first = UInt64(littleEndian: bytes.load(UInt64.self, at: 0))
    let isHere = first == magic || first == firstMagic
    guard isHere || first.byteSwapped == magic || first.byteSwapped == firstMagic else {
      return (.other, false)
    }
    var cursor = ByteCursor(bytes, from: 8, to: 16, isBigEndian: !isHere)
    let headerSize = (try? cursor.u64("header size")) ?? 0
    return (headerSize == 16 ? .pipe : .seekable, !isHere)
  }

  /// Reads the header, and refuses what is not a seekable file.
  init(_ bytes: ByteView) throws(PerfDataError) {
    var cursor = ByteCursor(bytes, from: 0, to: bytes.count)
    guard let magic = try? cursor.u64("magic") else { throw PerfDataError(.notPerfData, offset: 0) }
    let magics = [Self.magic, Self.firstMagic]
    guard magics.contains(magic) || magics.contains(magic.byteSwapped) else {
      throw PerfDataError(.notPerfData, offset: 0)
    }
    isBigEndian = !magics.contains(magic)
    cursor.isBigEndian = isBigEndian
    let headerSize = try cursor.u64("header size")
    let hasFeatures = headerSize != UInt64(Self.sizeWithoutFeatures)
    guard headerSize >= UInt64(Self.size) || !hasFeatures else {
      throw PerfDataError(.malformed("a header of \(headerSize) bytes is too short"), offset: 8)
    }
    attributeSize = try cursor.u64("attribute size")
    attributes = try Self.section(&cursor, "attributes")
    data = try Self.section(&cursor, "data")
    _ = try Self.section(&cursor, "event types")
    featureBits = hasFeatures ? try cursor.words(4, "feature bits") : [0, 0, 0, 0]
  }

  private static func section(
    _ cursor: inout ByteCursor, _ what: String
  ) throws(PerfDataError) -> FileSection {
    FileSection(
      offset: try cursor.u64(what + " offset"), size: try cursor.u64(what + " size"))
  }

  /// The bits that are set, ascending: the order of the table after the data.
  var features: [Int] {
    (0..<256).filter { featureBits[$0 / 64] & (1 << UInt64($0 % 64)) != 0 }
  }

  var encoded: [UInt8] {
    var output = ByteBuilder()
    output.append(Self.magic)
    output.append(UInt64(Self.size))
    output.append(attributeSize)
    for section in [attributes, data, FileSection(offset: 0, size: 0)] {
      output.append(section.offset)
      output.append(section.size)
    }
    for word in featureBits { output.append(word) }
    return output.bytes
  }

  /// The feature sections that the table after the data names, when all of it is in the file.
  ///
  /// `dataEnd` is where the table is. With `data.size` 0 a trace may be empty or unfinished; only
  /// the table of an empty one makes sense.
  func featureTable(
    in bytes: ByteView, at dataEnd: Int
  ) -> [(feature: Int, range: Range<Int>)]? {
    let features = features
    guard dataEnd <= bytes.count, features.count * 16 <= bytes.count - dataEnd else { return nil }
    var cursor = ByteCursor(
      bytes, from: dataEnd, to: bytes.count, isBigEndian: isBigEndian)
    var table: [(feature: Int, range: Range<Int>)] = []
    for feature in features {
      guard let section = try? Self.section(&cursor, "feature"),
        let range = section.range(in: bytes.count),
        range.isEmpty || range.lowerBound >= dataEnd + features.count * 16
      else { return nil }
      table.append((feature, range))
    }
    return table
  }
}
