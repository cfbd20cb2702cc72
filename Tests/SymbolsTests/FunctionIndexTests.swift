import Files
import Foundation
import Testing

@testable import Symbols

/// Functions that are asked for by their addresses, without a table of all.
@Suite struct `Functions by address` {
  static let kinds = ["libc", "frontend", "runtime", "program", "static", "stripped", "assembly"]

  static func file(_ kind: String) throws -> String {
    switch kind {
    case "libc": return try TestProgram.cLibrary()
    case "frontend", "runtime":
      let compiler = try TestProgram.toolchain("swift-frontend")
      return kind == "frontend"
        ? compiler
        : URL(fileURLWithPath: compiler).deletingLastPathComponent()
          .appendingPathComponent("../lib/swift/linux/libswiftCore.so").standardized.path
    case "program": return try TestProgram.chain("-O", "-g")
    case "static":
      return try TestProgram.compile(
        "chain", TestProgram.chainText, ["swiftc", "-O", "-static-stdlib"], suffix: "swift")
    case "stripped":
      let original = try TestProgram.chain("-O", "-g", "-Xlinker", "--build-id")
      let folder = "\(TestProgram.directory)/index-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let debug = folder + "/chain.debug"
      try TestProgram.run(["objcopy", "--only-keep-debug", original, debug])
      try TestProgram.run([
        "objcopy", "--strip-all", "--add-gnu-debuglink=\(debug)", original, folder + "/chain",
      ])
      return folder + "/chain"
    default:
      return try TestProgram.compile("shapes", shapes, ["clang", "-O1"], suffix: "c")
    }
  }

  /// Aliases, functions without a size, functions within others, data among code, one that is chosen as it is loaded,
  /// and a mark that names nothing.
  private static let shapes = """
    #include <stdio.h>
    static int first(int x) { return x + 1; }
    static void *choose(void) { return first; }
    int chosen(int) __attribute__((ifunc("choose")));
    int __plain(int x) { return x * 3; }
    int plain(int) __attribute__((weak, alias("__plain")));
    int _plain(int) __attribute__((alias("__plain")));
    int number = 5;
    asm(".text\\n.globl sizeless\\nsizeless: nop\\nnop\\n.globl also\\nalso: nop\\n"
        ".type outer, @function\\nouter: nop\\n.type inner, @function\\ninner: nop\\nnop\\n.size inner, 2\\n"
        ".local tail\\ntail: nop\\nnop\\nnop\\n.size outer, 9\\n.Lmark: nop\\n"
        ".type datum, @object\\ndatum: .quad 7\\n.size datum, 8\\nnop\\n");
    int main(void) { printf("%d %d %d\\n", chosen(1), plain(2), number); return 0; }
    """

  @Test(arguments: kinds)
  func `they are the ones that the whole table has`(kind: String) throws {
    let path = try Self.file(kind)
    let reader = try ModuleReader(path: path)
    let here = LocalContents(reader)
    let table = here.symbols()
    #expect(table.count > 10)
    let process = ReaderProcess(executable: try #require(ReadingProgram.lull), timeout: 60)
    let there = try process.open(path: path, expectedBuildID: nil)
    // The first and the last of functions, the middles, what lies between them and what lies outside.
    var addresses: [UInt64] = [0, 1, .max]
    for index in stride(from: 0, to: table.count, by: max(1, table.count / 1500)) {
      let (start, end) = (table.addresses[index], table.ends[index])
      addresses += [start &- 1, start, start + (end - start) / 2, end &- 1, end]
    }
    addresses.shuffle()
    var (named, unnamed, wrong) = (0, 0, 0)
    for batch in stride(from: 0, to: addresses.count, by: 7) {
      let some = Array(addresses[batch..<min(batch + 7, addresses.count)])
      let (mine, others) = (here.functionRanges(at: some), there.functions(at: some))
      for ((address, found), other) in zip(zip(some, mine), others) {
        let expected = table.find(address)
        if expected == nil { unnamed += 1 } else { named += 1 }
        if found.value?.function != expected || other?.function != expected { wrong += 1 }
        if !found.range.contains(address) { wrong += 1 }
        // Where a name comes along it is the one that would be asked for.
        if let other, let shown = other.shown {
          if [shown] != here.names([other.function.mangledName]) { wrong += 1 }
        }
        // At both ends of what an answer is said to hold for it does.
        for edge in [found.range.lowerBound, found.range.upperBound]
        where table.find(edge) != expected { wrong += 1 }
      }
    }
    #expect(wrong == 0)
    #expect(named > 10 && unnamed > 0)
    #expect(process.failures.isEmpty)
  }

  @Test func `an answer holds until the next function and no further`() throws {
    let path = try Self.file("assembly")
    let table = try ModuleReader(path: path).symbols()
    let contents = LocalContents(try ModuleReader(path: path))
    let all = (0..<table.count).compactMap { table.find(table.addresses[$0]) }
    func function(_ name: String) throws -> SymbolTable.Function {
      try #require(all.first { $0.mangledName == name }, "\(all.map(\.mangledName))")
    }
    let (outer, inner) = (try function("outer"), try function("inner"))
    func name(_ address: UInt64) throws -> String? {
      try #require(contents.functionRanges(at: [address]).first).value?.function.mangledName
    }
    #expect(try name(outer.start) == "outer")
    #expect(try name(inner.start) == "inner" && name(inner.start + 1) == "inner")
    #expect(try name(inner.end) == "tail")
    let sizeless = try function("sizeless")
    #expect(sizeless.end - sizeless.start == 2)
    let before = try #require(contents.functionRanges(at: [outer.start]).first)
    #expect(before.range == outer.start...(inner.start - 1))
    // Of three names of one function the one without underscores, though it is weak.
    #expect(try function("plain").mangledName == "plain")
    #expect(!all.contains { ["__plain", "_plain", ".Lmark", "datum"].contains($0.mangledName) })
    #expect(all.contains { $0.mangledName == "chosen" })
  }

  @Test func `of a large module the table is sent only where many are asked for`() throws {
    let path = try Self.file("static")
    let folder = "\(TestProgram.directory)/index-kept-\(UUID().uuidString)"
    let cache = CacheFolder(path: folder, user: nil, limit: 512 << 20)
    let lull = try #require(ReadingProgram.lull)
    let table = try ModuleReader(path: path).symbols()
    func open() throws -> (ReaderProcess, any ModuleContents) {
      let process = ReaderProcess(executable: lull, timeout: 60, cache: cache)
      return (process, try process.open(path: path, expectedBuildID: nil))
    }
    func kept() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter {
        $0.hasSuffix(".symbols")
      }
    }
    let few = (0..<100).map { table.addresses[$0 * (table.count / 100)] + 1 }
    let (first, contents) = try open()
    let answers = contents.functions(at: few)
    #expect(answers.map { $0?.function } == few.map { table.find($0) })
    #expect(answers.allSatisfy { $0?.shown != nil })
    #expect(first.identifier != nil && contents.keep())
    #expect(try kept().isEmpty)
    // What was asked once, and what lies in the same functions, is not asked again.
    let (second, again) = try open()
    #expect(again.functions(at: few) == answers)
    #expect(again.functions(at: few.map { $0 - 1 }) == answers)
    #expect(second.identifier == nil && !again.keep())
    // Of many, all are read.
    let many = Array(table.addresses.prefix(3000))
    try #require(many.count == 3000)
    let (third, whole) = try open()
    #expect(whole.functions(at: many).map { $0?.function } == many.map { table.find($0) })
    #expect(third.identifier != nil)
    #expect(try kept().count == 1)
    // From then on nothing has to be read.
    let (fourth, last) = try open()
    let others = Array(table.addresses.suffix(50))
    #expect(last.functions(at: others).map { $0?.function } == others.map { table.find($0) })
    #expect(fourth.identifier == nil)
  }
}

@Suite struct `Answers for ranges` {
  @Test func `an answer is found where it holds, in the page of what was asked`() {
    var answers = RangedAnswers<String?>()
    answers.insert(Ranged(range: 0x1ff0...0x3010, value: "long"), at: 0x2000)
    answers.insert(Ranged(range: 0x1000...0x1fef, value: nil), at: 0x1000)
    #expect(answers.find(0x2000) == "long" && answers.find(0x2fff) == "long")
    #expect(answers.find(0x1fff) == nil && answers.find(0x3000) == nil)
    // That there is none is an answer too.
    #expect(answers.find(0x1fef) == .some(nil))
    var writer = WireWriter()
    answers.write(to: &writer) { $1.put($0) }
    var reader = WireReader(writer.bytes)
    let read = try? RangedAnswers(from: &reader) { reader throws(WireError) in
      try reader.optionalText()
    }
    #expect(read?.count == 2 && read?.find(0x2abc) == "long" && read?.find(0x1001) == .some(nil))
  }

  @Test func `a call frame rule holds for as many instructions as it says`() throws {
    let reader = try ModuleReader(path: try TestProgram.chain("-O", "-g"))
    let (contents, table) = (LocalContents(reader), reader.symbols())
    var most = 0
    for (start, end) in zip(table.addresses, table.ends) where end > start {
      for address in start..<end {
        let found = contents.callFrameRow(at: address)
        #expect(found.range.contains(address))
        for edge in [found.range.lowerBound, found.range.upperBound] {
          #expect(contents.callFrame(at: edge) == found.value)
        }
        most = max(most, Int(found.range.upperBound - found.range.lowerBound))
      }
    }
    #expect(most > 8)
  }
}
