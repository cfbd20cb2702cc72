/// Call frame information as the reading process sends it.
extension CallFrameTable {
  func write(to writer: inout WireWriter) {
    writer.put(starts)
    writer.put(ruleIndices)
    writer.put(UInt64(rules.count))
    for rule in rules { rule.write(to: &writer) }
  }

  init(from reader: inout WireReader) throws(WireError) {
    let starts = try reader.column(UInt64.self)
    let indices = try reader.column(UInt32.self)
    var rules: [FrameRule] = []
    for _ in 0..<(try reader.count(of: 4)) { rules.append(try FrameRule(from: &reader)) }
    guard let table = Self(sortedStarts: starts, ruleIndices: indices, rules: rules) else {
      throw WireError()
    }
    self = table
  }
}

extension FrameRule {
  static func write(_ rule: FrameRule?, to writer: inout WireWriter) {
    writer.put(UInt8(rule == nil ? 0 : 1))
    rule?.write(to: &writer)
  }

  static func read(from reader: inout WireReader) throws(WireError) -> FrameRule? {
    try reader.number(UInt8.self) == 0 ? nil : try FrameRule(from: &reader)
  }

  func write(to writer: inout WireWriter) {
    switch frameAddress {
    case .register(let number, let offset):
      writer.put(UInt8(0))
      writer.put(number)
      writer.put(offset)
    case .expression(let operations):
      writer.put(UInt8(1))
      FrameOperation.write(operations, to: &writer)
    }
    returnAddress.write(to: &writer)
    writer.put(UInt64(registers.count))
    for register in registers {
      writer.put(register.number)
      register.value.write(to: &writer)
    }
    writer.put(UInt8(isSignalFrame ? 1 : 0))
  }

  init(from reader: inout WireReader) throws(WireError) {
    if try reader.number(UInt8.self) == 0 {
      let number = try reader.number(UInt8.self)
      frameAddress = .register(number, try reader.number(Int64.self))
    } else {
      frameAddress = .expression(try FrameOperation.read(from: &reader))
    }
    returnAddress = try SavedValue(from: &reader)
    registers = []
    for _ in 0..<(try reader.count(of: 2)) {
      let number = try reader.number(UInt8.self)
      registers.append(SavedRegister(number: number, value: try SavedValue(from: &reader)))
    }
    isSignalFrame = try reader.number(UInt8.self) != 0
  }
}

extension SavedValue {
  func write(to writer: inout WireWriter) {
    func put(_ code: UInt8) { writer.put(code) }
    switch self {
    case .same: put(0)
    case .undefined: put(1)
    case .atOffset(let offset):
      put(2)
      writer.put(offset)
    case .valueOffset(let offset):
      put(3)
      writer.put(offset)
    case .inRegister(let number):
      put(4)
      writer.put(number)
    case .atExpression(let operations):
      put(5)
      FrameOperation.write(operations, to: &writer)
    case .valueExpression(let operations):
      put(6)
      FrameOperation.write(operations, to: &writer)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    switch try reader.number(UInt8.self) {
    case 0: self = .same
    case 1: self = .undefined
    case 2: self = .atOffset(try reader.number(Int64.self))
    case 3: self = .valueOffset(try reader.number(Int64.self))
    case 4: self = .inRegister(try reader.number(UInt8.self))
    case 5: self = .atExpression(try FrameOperation.read(from: &reader))
    case 6: self = .valueExpression(try FrameOperation.read(from: &reader))
    default: throw WireError()
    }
  }
}

extension FrameOperation {
  static func write(_ operations: [FrameOperation], to writer: inout WireWriter) {
    writer.put(operations.map(\.code))
    writer.put(operations.map(\.first))
    writer.put(operations.map(\.second))
  }

  static func read(from reader: inout WireReader) throws(WireError) -> [FrameOperation] {
    let codes = try reader.numbers(UInt8.self)
    let firsts = try reader.numbers(UInt64.self)
    let seconds = try reader.numbers(UInt64.self)
    guard firsts.count == codes.count, seconds.count == codes.count else { throw WireError() }
    return codes.indices.map {
      FrameOperation(code: codes[$0], first: firsts[$0], second: seconds[$0])
    }
  }
}
