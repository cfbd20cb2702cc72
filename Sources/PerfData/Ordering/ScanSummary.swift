import Quantities

/// What a pass over all records found beside them.
struct ScanSummary: Sendable {
  var unknownRecords = 0
  var recordCounts: [UInt32: Int] = [:]
  /// Bytes at the end of the data that belong to no whole record.
  var tornBytes = 0
  /// Bytes from the start of the data to the end of the last whole record.
  var dataBytes = 0
  /// Ranges amid the data that hold no records.
  var holes: [Range<Int>] = []
  var earlyMetadata: [Range<Int>] = []
  /// Records older than their FINISHED_ROUND promised, in order.
  var late: [RecordKey] = []

  var problems: [String] {
    var problems: [String] = []
    for hole in holes.prefix(3) {
      problems.append(
        "no records in \(Figures.count(hole.count, "byte")) at offset 0x\(String(hole.lowerBound, radix: 16))"
      )
    }
    if holes.count > 3 {
      problems.append(
        "no records in " + Figures.count(holes.count - 3, "more place", "more places"))
    }
    if tornBytes > 0 {
      problems.append(
        "no whole record in \(Figures.count(tornBytes, "byte")) at the end of the data")
    }
    return problems
  }
}

/// What a record is ordered by, and where it is.
struct RecordKey: Sendable {
  /// The record's own time, or its predecessor's where it has none.
  var time: UInt64
  /// In the file.
  var offset: Int

  static func < (a: RecordKey, b: RecordKey) -> Bool { (a.time, a.offset) < (b.time, b.offset) }
}
