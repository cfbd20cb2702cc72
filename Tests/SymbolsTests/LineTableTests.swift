import Testing

@testable import Symbols

@Suite struct `Lines against addr2line` {
  @Test func `each address of the program has the line and the inlined calls of the tool`() throws {
    let path = try TestProgram.chain("-O", "-g")
    let reader = try ModuleReader(path: path)
    let table = reader.lines(segments: reader.segments)
    let symbols = reader.symbols()
    var addresses: [UInt64] = []
    for entry in symbols.entries {
      guard let name = symbols.find(entry.address)?.mangledName, name.hasPrefix("$s5chain") else {
        continue
      }
      addresses += stride(from: entry.address, to: entry.end, by: 1)
    }
    #expect(addresses.count > 100)
    let input = addresses.map { "0x" + String($0, radix: 16) }.joined(separator: "\n") + "\n"
    // -a begins each answer with the address; with -i there are pairs of lines for each frame.
    let output = try TestProgram.run(["addr2line", "-a", "-i", "-f", "-e", path], input: input)
    var answers: [UInt64: [(function: String, place: String)]] = [:]
    var current: UInt64 = 0
    var pending: String?
    for line in output.split(separator: "\n") {
      if line.hasPrefix("0x") {
        current = UInt64(line.dropFirst(2), radix: 16) ?? 0
        pending = nil
      } else if let function = pending {
        answers[current, default: []].append((function, String(line)))
        pending = nil
      } else {
        pending = String(line)
      }
    }
    var compared = 0
    var inlines: [UInt64: InlineTable] = [:]
    var inlined = 0
    var wrong: [String] = []
    for address in addresses {
      guard let row = table.row(at: address), let truth = answers[address] else { continue }
      let found = table.find(address, functionStart: symbols.find(address)?.start ?? address)
      if row.line > 0 {
        let text = "\(found?.file.split(separator: "/").last ?? "?"):\(found?.line ?? 0)"
        let expected = truth[0].place.split(separator: "/").last.map(String.init) ?? ""
        compared += 1
        if expected.split(separator: " ").first.map(String.init) != text {
          wrong.append("\(String(address, radix: 16)): \(text), not \(expected)")
        }
      } else if let found {
        // Compiler-made code takes the line before it, which is one of this function's file.
        #expect(found.line > 0)
      }
      let unit = table.units[Int(row.unit)]
      if inlines[unit] == nil { inlines[unit] = reader.inlines(unit: unit) }
      let calls = inlines[unit]?.find(address) ?? []
      if !calls.isEmpty { inlined += 1 }
      // The tool gives the trap of a failed check the name of the function around it.
      if calls.first?.function.hasPrefix("Swift runtime failure") == true { continue }
      if calls.map(\.function) != truth.dropLast().map(\.function) {
        wrong.append("\(String(address, radix: 16)): \(calls), not \(truth)")
      }
    }
    #expect(compared > 100)
    #expect(inlined > 5)
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test func `line 0 takes the last line of the same function only`() {
    let rows = [
      LineTable.Row(address: 0x10, file: 1, line: 5, unit: 0),
      LineTable.Row(address: 0x20, file: 1, line: 0, unit: 0),
      LineTable.Row(address: 0x30, file: 1, line: 0, unit: 0),
      LineTable.Row(address: 0x40, file: 0, line: -1, unit: 0),
    ]
    let table = LineTable(rows: rows.reversed(), files: ["", "/a.swift"], units: [11])
    #expect(table.find(0x2f, functionStart: 0x10)?.line == 5)
    #expect(table.find(0x3f, functionStart: 0x30) == nil)
    #expect(table.find(0x40, functionStart: 0x10) == nil)
    #expect(table.find(0x0f, functionStart: 0) == nil)
    #expect(LineTable.empty.find(1, functionStart: 0) == nil)
  }
}
