import Quantities

/// A trace's parts, whatever form its file has: what `PerfDataFile` is made of.
struct TraceParts {
  /// Holds the records; the file itself, or what was made of it.
  var storage: ByteStorage
  var data: Range<Int>
  var attributes: [EventAttribute]
  var decoder: FeatureDecoder
  /// False when the header's features are missing, so that the early metadata are asked.
  var hasFeatures = true
  var problems: [String] = []
  var isUnfinished = false
  /// Records tell what was lost; a text of them does not.
  var tellsLosses = true

  /// Opens a file or a directory of any form.
  static func open(path: String) throws(PerfDataError) -> TraceParts {
    if let directory = try TraceDirectory(path: path) { return try directory.parts() }
    return try read(ByteStorage(path: path))
  }

  /// Tells the form from the first bytes.
  static func read(_ storage: ByteStorage) throws(PerfDataError) -> TraceParts {
    let bytes = storage.bytes
    let (kind, isBigEndian) = FileHeader.kind(bytes)
    switch kind {
    case .pipe: return try PipeTrace.parts(storage, isBigEndian: isBigEndian)
    case .seekable: return try seekable(storage)
    case .other:
      if FtraceContents.matches(bytes) { return try FtraceTrace.parts(storage) }
      if ScriptText.matches(bytes) { return try ScriptText.parts(storage) }
      if let reason = ForeignText.reason(bytes) { throw PerfDataError(.unsupported(reason)) }
      // Says what is wrong with it.
      return try seekable(storage)
    }
  }

  /// A file with a header; compressed and big-endian records are written anew.
  static func seekable(_ storage: ByteStorage) throws(PerfDataError) -> TraceParts {
    let (parts, isCompressed, isBigEndian) = try header(storage)
    guard isCompressed || isBigEndian else { return parts }
    var converted = parts
    let converter = TraceConverter(
      attributes: parts.attributes, decoder: parts.decoder, isBigEndian: isBigEndian)
    try converter.convert(storage.bytes, parts.data)
    try converter.finish(into: &converted)
    return converted
  }

  /// What the header of a file says, with the records left as they are.
  static func header(_ storage: ByteStorage) throws(PerfDataError) -> (
    parts: TraceParts, isCompressed: Bool, isBigEndian: Bool
  ) {
    let bytes = storage.bytes
    let header = try FileHeader(bytes)
    let attributes = try EventAttribute.list(bytes, header: header)
    guard !attributes.isEmpty else {
      throw PerfDataError(.malformed("the trace has no event attributes"), offset: 24)
    }
    var problems: [String] = []
    let layout = try locate(header, bytes, &problems)
    var decoder = FeatureDecoder(bytes, isBigEndian: header.isBigEndian)
    for section in layout.features ?? [] { decoder.decode(section.feature, range: section.range) }
    let parts = TraceParts(
      storage: storage, data: layout.data, attributes: attributes, decoder: decoder,
      hasFeatures: layout.features != nil, problems: problems, isUnfinished: !problems.isEmpty)
    let isCompressed =
      header.features.contains(FeatureID.compressed)
      || (!problems.isEmpty
        && TraceConverter.hasCompressed(bytes, layout.data, isBigEndian: header.isBigEndian))
    return (parts, isCompressed, header.isBigEndian)
  }

  /// Where the data and the feature sections are; says in `problems` what is not as it should be.
  private static func locate(
    _ header: FileHeader, _ bytes: ByteView, _ problems: inout [String]
  ) throws(PerfDataError) -> (
    data: Range<Int>, features: [(feature: Int, range: Range<Int>)]?
  ) {
    guard header.data.offset <= UInt64(bytes.count) else {
      throw PerfDataError(
        .outOfBounds(
          what: "the start of the data section", needed: header.data.offset,
          available: bytes.count), offset: 40)
    }
    let start = Int(header.data.offset)
    if header.data.size == 0 {
      if !header.features.isEmpty, let table = header.featureTable(in: bytes, at: start) {
        return (start..<start, table)
      }
      problems.append("the recording was not finished (killed, or the disk was full)")
      return (start..<bytes.count, nil)
    }
    guard let data = header.data.range(in: bytes.count) else {
      let missing = header.data.size - UInt64(bytes.count - start)
      problems.append(
        "the file is cut: all features are missing, and of the data "
          + Figures.count(Int(clamping: missing), "byte"))
      return (start..<bytes.count, nil)
    }
    let table = header.featureTable(in: bytes, at: data.upperBound)
    if table == nil { problems.append("the file is cut: header features are missing") }
    return (data, table)
  }
}
