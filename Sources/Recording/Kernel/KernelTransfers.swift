import CBPF

/// What sockets carried that the programs in the kernel added up, as records that stand for several transfers.
struct KernelTransfers {
  private struct Socket: Hashable {
    var address: UInt64
    var pid: UInt32
    var isReceive: UInt32
  }

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

  private var told: [Socket: (count: UInt64, bytes: UInt64)] = [:]
  /// What a socket that was not used for so long carried is kept no longer.
  private static let idle: UInt64 = 30_000_000_000

  /// What was added up since this was asked for the last time, at no earlier time than `after`.
  mutating func parts(
    of programs: KernelPrograms, now: UInt64, after: UInt64
  ) -> [Part] {
    var parts: [Part] = []
    for (key, sum) in programs.readSums() {
      let socket = Socket(address: key.address, pid: key.pid, isReceive: key.is_receive)
      let before = told[socket] ?? (0, 0)
      parts += Self.parts(
        key, sum, count: sum.count &- before.count, bytes: sum.bytes &- before.bytes, after: after)
      if max(sum.last, sum.since) + Self.idle < now {
        programs.forget(key)
        told[socket] = nil
      } else {
        told[socket] = (sum.count, sum.bytes)
      }
    }
    return parts
  }

  /// As many transfers of two sizes, whose sum is exact.
  static func parts(
    _ key: lull_kernel_socket, _ sum: lull_kernel_sum, count: UInt64, bytes: UInt64, after: UInt64
  ) -> [Part] {
    guard count > 0 else { return [] }
    let (each, larger) = bytes.quotientAndRemainder(dividingBy: count)
    return [(each, count - larger), (each + 1, larger)].compactMap { size, count in
      guard count > 0 else { return nil }
      var record = lull_kernel_transfer_record()
      record.head.time = max(sum.last, after)
      record.pid = Int32(bitPattern: key.pid)
      record.tid = sum.tid
      record.socket = key.address
      record.family = sum.family
      record.protocol = sum.protocol
      record.result = Int32(clamping: size)
      return Part(record: record, isReceive: key.is_receive != 0, count: count)
    }
  }
}
