/// Records in order, some thousand at a time, on their way from the core that reads to the one that decodes.
final class RecordBatch: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: one core at a time has the batch.
  static let capacity = 2048

  let base: UnsafeMutablePointer<OrderedRecord>
  var count = 0
  /// Some of them may be only named.
  var mayName = true
  /// The earliest time of what was read up to here.
  var earliest: UInt64 = .max

  init() { base = .allocate(capacity: Self.capacity) }

  deinit { base.deallocate() }

  /// What is lent to who makes something of it.
  var ordered: OrderedBatch {
    OrderedBatch(
      records: UnsafeBufferPointer(start: base, count: count), earliest: earliest, mayName: mayName)
  }
}

/// Records in order, lent for a moment.
public struct OrderedBatch {
  public let records: UnsafeBufferPointer<OrderedRecord>
  /// The earliest time of all records read so far, nanoseconds: there is none earlier from the first timed record that
  /// is handed out on.
  public let earliest: UInt64
  /// Whether some of the records may be only named (`OrderedRecord.offset`).
  public let mayName: Bool
}
