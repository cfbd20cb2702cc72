/// What was recorded of a thread's user stack at one moment.
public struct UserStackSample: Sendable {
  /// Instruction set of the recorded machine, which gives the order of the registers.
  public enum Architecture: Hashable, Sendable {
    case x86
    case arm
  }

  public var architecture: Architecture
  public var instructionPointer: UInt64
  public var stackPointer: UInt64
  /// 0 where it is not known.
  public var framePointer: UInt64
  /// Values in ascending order of the bits of `registerMask` (perf's order).
  public var registers: [UInt64]
  public var registerMask: UInt64
  /// Copy of the stack; its first byte lies at the stack pointer.
  public var stack: [UInt8]
  /// The user part of the kernel's callchain without markers: instruction pointer, then returns.
  public var callchain: [UInt64]

  public init(
    instructionPointer: UInt64, stackPointer: UInt64, framePointer: UInt64,
    registers: [UInt64] = [], registerMask: UInt64 = 0, stack: [UInt8] = [],
    callchain: [UInt64] = [], architecture: Architecture = .x86
  ) {
    self.architecture = architecture
    self.instructionPointer = instructionPointer
    self.stackPointer = stackPointer
    self.framePointer = framePointer
    self.registers = registers
    self.registerMask = registerMask
    self.stack = stack
    self.callchain = callchain
  }

  /// Takes the three pointers from the registers; nil if the stack or instruction pointer was not recorded.
  public init?(
    registers: [UInt64], registerMask: UInt64, stack: [UInt8], callchain: [UInt64],
    architecture: Architecture = .x86
  ) {
    self.init(
      instructionPointer: 0, stackPointer: 0, framePointer: 0, registers: registers,
      registerMask: registerMask, stack: stack, callchain: callchain, architecture: architecture)
    let (frame, stackNumber, instruction) = architecture == .x86 ? (6, 7, 8) : (29, 31, 32)
    guard let instructionPointer = perfRegister(instruction),
      let stackPointer = perfRegister(stackNumber)
    else { return nil }
    self.instructionPointer = instructionPointer
    self.stackPointer = stackPointer
    framePointer = perfRegister(frame) ?? 0
  }

  /// Whether nothing but the stack and instruction pointers was recorded.
  var lacksRegisters: Bool { registerMask.nonzeroBitCount == 2 }

  /// The register with perf's number `number`, if it was recorded.
  func perfRegister(_ number: Int) -> UInt64? {
    guard number < 64, registerMask & 1 << UInt64(number) != 0 else { return nil }
    let index = (registerMask & (1 << UInt64(number) - 1)).nonzeroBitCount
    return index < registers.count ? registers[index] : nil
  }
}

/// Addresses of a stack, for look-up.
public struct UnwoundStack: Hashable, Sendable {
  /// Innermost first; those of callers point into the call instruction.
  public var addresses: [UInt64]
  /// Indices into `addresses` before which frames may be missing; its count if the end is missing.
  public var gapAt: [Int]
  /// Whether the outermost frame is the first of the thread, and nothing is missing between.
  public var isComplete: Bool
  /// What a function that drains a serial dispatch queue keeps over its calls, the queue's address among it.
  public struct Drain: Hashable, Sendable {
    public var isOfMainQueue: Bool
    public var registers: [UInt64]
    /// On the stack.
    public var words: [UInt64]
  }

  /// Those of them that are among the addresses, where what they keep was copied.
  public var drains: [Int: Drain] = [:]

  public init(addresses: [UInt64] = [], gapAt: [Int] = [], isComplete: Bool = false) {
    self.addresses = addresses
    self.gapAt = gapAt
    self.isComplete = isComplete
  }
}
