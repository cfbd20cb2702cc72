import Foundation
import Testing

@testable import Symbols

@Suite struct `Lines against addr2line` {
  /// How the debug sections of a program are kept.
  enum Form: CaseIterable {
    case plain, zlib, zstd, besideInZstd

    /// Such a program, made of the plain one.
    func program() throws -> String {
      let plain = try TestProgram.chain("-O", "-g")
      switch self {
      case .plain: return plain
      case .zlib: return try TestProgram.compressed(plain, by: "zlib")
      case .zstd: return try TestProgram.compressed(plain, by: "zstd")
      case .besideInZstd:
        let lines = try TestProgram.compressed(plain, by: "zstd")
        let path = plain + ".beside"
        try TestProgram.run([
          "objcopy", "--strip-debug", "--add-gnu-debuglink=\(lines)", plain, path,
        ])
        return path
      }
    }
  }

  @Test(
    .enabled(if: TestProgram.canCompress, "objcopy of binutils 2.40 compresses by zstd"),
    arguments: Form.allCases)
  func `each address of the program has the line and the inlined calls of the tool`(_ form: Form)
    throws
  {
    let path = try TestProgram.chain("-O", "-g")
    let reader = LocalContents(try ModuleReader(path: form.program()))
    let table = reader.lines()
    let symbols = reader.symbols()
    var addresses: [UInt64] = []
    for (start, end) in zip(symbols.addresses, symbols.ends) {
      guard let name = symbols.find(start)?.mangledName, name.hasPrefix("$s5chain") else {
        continue
      }
      addresses += stride(from: start, to: end, by: 1)
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

  /// What a file claims of its compressed lines, and what is said of it; nothing of that size is taken.
  @Test(
    .enabled(if: TestProgram.canCompress, "objcopy of binutils 2.40 compresses by zstd"),
    arguments: [
      (0, UInt64(7), "is compressed in a way that is not known (7)"),
      (8, UInt64(1) << 40, "to 1099511627776 bytes"), (8, UInt64.max, "to \(UInt64.max) bytes"),
      (8, UInt64(1) << 29, "to 536870912 bytes"), (8, UInt64(1) << 20, "is damaged"),
      (8, UInt64(1), "is damaged"), (8, UInt64(0), "is damaged"), (24, UInt64(0), "is damaged"),
    ])
  func `lines that cannot be unpacked are said to be missing, and names stay`(
    offset: Int, value: UInt64, reason: String
  ) throws {
    let packed = try TestProgram.compressed(try TestProgram.chain("-O", "-g"), by: "zstd")
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: packed)))
    let section = try #require(try ModuleReader(path: packed).section(".debug_line"))
    for (index, byte) in withUnsafeBytes(of: value.littleEndian, { Array($0) }).enumerated() {
      // The kind of compression takes four bytes, behind it is room.
      if offset == 0, index >= 4 { break }
      bytes[Int(section.header.sh_offset) + offset + index] = byte
    }
    let path = "\(TestProgram.directory)/lying-\(UUID().uuidString)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let modules = ModuleCache(process: nil)
    let module = modules.module(
      for: ModuleMapping(start: 0, end: 1 << 40, fileOffset: 0, path: path, buildID: nil))
    let before = try Self.peakKilobytes()
    let functions = try ModuleReader(path: path).symbols().addresses
    #expect(functions.count > 10 && functions.allSatisfy { module.function(at: $0) != nil })
    #expect(functions.allSatisfy { module.source(at: $0) == SourcePlace() })
    let problem = try #require(modules.linesProblems.first)
    #expect(problem.hasPrefix("\(path): .debug_line ") || problem.contains("of .debug_line is"))
    #expect(problem.contains(reason))
    #expect(try Self.peakKilobytes() - before < 64 << 10)
  }

  /// The most memory that this process has had at once.
  private static func peakKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(separator: " ")[1]))
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
