/// Registers of one frame while a stack is unwound, and the copy of the stack.
struct UnwindState {
  /// Values by DWARF number; nil is not known.
  private var values: [UInt64?]
  private(set) var instructionPointer: UInt64
  private(set) var stackPointer: UInt64
  private let sample: UserStackSample

  /// DWARF numbers of the special registers of an instruction set.
  private var framePointerNumber: Int { sample.architecture == .x86 ? 6 : 29 }
  private var stackPointerNumber: Int { sample.architecture == .x86 ? 7 : 31 }

  /// perf's register numbers in the order of DWARF's, for x86-64.
  private static let x86Order = [0, 3, 2, 1, 4, 5, 6, 7] + Array(16...23)

  init(_ sample: UserStackSample) {
    self.sample = sample
    switch sample.architecture {
    case .x86: values = Self.x86Order.map { sample.perfRegister($0) }
    case .arm: values = (0...31).map { sample.perfRegister($0) }
    }
    instructionPointer = sample.instructionPointer
    stackPointer = sample.stackPointer
    values[stackPointerNumber] = sample.stackPointer
    values[framePointerNumber] = sample.framePointer == 0 ? nil : sample.framePointer
  }

  /// The frame pointer register without the mark that asynchronous Swift frames set in it.
  var framePointer: UInt64? { values[framePointerNumber].map(Self.unmarked) }

  static func unmarked(_ value: UInt64) -> UInt64 {
    value >> 60 == 1 ? value & ~(1 << 60) : value
  }

  /// Whether a register that functions keep over their calls is not known.
  var lacksKeptRegisters: Bool {
    (sample.architecture == .x86 ? [3, 12, 13, 14, 15] : Array(19...28))
      .contains { values[$0] == nil }
  }

  /// Takes a frame pointer that was found on the stack.
  mutating func take(framePointer: UInt64) { values[framePointerNumber] = framePointer }

  /// What a step to the caller came to.
  enum Step {
    case caller(returnAddress: UInt64)
    /// The call frame information says that there is no caller.
    case outermost
    /// A value that the rule needs was not recorded.
    case missing
  }

  /// The recorded word at `address`.
  func load(_ address: UInt64) -> UInt64? {
    guard address >= sample.stackPointer else { return nil }
    let offset = address - sample.stackPointer
    guard sample.stack.count >= 8, offset <= UInt64(sample.stack.count - 8) else { return nil }
    return sample.stack.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: Int(offset), as: UInt64.self))
    }
  }

  /// What a frame that reaches up to `end` keeps over its calls, in registers and on the stack; nil where it was not
  /// copied.
  func kept(until end: UInt64) -> (registers: [UInt64], words: [UInt64])? {
    let registers =
      sample.architecture == .x86 ? [3, 12, 13, 14, 15] : Array(19...28)
    var words: [UInt64] = []
    guard end > stackPointer, end - stackPointer <= 4096 else { return nil }
    for address in stride(from: stackPointer, to: end, by: 8) {
      guard let word = load(address) else { return nil }
      words.append(word)
    }
    return (registers.compactMap { values[$0] }, words)
  }

  /// Goes to the caller by call frame information.
  mutating func step(_ rule: FrameRule) -> Step {
    if rule.returnAddress == .undefined { return .outermost }
    guard let frameAddress = frameAddress(rule) else { return .missing }
    // A caller's frame lies above: anything else would not end.
    guard
      rule.isSignalFrame || frameAddress > stackPointer
        || (sample.architecture == .arm && frameAddress == stackPointer)
    else { return .missing }
    let returnNumber = UInt8(sample.architecture == .x86 ? 16 : 30)
    guard var returnAddress = value(of: rule.returnAddress, number: returnNumber, frameAddress)
    else { return .missing }
    if sample.architecture == .arm { returnAddress &= 0x0000_ffff_ffff_ffff }
    var callers = values
    for saved in rule.registers where Int(saved.number) < callers.count {
      var found = value(of: saved.value, number: saved.number, frameAddress)
      if Int(saved.number) == framePointerNumber { found = found.map(Self.unmarked) }
      callers[Int(saved.number)] = found
    }
    callers[stackPointerNumber] = frameAddress
    if sample.architecture == .arm { callers[30] = returnAddress }
    values = callers
    stackPointer = frameAddress
    instructionPointer = returnAddress
    return .caller(returnAddress: returnAddress)
  }

  /// Goes to the caller of the function that set the frame pointer.
  mutating func stepByFramePointer() -> UInt64? {
    guard let framePointer, framePointer >= stackPointer, framePointer % 8 == 0,
      let next = load(framePointer), let returnAddress = load(framePointer &+ 8)
    else { return nil }
    let pointer = Self.unmarked(next)
    // Callee-saved registers may have changed in between.
    for index in values.indices { values[index] = nil }
    stackPointer = framePointer &+ 16
    values[stackPointerNumber] = stackPointer
    values[framePointerNumber] = pointer
    instructionPointer = returnAddress
    return returnAddress
  }

  /// Goes to the caller whose return address lies at `slot`.
  mutating func leave(to returnAddress: UInt64, above slot: UInt64, keepsRegisters: Bool) {
    if !keepsRegisters {
      for index in values.indices where index != framePointerNumber { values[index] = nil }
    }
    stackPointer = slot &+ 8
    values[stackPointerNumber] = stackPointer
    instructionPointer = returnAddress
  }

  /// The frame pointers that the kernel followed, as far as the copy of the stack shows them.
  func frameChain() -> [UInt64] {
    var chain = [Self.unmarked(sample.framePointer)]
    while chain.count < 256, let last = chain.last, let next = load(last),
      Self.unmarked(next) > last
    {
      chain.append(Self.unmarked(next))
    }
    return chain
  }

  private func frameAddress(_ rule: FrameRule) -> UInt64? {
    switch rule.frameAddress {
    case .register(let number, let offset):
      register(number).map { $0 &+ UInt64(bitPattern: offset) }
    case .expression(let operations): evaluate(operations, nil)
    }
  }

  private func register(_ number: UInt8) -> UInt64? {
    if number == 16, sample.architecture == .x86 { return instructionPointer }
    return Int(number) < values.count ? values[Int(number)] : nil
  }

  private func value(of saved: SavedValue, number: UInt8, _ frameAddress: UInt64) -> UInt64? {
    switch saved {
    case .same: register(number)
    case .undefined: nil
    case .atOffset(let offset): load(frameAddress &+ UInt64(bitPattern: offset))
    case .valueOffset(let offset): frameAddress &+ UInt64(bitPattern: offset)
    case .inRegister(let other): register(other)
    case .atExpression(let operations): evaluate(operations, frameAddress).flatMap(load)
    case .valueExpression(let operations): evaluate(operations, frameAddress)
    }
  }

  private func evaluate(_ operations: [FrameOperation], _ frameAddress: UInt64?) -> UInt64? {
    FrameExpression(register: register, load: load)
      .evaluate(operations, frameAddress: frameAddress)
  }
}
