import PerfData

/// Bytes to which more are only ever added, in memory that grows without being written anew.
///
/// Copies share the memory until one of them grows.
///
///     block:  | entry | entry | entry |        room         |
///             ^ base                  ^ base + count        ^ base + capacity
///
/// An entry is added where there is room for 48 bytes: 40 at most are its own, and 8 a number may touch beyond it.
///
/// What an entry is, is its log's: `OperationLog`, `WakeupLog`, `ThreadHistory`. Numbers have the low bytes first, and
/// a `Width`, which two bits of the entry's head tell: 2, 3, 4 or 8 bytes.
// Unchecked because a pointer is not Sendable: only the one owner of a block writes to it.
struct ByteLog: @unchecked Sendable {
  /// More than one entry of any log takes, with the 8 bytes that reading a number may look beyond it.
  private static let largestEntry = 48
  private static let empty = GrowingMemory(byteCount: largestEntry)

  private var block: GrowingMemory?
  /// The block's memory, and how much there is.
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  /// Number of bytes.
  private(set) var count = 0

  init() {}

  /// Of so many bytes that were written to a block, with as many more as reading a number looks at beyond it.
  init(_ block: GrowingMemory, count: Int) {
    self.block = block
    base = block.base
    capacity = count
    self.count = count
  }

  /// Adds entries, one if not said otherwise: `write` puts them at the address and tells their length, 40 bytes each at
  /// most.
  @inline(__always)
  mutating func append(_ entries: Int = 1, _ write: (UnsafeMutableRawPointer) -> Int) {
    let most = entries &* Self.largestEntry
    if !isKnownUniquelyReferenced(&block) || capacity - count < most { makeRoom(most) }
    guard let base else { return }
    count += write(base + count)
  }

  /// Makes the block this log's own, with room for so many bytes more.
  @inline(never)
  private mutating func makeRoom(_ more: Int = Self.largestEntry) {
    capacity = max(2 * count, count + more, 4 * Self.largestEntry)
    if isKnownUniquelyReferenced(&block) {
      block?.grow(to: capacity)
    } else {
      let copy = GrowingMemory(byteCount: capacity)
      if let base { copy.base.copyMemory(from: base, byteCount: count) }
      block = copy
    }
    base = block?.base
  }

  /// Reads on from an offset at which an entry begins.
  func cursor(at offset: Int) -> Cursor { Cursor(block: block ?? Self.empty, offset: offset) }

  /// A place in a log; reading past the last entry is not checked, so its user counts entries.
  struct Cursor {
    private let block: GrowingMemory
    private(set) var offset: Int
    private let base: UnsafeMutableRawPointer

    fileprivate init(block: GrowingMemory, offset: Int) {
      self.block = block
      self.offset = offset
      base = block.base
    }

    @inline(__always)
    mutating func next<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T {
      let value = base.loadUnaligned(fromByteOffset: offset, as: type)
      offset += MemoryLayout<T>.size
      return value
    }

    /// A number that was written in the width of that class.
    @inline(__always)
    mutating func number(_ width: Width) -> UInt64 {
      let value = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & width.mask
      offset += width.bytes
      return value
    }
  }

  /// In how many bytes a number is kept, of four choices, so that two bits tell it: 2, 3, 4 or 8.
  struct Width {
    /// 0 to 3.
    let code: UInt8

    @inline(__always)
    init(code: UInt8) { self.code = code & 3 }

    /// The least that holds a number.
    @inline(__always)
    init(of number: UInt64) {
      let least = (71 - (number | 1).leadingZeroBitCount) >> 3
      // A digit for each number of bytes from 1 to 8.
      code = UInt8(truncatingIfNeeded: (0x3333_2100 as UInt32) >> UInt32(4 * (least - 1))) & 3
    }

    @inline(__always)
    var bytes: Int { Int((0x8432 as UInt32) >> UInt32(4 * code)) & 15 }

    @inline(__always)
    var mask: UInt64 { .max >> UInt64(64 - 8 * bytes) }
  }
}

extension UnsafeMutableRawPointer {
  /// Writes a number's low bytes; those above the width are overwritten by what comes next.
  @inline(__always)
  func put<T: FixedWidthInteger & BitwiseCopyable>(_ number: T, at offset: Int) {
    storeBytes(of: number, toByteOffset: offset, as: T.self)
  }
}

extension Int64 {
  /// Small for numbers near zero of either sign.
  @inline(__always)
  var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

  @inline(__always)
  init(zigzag: UInt64) { self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1) }
}
