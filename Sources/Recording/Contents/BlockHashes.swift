import Glibc

/// A file's blocks, so far as to tell which of them changed.
struct BlockHashes: Equatable {
  static let blockBytes = 4096

  private(set) var size = 0
  private var hashes: [UInt64] = []

  /// One number for each block.
  var values: [UInt64] { hashes }

  /// Reads a file of so many bytes; nil when it cannot be read or has another size by now.
  init?(of file: OwnedDescriptor, bytes: Int, buffer: inout [UInt8]) {
    while size < bytes {
      let filled = Self.fill(&buffer, from: file, at: size, upTo: bytes)
      // All but the last are whole blocks: where a file grows, its end has moved.
      guard filled == min(buffer.count, bytes - size) else { return nil }
      add(buffer[..<filled])
    }
  }

  /// How much of the buffer it filled.
  private static func fill(
    _ buffer: inout [UInt8], from file: OwnedDescriptor, at offset: Int, upTo end: Int
  ) -> Int {
    let wanted = min(buffer.count, end - offset)
    var filled = 0
    while filled < wanted {
      let count = buffer.withUnsafeMutableBytes {
        pread(file.number, $0.baseAddress! + filled, wanted - filled, off_t(offset + filled))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    return filled
  }

  /// For blocks that are at hand already.
  init(_ bytes: [UInt8]) { add(bytes[...]) }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: Self.blockBytes) {
      hashes.append(Self.hash(bytes[start..<min(start + Self.blockBytes, bytes.endIndex)]))
    }
    size += bytes.count
  }

  /// 64 bits of a multiplicative hash (FNV-1a, by words of 8 bytes): two contents in 10^19 look alike.
  private static func hash(_ block: ArraySlice<UInt8>) -> UInt64 {
    block.withUnsafeBytes { bytes in
      var state: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
      var at = 0
      while at + 8 <= bytes.count {
        state =
          (state ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
          &* 0x9E37_79B9_7F4A_7C15
        state ^= state >> 32
        at += 8
      }
      while at < bytes.count {
        state = (state ^ UInt64(bytes[at])) &* 0x0000_0100_0000_01B3
        at += 1
      }
      return state
    }
  }

  /// Bytes of the blocks that are other than they were.
  func changedBytes(since old: BlockHashes) -> UInt64 {
    var changed = 0
    for (index, hash) in hashes.enumerated()
    where index >= old.hashes.count || old.hashes[index] != hash {
      changed += min(Self.blockBytes, size - index * Self.blockBytes)
    }
    return UInt64(changed)
  }
}
