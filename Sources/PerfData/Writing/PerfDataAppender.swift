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
    let whole = try FinishedTrace(path: path)
    try whole.replace { output throws(PerfDataError) in
      if let removal {
        try whole.copy(0..<whole.data.lowerBound, to: output)
        try removal.copy(whole, to: output)
      } else {
        try whole.copy(0..<whole.data.upperBound, to: output)
      }
      try output.append(records)
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
