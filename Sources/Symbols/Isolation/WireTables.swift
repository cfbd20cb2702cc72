/// The tables of a module as the reading process sends them; what is received is checked before it is used.
extension ModuleHeader {
  func write(to writer: inout WireWriter) {
    writer.put(UInt8(machine == .x86 ? 0 : 1))
    writer.put(UInt8(isProgramFile ? 1 : 0))
    writer.put(UInt8(holdsSwiftRuntime ? 1 : 0))
    writer.put(callFrameBytes)
    writer.put(segments.map(\.fileOffset))
    writer.put(segments.map(\.fileSize))
    writer.put(segments.map(\.address))
    writer.put(segments.map { UInt8($0.isExecutable ? 1 : 0) })
  }

  init(from reader: inout WireReader) throws(WireError) {
    machine = try reader.number(UInt8.self) == 0 ? .x86 : .arm
    isProgramFile = try reader.number(UInt8.self) != 0
    holdsSwiftRuntime = try reader.number(UInt8.self) != 0
    callFrameBytes = try reader.number(UInt64.self)
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
    writer.put(entries.map(\.address))
    writer.put(entries.map(\.end))
    writer.put(entries.map(\.nameOffset))
    writer.put(entries.map(\.nameLength))
    writer.put(names)
  }

  init(from reader: inout WireReader) throws(WireError) {
    let addresses = try reader.numbers(UInt64.self)
    let ends = try reader.numbers(UInt64.self)
    let offsets = try reader.numbers(UInt32.self)
    let lengths = try reader.numbers(UInt32.self)
    let names = try reader.numbers(UInt8.self)
    guard [ends.count, offsets.count, lengths.count].allSatisfy({ $0 == addresses.count }) else {
      throw WireError()
    }
    var entries: [Entry] = []
    entries.reserveCapacity(addresses.count)
    for index in addresses.indices {
      guard Int(offsets[index]) + Int(lengths[index]) <= names.count else { throw WireError() }
      entries.append(
        Entry(
          address: addresses[index], end: max(ends[index], addresses[index]),
          nameOffset: offsets[index], nameLength: lengths[index], rank: 0))
    }
    self.init(entries: entries, names: names, limit: 0)
  }
}

extension LineTable {
  func write(to writer: inout WireWriter) {
    writer.put(rows.map(\.address))
    writer.put(rows.map(\.file))
    writer.put(rows.map(\.line))
    writer.put(rows.map(\.unit))
    writer.put(files)
    writer.put(units)
    writer.put(problem)
  }

  init(from reader: inout WireReader) throws(WireError) {
    let addresses = try reader.numbers(UInt64.self)
    let files = try reader.numbers(UInt32.self)
    let lines = try reader.numbers(Int32.self)
    let units = try reader.numbers(UInt32.self)
    guard [files.count, lines.count, units.count].allSatisfy({ $0 == addresses.count }) else {
      throw WireError()
    }
    let rows = addresses.indices.map {
      Row(address: addresses[$0], file: files[$0], line: lines[$0], unit: units[$0])
    }
    self.init(
      sorted: rows, files: try reader.texts(), units: try reader.numbers(UInt64.self),
      problem: try reader.optionalText())
  }
}

extension InlineTable {
  func write(to writer: inout WireWriter) {
    writer.put(starts)
    writer.put(chainOfPart)
    writer.put(UInt64(chains.count))
    for chain in chains { writer.put(chain) }
    writer.put(UInt64(calls.count))
    for call in calls {
      writer.put(call.function)
      writer.put(call.callFile)
      writer.put(Int64(call.callLine ?? -1))
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    let starts = try reader.numbers(UInt64.self)
    let parts = try reader.numbers(UInt32.self)
    var chains: [[UInt32]] = []
    for _ in 0..<(try reader.count(of: 8)) { chains.append(try reader.numbers(UInt32.self)) }
    var calls: [InlinedCall] = []
    for _ in 0..<(try reader.count(of: 17)) {
      let function = try reader.text()
      let file = try reader.optionalText()
      let line = try reader.number(Int64.self)
      calls.append(
        InlinedCall(
          function: function, callFile: file, callLine: line < 0 ? nil : Int(exactly: line)))
    }
    guard starts.count == parts.count,
      chains.allSatisfy({ $0.allSatisfy { $0 < calls.count } })
    else { throw WireError() }
    self.init(starts: starts, chainOfPart: parts, chains: chains, calls: calls)
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
