/// Records in order, some thousand at a time: a part of a round.
final class RecordPart: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: one core at a time has the part.
  static let capacity = 2048

  let base: UnsafeMutablePointer<OrderedRecord>
  var count = 0
  /// The earliest time of what was read up to here.
  var earliest: UInt64 = .max

  init() { base = .allocate(capacity: Self.capacity) }

  deinit { base.deallocate() }

  var records: UnsafeBufferPointer<OrderedRecord> { UnsafeBufferPointer(start: base, count: count) }
}
