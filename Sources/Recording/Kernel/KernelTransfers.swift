import CBPF

/// What sockets carried that the programs in the kernel added up, as records that stand for several transfers.
struct KernelTransfers {
  /// So many transfers of as many bytes each as its record says.
  struct Part: Equatable {
    var record: lull_kernel_transfer_record
    var isReceive: Bool
    var count: UInt64

    static func == (one: Part, other: Part) -> Bool {
      one.record.result == other.record.result && one.count == other.count
        && one.isReceive == other.isReceive && one.record.socket == other.record.socket
    }
  }

  /// By place.
  private var told: [UInt32: (key: UInt64, count: UInt64, bytes: UInt64)] = [:]
  /// What a socket that was not used for so long carried is kept no longer.
  private static let idle: UInt64 = 30_000_000_000

  /// What was added up since this was asked for the last time, at no earlier time than `after`.
  mutating func parts(
    of programs: KernelPrograms, now: UInt64, after: UInt64
  ) -> [Part] {
    var parts: [Part] = []
    for (place, sum) in programs.readSums() {
      var before = told[place] ?? (sum.key, 0, 0)
      if before.key != sum.key { before = (sum.key, 0, 0) }
      parts += Self.parts(
        sum, count: sum.count &- before.count, bytes: sum.bytes &- before.bytes, after: after)
      // One that is being written down for the first time has no time yet.
      if sum.last > 0, max(sum.last, sum.since) + Self.idle < now {
        programs.forget(place)
        told[place] = nil
      } else {
        told[place] = (sum.key, sum.count, sum.bytes)
      }
    }
    return parts
  }

  /// As many transfers of two sizes, whose sum is exact.
  static func parts(
    _ sum: lull_kernel_sum, count: UInt64, bytes: UInt64, after: UInt64
  ) -> [Part] {
    EvenTransfers.of(count: count, bytes: bytes).map { size, count in
      var record = lull_kernel_transfer_record()
      record.head.time = max(sum.last, after)
      record.pid = sum.pid
      record.tid = sum.tid
      record.socket = sum.socket
      record.family = sum.family
      record.protocol = sum.protocol
      record.result = Int32(clamping: size)
      return Part(record: record, isReceive: sum.is_receive != 0, count: count)
    }
  }
}
