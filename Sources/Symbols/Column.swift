/// Numbers that lie one after another in a block of bytes, little-endian: a large table is looked into where it was
/// received or is kept, and not copied number by number first.
struct Column<Number: FixedWidthInteger & Sendable>: RandomAccessCollection, Equatable, Sendable {
  private let bytes: ByteBlock
  private let start: Int
  let count: Int

  private static var size: Int { MemoryLayout<Number>.size }

  init(_ numbers: [Number]) {
    bytes = .array(numbers.withUnsafeBytes { Array($0) })
    start = 0
    count = numbers.count
  }

  /// - Precondition: `count` numbers lie there.
  init(in bytes: ByteBlock, at start: Int, count: Int) {
    precondition(start >= 0 && count >= 0 && count <= (bytes.count - start) / Self.size)
    self.bytes = bytes
    self.start = start
    self.count = count
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Number {
    precondition(index >= 0 && index < count)
    return bytes.withUnsafeBytes {
      Number(
        littleEndian: $0.loadUnaligned(
          fromByteOffset: start + index * Self.size, as: Number.self))
    }
  }

  /// The numbers as they lie there.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count * Self.size]))
    }
  }

  static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
