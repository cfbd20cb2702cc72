import Files
import Foundation
import Testing

@testable import Symbols

/// Lines and inlined calls that are asked for by address, without reading those of all units.
@Suite struct `Lines by address` {
  static let kinds = ["chain", "static", "driver", "units", "unranged"]

  private static func file(_ kind: String) throws -> String {
    switch kind {
    case "chain": return try TestProgram.chain("-O", "-g")
    case "static":
      return try TestProgram.compile(
        "chain", TestProgram.chainText, ["swiftc", "-O", "-g", "-static-stdlib"], suffix: "swift")
    case "driver": return try TestProgram.toolchain("swift-driver")
    default:
      // Several units, with code in a section of its own and lines that the compiler made.
      let folder = "\(TestProgram.directory)/units-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      var objects: [String] = []
      for name in ["one", "two", "main"] {
        let text =
          name == "main"
          ? "int one(int); int two(int);\nint main(int c, char **v) { return one(c) + two(c); }\n"
          : """
          static inline int inner(int x) { return x > 3 ? x * 7 : x - 1; }
          static inline int middle(int x) { return inner(x) + inner(x + 1); }
          __attribute__((cold, noinline)) static int cold(int x) { return middle(x) / 3; }
          int \(name)(int x) {
            if (x == 99) return cold(x);
            return middle(x) + middle(x * 2);
          }

          """
        try text.write(toFile: "\(folder)/\(name).c", atomically: true, encoding: .utf8)
        try TestProgram.run(
          ["clang", "-O2", "-g", "-ffunction-sections", "-c", "\(folder)/\(name).c", "-o"]
            + ["\(folder)/\(name).o"])
        objects.append("\(folder)/\(name).o")
      }
      if kind == "unranged" {
        // A unit that has lines and does not say where its code lies.
        let assembly = """
          .file 1 "hand.s"
          .section .text.hand,"ax"
          .globl hand
          .type hand, @function
          hand: .loc 1 3
          nop
          .loc 1 5
          ret
          .size hand, .-hand
          .section .debug_abbrev,"",@progbits
          .byte 1, 0x11, 0, 0x03, 0x08, 0x10, 0x17, 0, 0, 0
          .section .debug_info,"",@progbits
          .long 2f - 1f
          1: .short 4
          .long .debug_abbrev
          .byte 8, 1
          .asciz "hand.s"
          .long .debug_line
          .byte 0
          2:

          """
        try assembly.write(toFile: "\(folder)/hand.s", atomically: true, encoding: .utf8)
        try TestProgram.run(["clang", "-c", "\(folder)/hand.s", "-o", "\(folder)/hand.o"])
        objects.append("\(folder)/hand.o")
      }
      try TestProgram.run(["clang"] + objects + ["-o", "\(folder)/units"])
      return "\(folder)/units"
    }
  }

  @Test(arguments: kinds)
  func `they are the ones that the whole tables have`(kind: String) throws {
    let path = try Self.file(kind)
    let reader = try ModuleReader(path: path)
    let contents = LocalContents(reader)
    let (lines, symbols) = (contents.lines(), contents.symbols())
    #expect(lines.problem == nil && lines.count > 10)
    var tables: [UInt64: InlineTable] = [:]
    var (found, inlined, wrong) = (0, 0, [String]())
    let step = max(1, symbols.count / 4000)
    for index in stride(from: 0, to: symbols.count, by: step) {
      let (start, end) = (symbols.addresses[index], symbols.ends[index])
      // What fills the room before and behind a function is looked at too.
      var addresses = [start &- 1, start, end &- 1, end]
      addresses += stride(from: start, to: end, by: max(1, Int(end - start) / 16))
      for address in addresses {
        for functionStart in [start, address] {
          let place = CodePlace(address: address, functionStart: functionStart)
          let expected = SourcePlace(of: place, in: lines) { unit in
            if let known = tables[unit] { return known }
            let table = contents.inlines(unit: unit)
            tables[unit] = table
            return table
          }
          let source = contents.sources(of: [place]).places
          if source != [expected] { wrong.append("\(place): \(source) for \(expected)") }
          found += expected.location == nil ? 0 : 1
          inlined += expected.inlined.isEmpty ? 0 : 1
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    #expect(found > 20 && inlined > 0)
    if kind == "unranged" {
      let hand = try #require(
        symbols.addresses.first { symbols.find($0)?.mangledName == "hand" })
      let place = CodePlace(address: hand + 1, functionStart: hand)
      #expect(contents.sources(of: [place]).places.first?.location?.line == 5)
    }
  }

  @Test func `of a large module the tables are sent only where many are asked for`() throws {
    let path = try Self.file("driver")
    let reader = try ModuleReader(path: path)
    let here = LocalContents(reader)
    #expect(here.header.lineBytes > 64 << 10)
    let folder = "\(TestProgram.directory)/lines-kept-\(UUID().uuidString)"
    let cache = CacheFolder(path: folder, user: nil, limit: 512 << 20)
    let lull = try #require(ReadingProgram.lull)
    func open() throws -> (ReaderProcess, any ModuleContents) {
      let process = ReaderProcess(executable: lull, timeout: 60, cache: cache)
      return (process, try process.open(path: path, expectedBuildID: reader.buildID))
    }
    func kept() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".lines") }
    }
    let symbols = here.symbols()
    func places(_ count: Int) -> [CodePlace] {
      (0..<count).map {
        let start = symbols.addresses[$0 * (symbols.count / count)]
        return CodePlace(address: start + 1, functionStart: start)
      }
    }
    let few = places(60)
    let expected = here.sources(of: few).places
    let (first, contents) = try open()
    #expect(contents.sources(of: few).places == expected)
    #expect(expected.contains { $0.location != nil })
    #expect(first.identifier != nil && contents.keep())
    #expect(try kept().isEmpty)
    let (second, again) = try open()
    #expect(again.sources(of: few).places == expected)
    #expect(second.identifier == nil && !again.keep())
    let many = places(3000)
    let (_, whole) = try open()
    #expect(whole.sources(of: many).places == here.sources(of: many).places)
    #expect(try kept().count == 1)
  }
}
