import Files

/// Writes what the reading process and Lull tell each other; all numbers little-endian, arrays behind their counts.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  /// Makes room for so many bytes in all.
  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put<Number: FixedWidthInteger>(_ numbers: [Number]) {
    put(UInt64(numbers.count))
    numbers.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ sent: UnsafeRawBufferPointer) {
    put(UInt64(sent.count))
    bytes.append(contentsOf: sent)
  }

  mutating func put<Number: FixedWidthInteger>(_ numbers: Column<Number>) {
    put(UInt64(numbers.count))
    numbers.withBytes { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ text: String) { put(Array(text.utf8)) }

  mutating func put(_ text: String?) {
    put(UInt8(text == nil ? 0 : 1))
    if let text { put(text) }
  }

  mutating func put(_ texts: [String]) {
    put(UInt64(texts.count))
    for text in texts { put(text) }
  }
}

/// What the other side sent was not what it should be.
struct WireError: Error {}

/// Reads what `WireWriter` wrote, trusting none of it: the writer may have been led astray by the file it read.
struct WireReader {
  private let bytes: ByteBlock
  private var position: Int

  init(_ bytes: [UInt8]) {
    self.bytes = .array(bytes)
    position = 0
  }

  /// Begins at an offset, at most at the end.
  init(_ file: MappedFile, at position: Int) {
    bytes = .file(file)
    self.position = min(position, file.bytes.count)
  }

  private mutating func take(_ count: Int) throws(WireError) -> Range<Int> {
    guard count >= 0, count <= bytes.count - position else { throw WireError() }
    defer { position += count }
    return position..<position + count
  }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self)
    throws(WireError) -> Number
  {
    let range = try take(MemoryLayout<Number>.size)
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: Number.self))
    }
  }

  /// A count of things that take at least `size` bytes each.
  mutating func count(of size: Int) throws(WireError) -> Int {
    let count = try number(UInt64.self)
    guard count <= UInt64((bytes.count - position) / max(size, 1)) else { throw WireError() }
    return Int(count)
  }

  mutating func numbers<Number: FixedWidthInteger>(_ type: Number.Type = Number.self)
    throws(WireError) -> [Number]
  {
    let size = MemoryLayout<Number>.size
    let count = try count(of: size)
    let range = try take(count * size)
    return [Number](unsafeUninitializedCapacity: count) { buffer, filled in
      bytes.withUnsafeBytes { all in
        UnsafeMutableRawBufferPointer(buffer).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: all[range]))
      }
      filled = count
    }
  }

  /// Where bytes stand behind their count.
  mutating func place() throws(WireError) -> Range<Int> { try take(count(of: 1)) }

  /// The same without a copy.
  mutating func column<Number: FixedWidthInteger & Sendable>(_ type: Number.Type = Number.self)
    throws(WireError) -> Column<Number>
  {
    let size = MemoryLayout<Number>.size
    let count = try count(of: size)
    return Column(in: bytes, at: try take(count * size).lowerBound, count: count)
  }

  mutating func text() throws(WireError) -> String {
    String(decoding: try numbers(UInt8.self), as: UTF8.self)
  }

  mutating func optionalText() throws(WireError) -> String? {
    try number(UInt8.self) == 0 ? nil : try text()
  }

  mutating func texts() throws(WireError) -> [String] {
    var result: [String] = []
    for _ in 0..<(try count(of: 8)) { result.append(try text()) }
    return result
  }
}
