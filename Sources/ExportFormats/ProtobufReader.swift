/// Reads the fields of a message of Protocol Buffers that was received.
package enum ProtobufReader {
  package enum Value: Equatable {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  /// The fields with their numbers, in the order in which they stand; nil where the bytes are no message.
  package static func fields(of bytes: ArraySlice<UInt8>) -> [(number: UInt64, value: Value)]? {
    var rest = bytes
    var fields: [(number: UInt64, value: Value)] = []
    while !rest.isEmpty {
      guard let tag = varint(&rest) else { return nil }
      let value: Value?
      switch tag & 7 {
      case 0: value = varint(&rest).map { .number($0) }
      case 1: value = take(8, &rest).map { .bytes($0) }
      case 2: value = varint(&rest).flatMap { take($0, &rest) }.map { .bytes($0) }
      case 5: value = take(4, &rest).map { .bytes($0) }
      default: value = nil
      }
      guard let value else { return nil }
      fields.append((tag >> 3, value))
    }
    return fields
  }

  private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  private static func take(_ count: UInt64, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard count <= UInt64(rest.count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return rest.prefix(Int(count))
  }
}
