#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Adds records to a trace that is finished.
public enum PerfDataAppender {
  /// Adds records at the end of the data section, and keeps every feature.
  ///
  /// The trace is written anew beside itself and renamed, so a failure leaves it as it was. The
  /// records must be of attributes that the trace has. Stacks that `removal` names are left out of the samples before
  /// them.
  public static func append(
    records: [UInt8], toTraceAt path: String, removal: StackRemoval? = nil
  ) throws(PerfDataError) {
    guard !records.isEmpty else { return }
    try checkWhole(records)
    let source = try ByteStorage(path: path)
    let old = try FileHeader(source.bytes)
    guard let data = old.data.range(in: source.count), !data.isEmpty,
      let table = old.featureTable(in: source.bytes, at: data.upperBound)
    else {
      throw PerfDataError(
        .notWritable("records can be added only to a finished trace, and \(path) is cut"))
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw PerfDataError(.system(call: "stat", path: path, errno: errno))
    }
    let beside = "\(path).\(getpid()).new"
    let output = try OutputFile(creating: beside)
    do throws(PerfDataError) {
      output.adoptOwner(of: status)
      if let removal {
        try output.append(source.bytes.view(0..<data.lowerBound))
        try removal.copy(source.bytes.view(data), to: output)
      } else {
        try output.append(source.bytes.view(0..<data.upperBound))
      }
      try output.append(records)
      let end = output.count
      let sections = table.map { (feature: $0.feature, bytes: [UInt8](source.bytes[$0.range])) }
      try output.append(PerfDataWriter.tail(sections, at: output.count))
      var header = old
      header.data.size = end - header.data.offset
      try output.overwriteStart(header.encoded)
      try output.close()
      guard rename(beside, path) == 0 else {
        throw PerfDataError(.system(call: "rename", path: beside, errno: errno))
      }
    } catch {
      unlink(beside)
      throw error
    }
  }

  private static func checkWhole(_ records: [UInt8]) throws(PerfDataError) {
    var offset = 0
    while offset < records.count {
      let rest = records.count - offset
      let size = rest >= 8 ? Int(records[offset + 6]) | Int(records[offset + 7]) << 8 : 0
      guard size >= 8, size <= rest else {
        throw PerfDataError(
          .notWritable("what is to be added is not a row of whole records"), offset: offset)
      }
      offset += size
    }
  }
}
