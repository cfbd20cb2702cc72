/// Appends little-endian values.
struct ByteBuilder {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }

  mutating func append<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// The lower bytes of a value.
  mutating func append(_ value: UInt64, width: Int) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0.prefix(width)) }
  }

  mutating func append(contentsOf other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

  mutating func append(contentsOf other: String) { bytes.append(contentsOf: other.utf8) }

  /// Text, a zero byte, and zero bytes up to a multiple of `alignment`.
  mutating func appendString(_ text: String, alignment: Int = 1) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
    pad(to: alignment)
  }

  mutating func pad(to alignment: Int, with byte: UInt8 = 0) {
    let rest = bytes.count % alignment
    if rest != 0 { bytes.append(contentsOf: repeatElement(byte, count: alignment - rest)) }
  }

  /// A u32 length and zero-terminated text, padded to 64, as perf's header has it.
  mutating func appendHeaderString(_ text: String) {
    let length = (text.utf8.count + 1 + 63) / 64 * 64
    append(UInt32(truncatingIfNeeded: length))
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    bytes.append(contentsOf: repeatElement(0, count: length - (bytes.count - start)))
  }

  mutating func overwrite<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    withUnsafeBytes(of: value.littleEndian) { source in
      for (index, byte) in source.enumerated() { bytes[offset + index] = byte }
    }
  }
}
