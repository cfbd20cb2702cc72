import CElf
import Glibc

/// Collects the rows of a module's call frame information.
struct CallFrameBuilder {
  private let information: OpaquePointer
  private let returnAddressRegister: Int32
  private let savedRegisters: [UInt8]
  private var rows: [(start: UInt64, rule: UInt32)] = []
  private var rules: [FrameRule] = []
  private var indices: [FrameRule: UInt32] = [:]
  /// libdw interprets a function from its start for each row, so a hostile one costs the square.
  private var work = 0

  init(information: OpaquePointer, machine: ModuleReader.Machine) {
    self.information = information
    switch machine {
    case .x86:
      returnAddressRegister = 16
      savedRegisters = [3, 6, 12, 13, 14, 15]
    case .arm:
      returnAddressRegister = 30
      savedRegisters = Array(19...29)
    }
  }

  var hasRoom: Bool {
    rows.count < ModuleReader.Limit.callFrameRows && work < ModuleReader.Limit.callFrameWork
  }

  var table: CallFrameTable { CallFrameTable(rows: rows, rules: rules) }

  /// Adds the rows of the function at `range`.
  mutating func append(_ range: Range64) {
    var address = range.start
    var previous = CallFrameTable.none
    var count = 0
    while address < range.end, hasRoom {
      count += 1
      work += count
      var opened: OpaquePointer?
      guard libdw.dwarf_cfi_addrframe(information, address, &opened) == 0, let frame = opened else {
        if previous != CallFrameTable.none || count == 1 {
          rows.append((address, CallFrameTable.none))
        }
        return
      }
      defer { free(UnsafeMutableRawPointer(frame)) }
      var start: UInt64 = 0
      var end: UInt64 = 0
      var isSignalFrame = false
      let found = libdw.dwarf_frame_info(frame, &start, &end, &isSignalFrame)
      let index: UInt32
      if found >= 0, let rule = rule(of: frame, isSignalFrame: isSignalFrame) {
        index = self.index(of: rule)
      } else {
        index = CallFrameTable.none
      }
      if index != previous || count == 1 { rows.append((address, index)) }
      previous = index
      address = max(end, address + 1)
    }
    rows.append((range.end, CallFrameTable.none))
  }

  /// The rule of one instruction, with the addresses around it of which the same is true.
  func rule(at address: UInt64) -> Ranged<FrameRule?> {
    let nothing = Ranged<FrameRule?>(range: address...address, value: nil)
    var opened: OpaquePointer?
    guard libdw.dwarf_cfi_addrframe(information, address, &opened) == 0, let frame = opened else {
      return nothing
    }
    defer { free(UnsafeMutableRawPointer(frame)) }
    var start: UInt64 = 0
    var end: UInt64 = 0
    var isSignalFrame = false
    guard libdw.dwarf_frame_info(frame, &start, &end, &isSignalFrame) >= 0 else { return nothing }
    let rule = rule(of: frame, isSignalFrame: isSignalFrame)
    guard start <= address, address < end else {
      return Ranged(range: address...address, value: rule)
    }
    return Ranged(range: start...(end - 1), value: rule)
  }

  private mutating func index(of rule: FrameRule) -> UInt32 {
    if let known = indices[rule] { return known }
    let index = UInt32(rules.count)
    rules.append(rule)
    indices[rule] = index
    return index
  }

  private func rule(of frame: OpaquePointer, isSignalFrame: Bool) -> FrameRule? {
    var operations: UnsafeMutablePointer<Dwarf_Op>?
    var count = 0
    guard libdw.dwarf_frame_cfa(frame, &operations, &count) == 0, count > 0, let operations else {
      return nil
    }
    let address: FrameRule.FrameAddress
    let first = operations[0]
    if count == 1, first.atom >= 0x70, first.atom <= 0x8f {
      address = .register(first.atom - 0x70, Int64(bitPattern: first.number))
    } else if count == 1, first.atom == 0x92, first.number < 128 {
      address = .register(UInt8(first.number), Int64(bitPattern: first.number2))
    } else {
      address = .expression(Self.copy(operations, count))
    }
    guard let returnAddress = saved(returnAddressRegister, in: frame) else { return nil }
    var registers: [FrameRule.SavedRegister] = []
    for number in savedRegisters {
      guard let value = saved(Int32(number), in: frame) else { return nil }
      if value != .same { registers.append(.init(number: number, value: value)) }
    }
    return FrameRule(
      frameAddress: address, returnAddress: returnAddress, registers: registers,
      isSignalFrame: isSignalFrame)
  }

  private func saved(_ register: Int32, in frame: OpaquePointer) -> SavedValue? {
    withUnsafeTemporaryAllocation(of: Dwarf_Op.self, capacity: 3) { memory in
      guard let own = memory.baseAddress else { return nil }
      own.initialize(repeating: Dwarf_Op(), count: 3)
      var operations: UnsafeMutablePointer<Dwarf_Op>?
      var count = 0
      guard libdw.dwarf_frame_register(frame, register, own, &operations, &count) == 0 else {
        return nil
      }
      guard let operations else { return .same }
      if count == 0 { return .undefined }
      return Self.saved(operations, count)
    }
  }

  private static func saved(_ operations: UnsafeMutablePointer<Dwarf_Op>, _ count: Int)
    -> SavedValue
  {
    let first = operations[0]
    if count == 1 {
      if first.atom >= 0x50, first.atom <= 0x6f { return .inRegister(first.atom - 0x50) }
      if first.atom == 0x90, first.number < 128 { return .inRegister(UInt8(first.number)) }
      if first.atom == 0x9c { return .atOffset(0) }
    }
    let isValue = operations[count - 1].atom == 0x9f
    if first.atom == 0x9c {
      if isValue, count == 2 { return .valueOffset(0) }
      if count - (isValue ? 1 : 0) == 2, operations[1].atom == 0x23 {
        let offset = Int64(bitPattern: operations[1].number)
        return isValue ? .valueOffset(offset) : .atOffset(offset)
      }
    }
    let all = copy(operations, isValue ? count - 1 : count)
    return isValue ? .valueExpression(all) : .atExpression(all)
  }

  private static func copy(_ operations: UnsafeMutablePointer<Dwarf_Op>, _ count: Int)
    -> [FrameOperation]
  {
    (0..<min(count, 256)).map {
      FrameOperation(
        code: operations[$0].atom, first: operations[$0].number, second: operations[$0].number2)
    }
  }
}
