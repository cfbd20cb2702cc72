/// Little-endian integers in bytes.
enum Bytes {
  static func u32(_ bytes: [UInt8], _ at: Int) -> UInt32? {
    guard at >= 0, at + 4 <= bytes.count else { return nil }
    return (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }
  }

  static func u64(_ bytes: [UInt8], _ at: Int) -> UInt64? {
    guard at >= 0, at + 8 <= bytes.count else { return nil }
    return (0..<8).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
  }

  static func put(_ value: UInt32, in bytes: inout [UInt8], at: Int) {
    for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }

  static func put(_ value: UInt64, in bytes: inout [UInt8], at: Int) {
    for index in 0..<8 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }
}
