/// A sum over bytes that tells what a disk broke; it is no proof of who wrote them.
enum Checksum {
  private static let prime: UInt64 = 0x9E37_79B1_85EB_CA87

  /// The eight bytes of one that was written.
  static func stored(in bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    word(bytes, offset)
  }

  /// After so many bytes it is told what was passed.
  private static let step = 1 << 20

  /// Of the bytes from an offset on; `passed` is told what was looked at by then.
  static func of(
    _ all: UnsafeRawBufferPointer, from start: Int, passed: (Range<Int>) -> Void = { _ in }
  ) -> UInt64 {
    // Four sums beside each other, since each step waits for the last one of its own.
    var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
    var offset = start
    while offset + 32 <= all.count {
      let first = offset
      let end = min(offset + step, all.count)
      while offset + 32 <= end {
        lanes.0 = mixed(lanes.0, word(all, offset))
        lanes.1 = mixed(lanes.1, word(all, offset + 8))
        lanes.2 = mixed(lanes.2, word(all, offset + 16))
        lanes.3 = mixed(lanes.3, word(all, offset + 24))
        offset += 32
      }
      passed(first..<offset)
    }
    var sum = UInt64(all.count - start)
    for lane in [lanes.0, lanes.1, lanes.2, lanes.3] { sum = mixed(sum, lane) }
    while offset < all.count {
      sum = mixed(sum, UInt64(all[offset]))
      offset += 1
    }
    return sum
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let product = (sum ^ word) &* prime
    return product ^ (product >> 29)
  }
}
