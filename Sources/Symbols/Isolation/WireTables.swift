/// The tables of a module as the reading process sends them; what is received is checked before it is used.
extension ModuleHeader {
  func write(to writer: inout WireWriter) {
    writer.put(UInt8(machine == .x86 ? 0 : 1))
    writer.put(UInt8(isProgramFile ? 1 : 0))
    writer.put(held.rawValue)
    writer.put(callFrameBytes)
    writer.put(symbolBytes)
    writer.put(lineBytes)
    writer.put(debugNames.byBuildID)
    writer.put(debugNames.link)
    writer.put(segments.map(\.fileOffset))
    writer.put(segments.map(\.fileSize))
    writer.put(segments.map(\.address))
    writer.put(segments.map { UInt8($0.isExecutable ? 1 : 0) })
  }

  init(from reader: inout WireReader) throws(WireError) {
    machine = try reader.number(UInt8.self) == 0 ? .x86 : .arm
    isProgramFile = try reader.number(UInt8.self) != 0
    held = HeldLibraries(rawValue: try reader.number(UInt8.self))
    callFrameBytes = try reader.number(UInt64.self)
    symbolBytes = try reader.number(UInt64.self)
    lineBytes = try reader.number(UInt64.self)
    debugNames = DebugFile.Names(
      byBuildID: try reader.optionalText(), link: try reader.optionalText())
    let offsets = try reader.numbers(UInt64.self)
    let sizes = try reader.numbers(UInt64.self)
    let addresses = try reader.numbers(UInt64.self)
    let executable = try reader.numbers(UInt8.self)
    guard [sizes.count, addresses.count, executable.count].allSatisfy({ $0 == offsets.count })
    else { throw WireError() }
    segments = []
    for index in offsets.indices {
      guard !addresses[index].addingReportingOverflow(sizes[index]).overflow else {
        throw WireError()
      }
      segments.append(
        .init(
          fileOffset: offsets[index], fileSize: sizes[index], address: addresses[index],
          isExecutable: executable[index] != 0))
    }
  }
}

extension SymbolTable {
  func write(to writer: inout WireWriter) {
    writer.put(addresses)
    writer.put(ends)
    writer.put(nameOffsets)
    writer.put(nameLengths)
    writer.put(names)
  }

  init(from reader: inout WireReader) throws(WireError) {
    guard
      let table = Self(
        addresses: try reader.column(), ends: try reader.column(),
        nameOffsets: try reader.column(), nameLengths: try reader.column(),
        names: try reader.column())
    else { throw WireError() }
    self = table
  }
}

extension LineTable {
  func write(to writer: inout WireWriter) {
    writer.put(addresses)
    writer.put(fileOfRow)
    writer.put(lineOfRow)
    writer.put(unitOfRow)
    writer.put(files)
    writer.put(units)
    writer.put(problem)
  }

  init(from reader: inout WireReader) throws(WireError) {
    guard
      let table = Self(
        addresses: try reader.column(), fileOfRow: try reader.column(),
        lineOfRow: try reader.column(), unitOfRow: try reader.column(),
        files: try reader.texts(), units: try reader.numbers(),
        problem: try reader.optionalText())
    else { throw WireError() }
    self = table
  }
}

extension InlineTable {
  func write(to writer: inout WireWriter) {
    writer.put(starts)
    writer.put(chainOfPart)
    writer.put(UInt64(chains.count))
    for chain in chains { writer.put(chain) }
    writer.put(UInt64(calls.count))
    for call in calls { call.write(to: &writer) }
  }

  init(from reader: inout WireReader) throws(WireError) {
    let starts = try reader.numbers(UInt64.self)
    let parts = try reader.numbers(UInt32.self)
    var chains: [[UInt32]] = []
    for _ in 0..<(try reader.count(of: 8)) { chains.append(try reader.numbers(UInt32.self)) }
    var calls: [InlinedCall] = []
    for _ in 0..<(try reader.count(of: InlinedCall.smallest)) {
      calls.append(try InlinedCall(from: &reader))
    }
    guard starts.count == parts.count,
      chains.allSatisfy({ $0.allSatisfy { $0 < calls.count } })
    else { throw WireError() }
    self.init(starts: starts, chainOfPart: parts, chains: chains, calls: calls)
  }
}

extension InlinedCall {
  /// What one takes at least as it is sent.
  static var smallest: Int { 17 }

  func write(to writer: inout WireWriter) {
    writer.put(function)
    writer.put(callFile)
    writer.put(Int64(callLine ?? -1))
  }

  init(from reader: inout WireReader) throws(WireError) {
    function = try reader.text()
    callFile = try reader.optionalText()
    let line = try reader.number(Int64.self)
    callLine = line < 0 ? nil : Int(exactly: line)
  }
}

extension FunctionName {
  func write(to writer: inout WireWriter) {
    writer.put(simplified)
    writer.put(full)
    writer.put(UInt8(isOwn ? 1 : 0))
  }

  init(from reader: inout WireReader) throws(WireError) {
    simplified = try reader.text()
    full = try reader.optionalText()
    isOwn = try reader.number(UInt8.self) != 0
  }
}

extension NamedFunction {
  static func write(_ function: NamedFunction?, to writer: inout WireWriter) {
    writer.put(UInt8(function == nil ? 0 : 1))
    guard let function else { return }
    writer.put(function.function.mangledName)
    writer.put(function.function.start)
    writer.put(function.function.end)
    writer.put(UInt8(function.shown == nil ? 0 : 1))
    function.shown?.write(to: &writer)
  }

  static func read(from reader: inout WireReader) throws(WireError) -> NamedFunction? {
    guard try reader.number(UInt8.self) != 0 else { return nil }
    let function = SymbolTable.Function(
      mangledName: try reader.text(), start: try reader.number(), end: try reader.number())
    let isShown = try reader.number(UInt8.self) != 0
    return NamedFunction(
      function: function, shown: isShown ? try FunctionName(from: &reader) : nil)
  }
}
