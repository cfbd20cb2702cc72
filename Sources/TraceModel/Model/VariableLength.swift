/// Bytes and numbers of variable length (seven bits a byte, the lowest first, as DWARF's LEB128 has it), on their way to an array.
struct PackedBytes {
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private var count = 0
  private var rest: [UInt8] = []

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if count < 8 {
      low |= UInt64(byte) << UInt64(8 * count)
    } else if count < 16 {
      high |= UInt64(byte) << UInt64(8 * count - 64)
    } else {
      rest.append(byte)
    }
    count += 1
  }

  @inline(__always)
  mutating func appendVariable(_ value: UInt64) {
    var left = value
    while left >= 0x80 {
      append(UInt8(truncatingIfNeeded: left) | 0x80)
      left >>= 7
    }
    append(UInt8(truncatingIfNeeded: left))
  }

  /// A number of either sign, small when it is near zero.
  @inline(__always)
  mutating func appendVariable(signed value: Int64) {
    appendVariable(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Adds the bytes to an array, all at once.
  @inline(__always)
  func move(to array: inout [UInt8]) {
    withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) {
      array.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<min(count, 16)]))
    }
    if count > 16 { array += rest }
  }
}

/// Reading what `PackedBytes` wrote.
extension [UInt8] {
  /// The number at `offset`, which moves past it.
  @inline(__always)
  func variable(at offset: inout Int) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = self[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  @inline(__always)
  func signedVariable(at offset: inout Int) -> Int64 {
    let value = variable(at: &offset)
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}
