import CPerfEvent

/// A BPF program as it is put together, instruction by instruction (the kernel's Documentation/bpf/standardization).
///
/// Register 0 has the result of a call and of the program, 1 to 5 are the arguments of a call and lost in it, 6 to 9
/// are kept, 10 is the end of the stack.
struct BPFProgram {
  typealias Register = UInt64

  /// How many bytes an instruction reads or writes, as the instruction says it.
  enum Width: UInt64 {
    case four = 0x00
    case two = 0x08
    case eight = 0x18

    init?(bytes: Int) {
      switch bytes {
      case 2: self = .two
      case 4: self = .four
      case 8: self = .eight
      default: return nil
      }
    }
  }

  enum Operation: UInt64 {
    case add = 0x00
    case and = 0x50
    case shiftLeft = 0x60
    case shiftRight = 0x70
    case move = 0xb0
    case shiftRightSigned = 0xc0
  }

  enum Condition: UInt64 {
    case equal = 0x10
    case notEqual = 0x50
    case greaterSigned = 0x60
    case less = 0xa0
    case greaterOrEqual = 0x30
  }

  /// Functions of the kernel, by their numbers in linux/bpf.h.
  enum Function: Int32 {
    case lookUp = 1
    case update = 2
    case time = 5
    case processAndThread = 14
  }

  /// A place to jump to, further on.
  struct Label { fileprivate var number: Int }

  private var code: [UInt64] = []
  private var places: [Int?] = []
  private var jumps: [(at: Int, to: Label)] = []

  private mutating func append(
    _ operation: UInt64, _ target: Register, _ source: Register = 0, offset: Int = 0,
    value: Int32 = 0
  ) {
    code.append(
      operation | target << 8 | source << 12
        | UInt64(UInt16(truncatingIfNeeded: offset)) << 16
        | UInt64(UInt32(bitPattern: value)) << 32)
  }

  mutating func compute(_ target: Register, _ operation: Operation, _ value: Int32) {
    append(0x07 | operation.rawValue, target, value: value)
  }

  mutating func compute(_ target: Register, _ operation: Operation, by source: Register) {
    append(0x0f | operation.rawValue, target, source)
  }

  mutating func load(_ target: Register, _ width: Width, from source: Register, _ offset: Int) {
    append(0x61 | width.rawValue, target, source, offset: offset)
  }

  mutating func store(_ source: Register, _ width: Width, to target: Register, _ offset: Int) {
    append(0x63 | width.rawValue, target, source, offset: offset)
  }

  mutating func store(value: Int32, _ width: Width, to target: Register, _ offset: Int) {
    append(0x62 | width.rawValue, target, offset: offset, value: value)
  }

  /// The map of this descriptor, for a call.
  mutating func load(_ target: Register, map: Int32) {
    append(0x18, target, 1, value: map)
    code.append(0)
  }

  mutating func call(_ function: Function) { append(0x85, 0, value: function.rawValue) }

  mutating func label() -> Label {
    places.append(nil)
    return Label(number: places.count - 1)
  }

  /// Puts a label before the next instruction.
  mutating func place(_ label: Label) { places[label.number] = code.count }

  mutating func jump(
    to label: Label, if register: Register, _ condition: Condition, _ value: Int32
  ) {
    jumps.append((code.count, label))
    append(0x05 | condition.rawValue, register, value: value)
  }

  mutating func jump(
    to label: Label, if register: Register, _ condition: Condition, than other: Register
  ) {
    jumps.append((code.count, label))
    append(0x0d | condition.rawValue, register, other)
  }

  mutating func exit() { append(0x95, 0) }

  /// The instructions, with each jump's distance.
  var instructions: [UInt64] {
    var result = code
    for jump in jumps {
      guard let place = places[jump.to.number] else { continue }
      let distance = UInt16(truncatingIfNeeded: place - jump.at - 1)
      result[jump.at] |= UInt64(distance) << 16
    }
    return result
  }

  /// Loads it into the kernel; nil where that refuses it.
  func loaded() -> OwnedDescriptor? {
    let instructions = instructions
    let descriptor = lull_bpf_load(instructions, instructions.count)
    return descriptor < 0 ? nil : OwnedDescriptor(descriptor)
  }
}
