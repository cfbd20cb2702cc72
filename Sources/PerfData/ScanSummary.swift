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
        "\(hole.count) bytes at offset 0x\(String(hole.lowerBound, radix: 16)) are no records")
    }
    if holes.count > 3 { problems.append("\(holes.count - 3) more places hold no records") }
    if tornBytes > 0 {
      problems.append("\(tornBytes) bytes at the end of the data are no whole record")
    }
    return problems
  }
}

/// What a record is ordered by, and where it is: 16 bytes, since millions of them are put in order.
struct RecordKey: Sendable {
  /// The record's own time, or its predecessor's where it has none.
  var time: UInt64
  /// The offset above the attribute's number plus one, so that of equal times what stands first in the file goes first.
  private var place: Int

  private static let attributeBits = 12
  private static let attributeMask = 1 << attributeBits - 1

  /// `attribute` is that of a sample, so that it need not be looked up again.
  @inline(__always)
  init(time: UInt64, offset: Int, attribute: Int32 = -1) {
    self.time = time
    let number = Int(attribute) &+ 1
    place = offset << Self.attributeBits | (number <= Self.attributeMask ? number : 0)
  }

  /// In the file.
  @inline(__always)
  var offset: Int { place >> Self.attributeBits }

  /// Of a sample; -1 where that is to be looked up.
  @inline(__always)
  var attribute: Int32 { Int32(truncatingIfNeeded: place & Self.attributeMask) &- 1 }

  @inline(__always)
  static func < (a: RecordKey, b: RecordKey) -> Bool {
    a.time != b.time ? a.time < b.time : a.place < b.place
  }
}
