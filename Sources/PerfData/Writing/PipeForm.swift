/// A finished trace in the form in which `perf record -o -` writes: what a file's header says stands in records before
/// the data, so that it can go through a pipe.
public enum PipeForm {
  /// Features that perf takes from a pipe as they are (PERF_RECORD_HEADER_FEATURE).
  ///
  /// Of the others, events have their names in records of their own, and files' build ids stand with their mappings.
  private static let features: Set<Int> = [
    FeatureID.hostname, FeatureID.osRelease, FeatureID.version, FeatureID.architecture,
    FeatureID.cpuCount, FeatureID.cpuDescription, FeatureID.totalMemory, FeatureID.commandLine,
    FeatureID.clockID, FeatureID.clockData,
  ]
  /// PERF_EVENT_UPDATE__NAME.
  private static let name: UInt64 = 2

  /// Hands out the trace's bytes in pieces, in order.
  ///
  /// - Throws: `PerfDataError` when the file is no finished trace, or has more events than a record can name.
  public static func write(
    traceAt path: String, _ output: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let file = try PerfDataFile(path: path)
    let bytes = try beginning(file)
    try bytes.withUnsafeBytes(output)
    try file.withData(output)
  }

  private static func beginning(_ file: PerfDataFile) throws(PerfDataError) -> [UInt8] {
    var header = ByteBuilder()
    header.append(FileHeader.magic)
    header.append(UInt64(16))
    var output = header.bytes
    let size = EventAttribute.encodedSize(of: file.attributes)
    for attribute in file.attributes {
      var body = ByteBuilder()
      body.append(contentsOf: attribute.encoded(size: size))
      for id in attribute.ids { body.append(id) }
      guard body.count + 8 <= RecordBuilder.largestRecord else {
        throw PerfDataError(
          .notWritable("\(attribute.name) is an event of too many threads for the form of a pipe"))
      }
      output += RecordBuilder.record(type: RecordType.attribute, misc: 0, body: body)
    }
    for attribute in file.attributes {
      guard let id = attribute.ids.first else { continue }
      var body = ByteBuilder()
      body.append(name)
      body.append(id)
      body.append(contentsOf: Array(attribute.name.utf8) + [0])
      body.pad(to: 8)
      output += RecordBuilder.record(type: RecordType.eventUpdate, misc: 0, body: body)
    }
    let written = file.features.sections(attributes: file.attributes)
    for (feature, bytes) in written {
      if feature == FeatureID.tracingData {
        output += tracingData(bytes)
      } else if features.contains(feature), bytes.count + 24 <= RecordBuilder.largestRecord {
        var body = ByteBuilder()
        body.append(UInt64(feature))
        body.append(contentsOf: bytes)
        body.pad(to: 8)
        output += RecordBuilder.record(type: RecordType.headerFeature, misc: 0, body: body)
      }
    }
    return output
  }

  /// The record tells the size of what follows it, which is padded.
  private static func tracingData(_ bytes: [UInt8]) -> [UInt8] {
    var content = ByteBuilder()
    content.append(contentsOf: bytes)
    content.pad(to: 8)
    var body = ByteBuilder()
    body.append(UInt32(content.count))
    body.append(UInt32(0))
    return RecordBuilder.record(type: RecordType.tracingData, misc: 0, body: body) + content.bytes
  }
}

extension PerfDataFile {
  /// The records as they are in the file.
  func withData(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try body(UnsafeRawBufferPointer(rebasing: storage.bytes.pointer[data]))
  }
}
