/// A message of Protocol Buffers that is written.
package protocol ProtobufMessage {
  /// Writes the fields in the order of their numbers.
  func write(to writer: inout ProtobufWriter)
}

/// A message is larger than the format allows, which is 2 GiB.
package struct ProtobufTooLarge: Error, CustomStringConvertible {
  package let description = "it is larger than a protobuf message may be, which is 2 GiB"
}

extension ProtobufMessage {
  /// The message's bytes.
  package func serializedBytes() throws(ProtobufTooLarge) -> [UInt8] {
    var writer = ProtobufWriter()
    write(to: &writer)
    guard writer.bytes.count <= Int(Int32.max) else { throw ProtobufTooLarge() }
    return writer.bytes
  }
}

/// Writes fields as Protocol Buffers encode them (protobuf.dev/programming-guides/encoding).
///
/// A library of it takes a tenth of the time in which all of Lull is built; these few formats are written, never read.
package struct ProtobufWriter {
  package private(set) var bytes: [UInt8] = []

  private enum Wire: UInt64 {
    case varint = 0
    case fixed64 = 1
    case length = 2
  }

  private mutating func append(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func tag(_ field: UInt64, _ wire: Wire) { append(field << 3 | wire.rawValue) }

  private static func bits(_ value: some FixedWidthInteger) -> UInt64 {
    UInt64(truncatingIfNeeded: value)
  }

  /// A number of a field that tells whether it is there.
  package mutating func add(_ field: UInt64, _ value: (some FixedWidthInteger)?) {
    guard let value else { return }
    tag(field, .varint)
    append(Self.bits(value))
  }

  /// A number, which is left out where it is 0.
  package mutating func addUnlessZero(_ field: UInt64, _ value: some FixedWidthInteger) {
    if value != 0 { add(field, value) }
  }

  package mutating func addFixedUnlessZero(_ field: UInt64, _ value: UInt64) {
    guard value != 0 else { return }
    tag(field, .fixed64)
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Numbers one after another under one tag.
  package mutating func add(_ field: UInt64, packed values: [some FixedWidthInteger]) {
    guard !values.isEmpty else { return }
    var inner = ProtobufWriter()
    for value in values { inner.append(Self.bits(value)) }
    add(field, inner.bytes)
  }

  package mutating func add(_ field: UInt64, _ content: some Collection<UInt8>) {
    tag(field, .length)
    append(UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  /// A text of a field that tells whether it is there.
  package mutating func add(_ field: UInt64, _ text: String?) {
    if let text { add(field, text.utf8) }
  }

  /// A text, which is left out where it is empty.
  package mutating func addUnlessEmpty(_ field: UInt64, _ text: String) {
    if !text.isEmpty { add(field, text.utf8) }
  }

  package mutating func add(_ field: UInt64, each texts: [String]) {
    for text in texts { add(field, text.utf8) }
  }

  package mutating func add(_ field: UInt64, _ message: (some ProtobufMessage)?) {
    guard let message else { return }
    var inner = ProtobufWriter()
    message.write(to: &inner)
    add(field, inner.bytes)
  }

  package mutating func add(_ field: UInt64, each messages: [some ProtobufMessage]) {
    for message in messages { add(field, message) }
  }
}
