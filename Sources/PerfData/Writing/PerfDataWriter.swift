#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes a seekable perf.data file that perf and Lull read.
///
/// Until `finish` the header's data size is 0, and the file is readable by Lull at any moment: what
/// the features say is also written as the first records of the data.
public final class PerfDataWriter {
  private let path: String
  private let output: OutputFile
  private let attributes: [EventAttribute]
  private var header: FileHeader
  private var isFinished = false

  /// Bytes of records written so far.
  public private(set) var dataBytes: UInt64 = 0

  /// Creates the file, which must not exist, with its header and attributes.
  ///
  /// Give what is known of the features now: it is what a killed recording will have.
  public init(
    path: String, attributes: [EventAttribute], features: FileFeatures = FileFeatures()
  ) throws(PerfDataError) {
    guard !attributes.isEmpty else {
      throw PerfDataError(.notWritable("a trace without any event"))
    }
    self.path = path
    self.attributes = attributes
    let preamble = Self.preamble(attributes)
    header = preamble.header
    output = try OutputFile(creating: path)
    try output.append(preamble.bytes)
    try updateEarlyFeatures(features)
  }

  /// A whole finished file in memory, for traces small enough.
  public static func file(
    attributes: [EventAttribute], records: [UInt8], features: FileFeatures
  ) -> [UInt8] {
    let preamble = preamble(attributes)
    let data = EarlyMetadata.records(features: features, attributes: attributes) + records
    let sections = features.sections(attributes: attributes)
    let old = preamble.header
    let header = FileHeader(
      attributeSize: old.attributeSize, attributes: old.attributes,
      data: FileSection(offset: old.data.offset, size: UInt64(data.count)),
      features: sections.map(\.feature))
    let start = preamble.bytes.dropFirst(FileHeader.size)
    return header.encoded + start + data
      + tail(sections, at: old.data.offset + UInt64(data.count))
  }

  /// Header, ids and attributes; the data begin after them.
  static func preamble(_ attributes: [EventAttribute]) -> (header: FileHeader, bytes: [UInt8]) {
    let attributeSize = EventAttribute.encodedSize(of: attributes)
    var ids = ByteBuilder()
    var entries = ByteBuilder()
    for attribute in attributes {
      entries.append(contentsOf: attribute.encoded(size: attributeSize))
      entries.append(UInt64(FileHeader.size + ids.count))
      entries.append(UInt64(attribute.ids.count * 8))
      for id in attribute.ids { ids.append(id) }
    }
    let attributesOffset = FileHeader.size + ids.count
    let header = FileHeader(
      attributeSize: UInt64(attributeSize + 16),
      attributes: FileSection(offset: UInt64(attributesOffset), size: UInt64(entries.count)),
      data: FileSection(offset: UInt64(attributesOffset + entries.count), size: 0), features: [])
    return (header, header.encoded + ids.bytes + entries.bytes)
  }

  /// Writes what is known of the features as records; the newest ones count.
  public func updateEarlyFeatures(_ features: FileFeatures) throws(PerfDataError) {
    try append(EarlyMetadata.records(features: features, attributes: attributes))
  }

  /// Appends whole records.
  ///
  /// When the write fails (a full disk) what went in stays; the record in whose midst it ends is passed over by who
  /// reads the file.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(PerfDataError) {
    guard !isFinished else { throw PerfDataError(.notWritable("\(path) is finished")) }
    try output.append(ByteView(bytes), keepsPart: true)
    dataBytes += UInt64(bytes.count)
  }

  /// Appends whole records.
  public func append(_ records: [UInt8]) throws(PerfDataError) {
    try records.withUnsafeBufferPointer { source throws(PerfDataError) in
      try append(UnsafeRawBufferPointer(source))
    }
  }

  /// Says that what follows is newer than all that came before the round before.
  public func appendFinishedRound() throws(PerfDataError) {
    try append(RecordBuilder.finishedRound())
  }

  /// Writes the feature sections, then the data's size and the feature bits, and closes the file.
  public func finish(features: FileFeatures) throws(PerfDataError) {
    guard !isFinished else { throw PerfDataError(.notWritable("\(path) is finished")) }
    let sections = features.sections(attributes: attributes)
    header.data.size = dataBytes
    let tail = Self.tail(sections, at: header.data.offset + dataBytes)
    try output.append(tail)
    isFinished = true
    header = FileHeader(
      attributeSize: header.attributeSize, attributes: header.attributes, data: header.data,
      features: sections.map(\.feature))
    try output.overwriteStart(header.encoded)
    try output.close()
  }

  /// The table of feature sections and the sections, for the given place in the file.
  static func tail(_ sections: [(feature: Int, bytes: [UInt8])], at offset: UInt64) -> [UInt8] {
    var table = ByteBuilder()
    var contents = ByteBuilder()
    let start = offset + UInt64(sections.count * 16)
    for section in sections {
      table.append(start + UInt64(contents.count))
      table.append(UInt64(section.bytes.count))
      contents.append(contentsOf: section.bytes)
      contents.pad(to: 8)
    }
    return table.bytes + contents.bytes
  }
}
