/// Writes protobuf's wire format: the few field kinds that the exported schemas use.
///
/// https://protobuf.dev/programming-guides/encoding/
struct ProtobufBuilder {
  private(set) var bytes: [UInt8] = []

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// An integer, bool or enum.
  mutating func add(_ field: Int, _ value: UInt64) {
    varint(UInt64(field << 3))
    varint(value)
  }

  /// A signed integer.
  mutating func add(_ field: Int, _ value: Int64) { add(field, UInt64(bitPattern: value)) }

  mutating func add(_ field: Int, _ value: Double) {
    varint(UInt64(field << 3 | 1))
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ field: Int, _ text: String) { add(field, Array(text.utf8)) }

  /// Bytes, or an encoded message.
  mutating func add(_ field: Int, _ content: [UInt8]) {
    varint(UInt64(field << 3 | 2))
    varint(UInt64(content.count))
    bytes += content
  }

  /// A message that `fill` writes.
  mutating func add(_ field: Int, message fill: (inout ProtobufBuilder) -> Void) {
    var message = ProtobufBuilder()
    fill(&message)
    add(field, message.bytes)
  }

  /// A packed list of integers.
  mutating func add(_ field: Int, packed values: [UInt64]) {
    guard !values.isEmpty else { return }
    var list = ProtobufBuilder()
    for value in values { list.varint(value) }
    add(field, list.bytes)
  }
}
