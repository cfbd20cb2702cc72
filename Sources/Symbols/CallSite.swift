/// Recognizes return addresses by the call instruction in front of them.
enum CallSite {
  /// Whether the instruction that ends at `address` is a call.
  static func precedes(_ address: UInt64, in contents: any ModuleContents) -> Bool {
    switch contents.header.machine {
    case .x86:
      guard address >= 8 else { return false }
      let code = contents.bytes(at: address - 8, count: 8)
      return code.count == 8 && isX86Call(code)
    case .arm:
      guard address >= 4, address % 4 == 0 else { return false }
      let code = contents.bytes(at: address - 4, count: 4)
      guard code.count == 4 else { return false }
      let word = code.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      // BL, BLR and its authenticated forms.
      return word >> 26 == 0b100101 || word & 0xffff_fc1f == 0xd63f_0000
        || word & 0xfeff_f800 == 0xd63f_0800
    }
  }

  /// The link-time address that the call before `address` names, if it is a direct one.
  static func directTarget(_ address: UInt64, in contents: any ModuleContents) -> UInt64? {
    let size: UInt64 = contents.header.machine == .x86 ? 5 : 4
    guard address >= size else { return nil }
    let code = contents.bytes(at: address - size, count: Int(size))
    guard code.count == size else { return nil }
    let word = code.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    switch contents.header.machine {
    case .x86:
      guard code[0] == 0xe8 else { return nil }
      return address &+ UInt64(bitPattern: Int64(Int32(bitPattern: word)))
    case .arm:
      guard word >> 26 == 0b100101 else { return nil }
      let distance = Int64(Int32(bitPattern: word << 6) >> 4)
      return (address - 4) &+ UInt64(bitPattern: distance)
    }
  }

  /// Whether some call instruction ends at the end of these eight bytes.
  static func isX86Call(_ code: [UInt8]) -> Bool {
    guard code.count == 8 else { return false }
    if code[3] == 0xe8 { return true }  // call rel32
    // call r/m64: FF /2, with two to seven bytes by its addressing mode.
    for length in 2...7 {
      let start = 8 - length
      guard code[start] == 0xff, code[start + 1] >> 3 & 7 == 2 else { continue }
      let mode = code[start + 1] >> 6
      let register = code[start + 1] & 7
      var size = 2
      if mode != 3, register == 4 {
        guard length > 2 else { continue }
        size += 1
        if mode == 0, code[start + 2] & 7 == 5 { size += 4 }
      } else if mode == 0, register == 5 {
        size += 4
      }
      if mode == 1 { size += 1 }
      if mode == 2 { size += 4 }
      if size == length { return true }
    }
    return false
  }
}
