import Foundation
import Testing

@testable import Symbols

/// Call frame information of files whose index stands behind it among the sections.
@Suite struct `Call frames without sections` {
  @Test func `what is found by the program headers is what the sections tell`() throws {
    // gold puts the index behind what it is of, lld before it.
    for linker in ["gold", "lld"] {
      let path = try TestProgram.compile(
        "chain-\(linker)", TestProgram.chainText, ["swiftc", "-O", "-use-ld=\(linker)"],
        suffix: "swift")
      let (plain, mapped) = (
        try ModuleReader(path: path), try ModuleReader(path: path, isMapped: true)
      )
      let names = plain.sections.map(\.name)
      let frames = try #require(names.firstIndex(of: ".eh_frame"))
      let index = try #require(names.firstIndex(of: ".eh_frame_hdr"))
      #expect((frames < index) == (linker == "gold"))
      let (symbols, table) = (plain.symbols(), plain.callFrames())
      #expect(table.count > 10)
      for (start, end) in zip(symbols.addresses, symbols.ends) where end > start {
        for address in start..<end {
          #expect(mapped.callFrame(at: address).value == table.find(address))
        }
      }
      // The file itself stays as it was for all else.
      #expect(mapped.symbols().count == symbols.count && mapped.buildID == plain.buildID)
    }
  }

  @Test func `one rule of a compiler is found without reading all others`() throws {
    let compiler = try TestProgram.toolchain("swift-frontend")
    let reader = try ModuleReader(path: compiler, isMapped: true)
    let all = try ModuleReader(path: compiler).symbols().addresses
    let some = stride(from: 0, to: all.count, by: all.count / 500).map { all[$0] + 1 }
    // Without its index all functions before it are gone through, and kept.
    let before = try anonymousKilobytes()
    let last = some.last { reader.callFrame(at: $0).value != nil }
    #expect(try #require(last) > all[all.count / 2])
    #expect(try anonymousKilobytes() - before < 4 << 10)
    let plain = try ModuleReader(path: compiler)
    #expect(
      some.allSatisfy { reader.callFrame(at: $0).value == plain.callFrame(at: $0).value })
  }

  private func anonymousKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return try #require(Int(line.split(separator: " ")[1]))
  }
}
