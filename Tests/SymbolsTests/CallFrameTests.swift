import Testing

@testable import Symbols

@Suite struct `Call frame information against readelf` {
  private static let registers: [String: UInt8] = [
    "rbx": 3, "rbp": 6, "r12": 12, "r13": 13, "r14": 14, "r15": 15,
  ]

  /// The text that readelf shows for a value.
  private func text(_ value: SavedValue) -> String {
    switch value {
    case .same: "s"
    case .undefined: "u"
    case .atOffset(let offset): "c\(offset >= 0 ? "+" : "")\(offset)"
    case .valueOffset(let offset): "v\(offset >= 0 ? "+" : "")\(offset)"
    case .inRegister(let number): "r\(number)"
    case .atExpression: "exp"
    case .valueExpression: "vexp"
    }
  }

  private func text(_ address: FrameRule.FrameAddress) -> String {
    guard case .register(let number, let offset) = address else { return "exp" }
    let name =
      [1: "rdx", 7: "rsp", 6: "rbp", 3: "rbx", 10: "r10", 13: "r13"][number] ?? "r\(number)"
    return "\(name)\(offset >= 0 ? "+" : "")\(offset)"
  }

  @Test(arguments: ["program", "C library"])
  func `every row has the tool's values`(file: String) throws {
    let path: String
    if file == "program" {
      path = try TestProgram.chain("-O", "-static-stdlib")
    } else {
      path = try TestProgram.cLibrary()
    }
    let reader = try ModuleReader(path: path)
    let table = reader.callFrames()
    var columns: [String] = []
    var inFunction = false
    var rows = 0
    var wrong: [String] = []
    // The tool ends with status 1 after warnings about the debug link.
    let listing = try TestProgram.run(["sh", "-c", "readelf -wF '\(path)' || true"])
    for line in listing.split(separator: "\n") {
      let parts = line.split(separator: " ").map(String.init)
      if line.contains(" FDE ") || line.contains(" CIE ") {
        inFunction = line.contains(" FDE ")
      } else if parts.first == "LOC" {
        columns = parts
      } else if inFunction, parts.count == columns.count, parts[0].count == 16,
        let address = UInt64(parts[0], radix: 16)
      {
        rows += 1
        guard let rule = table.find(address) else {
          wrong.append("\(line): none")
          continue
        }
        // Found by the file's index rather than in the table of all.
        if reader.callFrame(at: address).value != rule {
          wrong.append("\(line): another by itself")
        }
        var differences: [String] = []
        for (column, value) in zip(columns, parts).dropFirst() {
          if column == "CFA" {
            if text(rule.frameAddress) != value { differences.append(text(rule.frameAddress)) }
          } else if column == "ra" {
            if text(rule.returnAddress) != value { differences.append(text(rule.returnAddress)) }
          } else if let number = Self.registers[column] {
            // "u" of a register that must be kept means that no rule was given.
            let saved = rule.registers.first { $0.number == number }?.value ?? .same
            if text(saved) != value, !(value == "u" && saved == .same) {
              differences.append("\(column) \(text(saved))")
            }
          }
        }
        if !differences.isEmpty { wrong.append("\(line): \(differences)") }
      }
    }
    #expect(rows > 10_000)
    #expect(wrong.isEmpty, "\(wrong.count) of \(rows): \(wrong.prefix(8))")
  }

  @Test func `expressions are computed`() {
    let memory: [UInt64: UInt64] = [0x108: 0x5555]
    let expression = FrameExpression(
      register: { $0 == 7 ? 0x100 : $0 == 16 ? 0x123b : nil }, load: { memory[$0] })
    func operation(_ code: UInt8, _ first: UInt64 = 0) -> FrameOperation {
      FrameOperation(code: code, first: first, second: 0)
    }
    // The rule of a procedure linkage table: rsp + 8 + ((rip & 15) >= 11) << 3.
    let linkage = [
      operation(0x77, 8), operation(0x80), operation(0x3f), operation(0x1a), operation(0x3b),
      operation(0x2a), operation(0x33), operation(0x24), operation(0x22),
    ]
    #expect(expression.evaluate(linkage, frameAddress: nil) == 0x110)
    let load = [operation(0x9c), operation(0x23, 8), operation(0x06)]
    #expect(expression.evaluate(load, frameAddress: 0x100) == 0x5555)
    #expect(expression.evaluate(load, frameAddress: 0x200) == nil)
    #expect(expression.evaluate([operation(0x22)], frameAddress: nil) == nil)
    #expect(expression.evaluate([operation(0xff)], frameAddress: nil) == nil)
    #expect(expression.evaluate([], frameAddress: nil) == nil)
  }

  @Test(arguments: [
    ([0, 0, 0, 0xe8, 1, 2, 3, 4], true), ([0, 0, 0, 0, 0, 0, 0xff, 0xd0], true),
    ([0, 0, 0, 0, 0, 0xff, 0x50, 0x10], true), ([0, 0, 0xff, 0x15, 1, 2, 3, 4], true),
    ([0, 0xff, 0x94, 0x24, 1, 2, 3, 4], true), ([0, 0, 0, 0, 0, 0xff, 0x14, 0xd8], true),
    ([0, 0, 0, 0, 0, 0, 0xff, 0xe0], false), ([0, 0, 0, 0, 0, 0, 0, 0], false),
    ([0x90], false),
  ])
  func `call instructions are recognized`(code: [UInt8], isCall: Bool) {
    #expect(CallSite.isX86Call(code) == isCall)
  }
}
