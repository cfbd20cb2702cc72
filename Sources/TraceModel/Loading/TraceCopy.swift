import PerfData

/// A finished trace of one that may not be.
public enum TraceCopy {
  /// Copies what a trace holds by now, with the names of its functions; nothing may be at the new path yet.
  ///
  /// - Throws: `TraceError` when the trace cannot be read, or the copy not written.
  public static func make(of path: String, at copy: String) throws(TraceError) {
    do {
      try write(try PerfDataFile(path: path), to: copy)
    } catch { throw TraceError(error, path: path) }
    try StackEmbedding.embed(tracePath: copy)
  }

  /// Copies the records into a finished file even where the trace is not, so that more can be added.
  static func write(_ file: PerfDataFile, to path: String) throws(PerfDataError) {
    let features = WrittenFeatures(file.features)
    let writer = try PerfDataWriter(path: path, attributes: file.attributes, features: features)
    for entry in file.orderedRecords().sorted(by: { $0.offset < $1.offset })
    where entry.type != RecordType.auxtrace && entry.type != RecordType.headerFeature
      && entry.type != RecordType.tracingData
    {
      try writer.append(file.bytes(of: entry))
    }
    try writer.finish(features: features)
  }
}
