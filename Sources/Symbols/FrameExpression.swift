/// Evaluates the DWARF expressions that occur in call frame information.
struct FrameExpression {
  /// Value of a register by its DWARF number, if it is known.
  var register: (UInt8) -> UInt64?
  /// The 8-byte word at an address, if it was recorded.
  var load: (UInt64) -> UInt64?

  /// The value on top of the stack at the end; nil if anything needed is not known.
  func evaluate(_ operations: [FrameOperation], frameAddress: UInt64?) -> UInt64? {
    var stack: [UInt64] = []
    for operation in operations {
      guard step(operation, &stack, frameAddress), stack.count < 64 else { return nil }
    }
    return stack.last
  }

  private func step(_ operation: FrameOperation, _ stack: inout [UInt64], _ frameAddress: UInt64?)
    -> Bool
  {
    switch operation.code {
    case 0x03, 0x08...0x11: stack.append(operation.first)  // addr, constants
    case 0x30...0x4f: stack.append(UInt64(operation.code - 0x30))  // lit
    case 0x70...0x8f:  // breg
      guard let value = register(operation.code - 0x70) else { return false }
      stack.append(value &+ operation.first)
    case 0x92:  // bregx
      guard operation.first < 128, let value = register(UInt8(operation.first)) else {
        return false
      }
      stack.append(value &+ operation.second)
    case 0x9c:  // call_frame_cfa
      guard let frameAddress else { return false }
      stack.append(frameAddress)
    case 0x06:  // deref
      guard let address = stack.popLast(), let value = load(address) else { return false }
      stack.append(value)
    case 0x12:  // dup
      guard let top = stack.last else { return false }
      stack.append(top)
    case 0x13:  // drop
      guard stack.popLast() != nil else { return false }
    case 0x23:  // plus_uconst
      guard let top = stack.popLast() else { return false }
      stack.append(top &+ operation.first)
    case 0x1f:  // neg
      guard let top = stack.popLast() else { return false }
      stack.append(0 &- top)
    case 0x20:  // not
      guard let top = stack.popLast() else { return false }
      stack.append(~top)
    case 0x96: break  // nop
    default: return binary(operation.code, &stack)
    }
    return true
  }

  private func binary(_ code: UInt8, _ stack: inout [UInt64]) -> Bool {
    guard let right = stack.popLast(), let left = stack.popLast() else { return false }
    let (a, b) = (Int64(bitPattern: left), Int64(bitPattern: right))
    let result: UInt64
    switch code {
    case 0x1a: result = left & right
    case 0x1c: result = left &- right
    case 0x1e: result = left &* right
    case 0x21: result = left | right
    case 0x22: result = left &+ right
    case 0x24: result = right < 64 ? left << right : 0
    case 0x25: result = right < 64 ? left >> right : 0
    case 0x26: result = UInt64(bitPattern: a >> min(63, right))
    case 0x27: result = left ^ right
    case 0x29: result = a == b ? 1 : 0
    case 0x2a: result = a >= b ? 1 : 0
    case 0x2b: result = a > b ? 1 : 0
    case 0x2c: result = a <= b ? 1 : 0
    case 0x2d: result = a < b ? 1 : 0
    case 0x2e: result = a != b ? 1 : 0
    default: return false
    }
    stack.append(result)
    return true
  }
}
