import CPreloadRing

/// What threads of a process added up of the transfers of their sockets and of reads of files, and how much of that was
/// told.
struct PreloadSums {
  /// What went through a socket in one direction, or was read of a file.
  struct Sum: Equatable {
    var number: UInt32
    var descriptor: UInt64
    var flags: UInt64
    var count: UInt64
    var bytes: UInt64
  }

  private struct Told {
    var count: UInt64 = 0
    var bytes: UInt64 = 0
  }

  /// By slot, and the sum's key there.
  private var told: [Int: [UInt64: Told]] = [:]

  /// The sums that a ring's thread has now and of which not all was told, as records.
  func untold(of ring: PreloadRing, slot: Int) -> [lull_record] {
    ring.sums.compactMap { sum in
      guard sum.count != told[slot]?[sum.key]?.count ?? 0 else { return nil }
      var record = lull_record()
      record.kind = UInt8(lull_record_sum.rawValue)
      record.descriptor_kind = UInt16(truncatingIfNeeded: sum.descriptor_kind)
      (record.start, record.end) = (sum.last, sum.last)
      record.arguments = (sum.key, sum.count, sum.bytes)
      // It goes on.
      record.repeats = 1
      return record
    }
  }

  /// What a sum's record tells that was not told before.
  mutating func take(_ record: lull_record, slot: Int) -> Sum {
    let (key, count, bytes) = record.arguments
    var before = told[slot]?[key] ?? Told()
    // The one that was known by the key ended where nobody was told.
    if count < before.count { before = Told() }
    told[slot, default: [:]][key] = record.repeats > 0 ? Told(count: count, bytes: bytes) : nil
    return Sum(
      number: UInt32(key >> 16 & 0xffff) &- 1, descriptor: key & 0xffff, flags: key >> 48,
      count: count - before.count, bytes: bytes &- before.bytes)
  }
}
