import Foundation
import Testing

@testable import Symbols

@Suite struct `Symbols against nm` {
  /// Names by address, and end of each function with a size.
  private func truth(_ path: String, _ option: [String]) throws -> [UInt64: (Set<String>, UInt64)] {
    var result: [UInt64: (Set<String>, UInt64)] = [:]
    for line in try TestProgram.run(["nm", "-S", "--defined-only"] + option + [path])
      .split(separator: "\n")
    {
      let parts = line.split(separator: " ")
      guard parts.count >= 4, ["t", "T", "W", "i"].contains(parts[2]),
        let address = UInt64(parts[0], radix: 16), let size = UInt64(parts[1], radix: 16), size > 0
      else { continue }
      let name = String(parts[3].split(separator: "@")[0])
      var (names, end) = result[address] ?? ([], 0)
      names.insert(name)
      end = max(end, address + size)
      result[address] = (names, end)
    }
    return result
  }

  @Test(arguments: [["-O"], ["-O", "-g"], ["-O", "-static-stdlib"]])
  func `every function of a program is found at its first and last byte`(options: [String]) throws {
    let path = try TestProgram.compile(
      "chain", TestProgram.chainText, ["swiftc"] + options, suffix: "swift")
    let table = try ModuleReader(path: path).symbols()
    let functions = try truth(path, [])
    #expect(functions.count > 5)
    var wrong: [String] = []
    for (address, (names, end)) in functions {
      guard let found = table.find(address), names.contains(found.mangledName),
        found.start == address
      else {
        wrong.append("\(String(address, radix: 16)) \(names)")
        continue
      }
      // A shorter function may lie inside of a longer one.
      if found.end == end, let last = table.find(end - 1), last.start < address {
        wrong.append("end of \(names)")
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test func `the dynamic symbols of the C library are found in a stripped file`() throws {
    let path = try TestProgram.cLibrary()
    let table = try ModuleReader(path: path).symbols()
    let functions = try truth(path, ["-D"])
    #expect(functions.count > 1000)
    let wrong = functions.filter { address, value in
      table.find(address).map { !value.0.contains($0.mangledName) } ?? true
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test(arguments: [["-O"], ["-O", "-static-stdlib"]])
  func `functions that are asked for by name lie where they are`(options: [String]) throws {
    let path = try TestProgram.compile(
      "chain", TestProgram.chainText, ["swiftc"] + options, suffix: "swift")
    let reader = try ModuleReader(path: path)
    // Every second one, and names that are the ends of others or of nothing.
    let functions = try truth(path, []).sorted { $0.key < $1.key }.enumerated()
      .filter { $0.offset % 2 == 0 }.map(\.element)
    var wanted: Set<String> = []
    for function in functions { wanted.formUnion(function.value.0) }
    var expected: Set<Range<UInt64>> = []
    for (address, (names, end)) in try truth(path, []) where !names.isDisjoint(with: wanted) {
      expected.insert(address..<end)
    }
    #expect(expected.count >= functions.count && functions.count > 2)
    let tails = ["in", "tart", "no_such_function"]
    let found = reader.ranges(named: wanted.sorted() + tails)
    #expect(Set(found) == expected)
    #expect(found == found.sorted { $0.lowerBound < $1.lowerBound })
    #expect(reader.ranges(named: tails).isEmpty)
  }

  @Test func `a function without a size reaches to the next`() throws {
    let path = try TestProgram.compile(
      "sizeless",
      """
      asm(".text\\n.globl first\\nfirst: nop\\nnop\\nnop\\n.type second, @function\\nsecond: ret\\n.size second, 1\\n");
      int main(void) { return 0; }
      """, ["clang", "-O1"], suffix: "c")
    let found = try ModuleReader(path: path).ranges(named: ["first"])
    let table = try ModuleReader(path: path).symbols()
    try #require(found.count == 1)
    #expect(found[0].count == 3 && table.find(found[0].lowerBound)?.mangledName == "first")
  }

  @Test func `nothing is found between functions`() throws {
    let path = try TestProgram.chain("-O")
    let table = try ModuleReader(path: path).symbols()
    #expect(table.find(0) == nil)
    #expect(table.find(.max) == nil)
    #expect(SymbolTable.empty.find(0x1000) == nil)
  }

  @Test func `a stripped file gets its symbols and lines from its debug file`() throws {
    let original = try TestProgram.chain("-O", "-g", "-Xlinker", "--build-id")
    let directory = "\(TestProgram.directory)/stripped-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let stripped = directory + "/chain"
    try TestProgram.run(["objcopy", "--only-keep-debug", original, directory + "/chain.debug"])
    try TestProgram.run([
      "objcopy", "--strip-all", "--add-gnu-debuglink=\(directory)/chain.debug", original, stripped,
    ])
    let whole = try ModuleReader(path: original)
    let function = try #require(
      whole.symbols().addresses.lazy.compactMap { whole.symbols().find($0) }
        .first { $0.mangledName.contains("innermost") })
    var mappings = MappingTable(executablePath: stripped)
    let text = try #require(whole.segments.first { $0.isExecutable })
    mappings.insert(
      ModuleMapping(
        start: 0x7000_0000 + text.fileOffset, end: 0x7000_0000 + text.fileOffset + text.fileSize,
        fileOffset: text.fileOffset, path: stripped, buildID: whole.buildID))
    let address = 0x7000_0000 + text.fileOffset + (function.start - text.address)
    let frame = try #require(Symbolizer().resolve(address: address, in: mappings).last)
    #expect(frame.function == "innermost(_:)")
    #expect(frame.file?.hasSuffix("chain.swift") == true)
    #expect(frame.line.map { (1...7).contains($0) } == true)
    #expect(frame.isProgram)
  }

  @Test func `a file of another build id is refused`() throws {
    let path = try TestProgram.chain("-O", "-g", "-Xlinker", "--build-id")
    let buildID = try #require(BuildID.read(path: path))
    let notes = try TestProgram.run(["readelf", "-n", path])
    #expect(notes.contains("Build ID: " + BuildID.text(buildID)))
    var mappings = MappingTable()
    mappings.insert(
      ModuleMapping(
        start: 0x1000, end: 0x9000, fileOffset: 0x1000, path: path,
        buildID: [UInt8](repeating: 7, count: buildID.count)))
    let symbolizer = Symbolizer()
    let frames = symbolizer.resolve(address: 0x1234, in: mappings)
    #expect(frames.map(\.function) == [nil])
    #expect(frames.first?.moduleOffset == 0x1234)
    #expect(symbolizer.problems.count == 1)
    #expect(symbolizer.problems.first?.contains("changed since the recording") == true)
  }
}

@Suite struct `Recognizing Swift` {
  @Test func `programs with the runtime mapped or linked in are Swift`() throws {
    let dynamic = try TestProgram.chain("-O")
    let fixed = try TestProgram.chain("-O", "-static-stdlib")
    let plain = try TestProgram.signals()
    #expect(SwiftDetection.isSwift(executablePath: dynamic, mappedPaths: []))
    #expect(SwiftDetection.isSwift(executablePath: fixed, mappedPaths: []))
    #expect(!SwiftDetection.isSwift(executablePath: plain, mappedPaths: ["/lib/libc.so.6"]))
    #expect(SwiftDetection.isSwift(executablePath: plain, mappedPaths: ["/a/libswiftCore.so"]))
    #expect(!SwiftDetection.isSwift(executablePath: "/nonexistent", mappedPaths: []))
  }

  @Test func `the compiler's version is in the debug information`() throws {
    let version = try TestProgram.run(["swiftc", "--version"])
    let found = SwiftDetection.swiftVersion(executablePath: try TestProgram.chain("-O", "-g"))
    #expect(version.contains("Swift version " + (try #require(found))))
    #expect(SwiftDetection.swiftVersion(executablePath: try TestProgram.chain("-O")) == nil)
  }
}
