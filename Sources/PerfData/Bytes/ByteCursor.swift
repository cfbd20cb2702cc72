/// A bounds-checked reader of values, little-endian unless said otherwise, in part of a file.
struct ByteCursor {
  let bytes: ByteView
  private(set) var offset: Int
  let end: Int
  /// The machine that wrote was big-endian.
  var isBigEndian: Bool

  /// Reads from `offset` up to `end`, both cut to the bytes that are there.
  init(
    _ bytes: ByteView, from offset: Int, to end: Int, isBigEndian: Bool = false
  ) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
    self.end = min(max(end, 0), bytes.count)
    self.offset = min(max(offset, 0), self.end)
  }

  var remaining: Int { end - offset }

  @inline(__always)
  mutating func read<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, _ what: @autoclosure () -> String
  ) throws(PerfDataError) -> T {
    let size = MemoryLayout<T>.size
    guard remaining >= size else { throw shortage(what(), UInt64(size)) }
    let value = bytes.load(T.self, at: offset)
    offset += size
    return isBigEndian ? T(bigEndian: value) : T(littleEndian: value)
  }

  mutating func u64(_ what: @autoclosure () -> String) throws(PerfDataError) -> UInt64 {
    try read(UInt64.self, what())
  }

  mutating func u32(_ what: @autoclosure () -> String) throws(PerfDataError) -> UInt32 {
    try read(UInt32.self, what())
  }

  /// Passes `count` bytes and gives where they are.
  mutating func range(
    _ count: UInt64, _ what: @autoclosure () -> String
  ) throws(PerfDataError) -> Range<Int> {
    guard count <= UInt64(remaining) else { throw shortage(what(), count) }
    let start = offset
    offset += Int(count)
    return start..<offset
  }

  mutating func array(
    _ count: UInt64, _ what: @autoclosure () -> String
  ) throws(PerfDataError) -> [UInt8] {
    [UInt8](bytes[try range(count, what())])
  }

  /// `count` 64-bit words.
  mutating func words(
    _ count: UInt64, _ what: @autoclosure () -> String
  ) throws(PerfDataError) -> [UInt64] {
    let (size, overflow) = count.multipliedReportingOverflow(by: 8)
    guard !overflow, size <= UInt64(remaining) else {
      throw shortage(what(), overflow ? .max : size)
    }
    let start = offset
    offset += Int(size)
    return [UInt64](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
      for index in 0..<Int(count) {
        let word = bytes.load(UInt64.self, at: start + 8 * index)
        buffer.initializeElement(
          at: index, to: isBigEndian ? UInt64(bigEndian: word) : UInt64(littleEndian: word))
      }
      initialized = Int(count)
    }
  }

  /// `count` bytes as text up to a zero byte, repaired as UTF-8.
  mutating func text(
    _ count: UInt64, _ what: @autoclosure () -> String
  ) throws(PerfDataError) -> String {
    let range = try range(count, what())
    return String(decoding: bytes[range].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// A header string: u32 length, then text padded with zeros.
  mutating func headerString(_ what: String) throws(PerfDataError) -> String {
    let length = try u32("length of " + what)
    return try text(UInt64(length), what)
  }

  /// Text up to and past its zero byte.
  mutating func zeroTerminated(_ what: String) throws(PerfDataError) -> String {
    let rest = bytes[offset..<end]
    guard let zero = rest.firstIndex(of: 0) else { throw shortage(what, UInt64(remaining) + 1) }
    let text = String(decoding: bytes[offset..<zero], as: UTF8.self)
    offset = zero + 1
    return text
  }

  /// Moves to the next multiple of `alignment` from `start`, or to the end.
  mutating func align(to alignment: Int, from start: Int) {
    let rest = (offset - start) % alignment
    if rest != 0 { offset = min(end, offset + alignment - rest) }
  }

  func shortage(_ what: String, _ needed: UInt64) -> PerfDataError {
    PerfDataError(.outOfBounds(what: what, needed: needed, available: remaining), offset: offset)
  }
}
