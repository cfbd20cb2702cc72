import Foundation
import Testing

extension EndToEnd {
  /// A function whose last act is a call leaves no frame of itself.
  @Suite(.enabled(if: Machine.isRoot && Machine.tool("swiftc") != nil, "needs root and swiftc"))
  struct TailCall {
    private static let source = """
      #if canImport(Glibc)
        import Glibc
      #else
        import Musl
      #endif
      @inline(never) func naps(_ time: Int) -> Int32 { usleep(UInt32(time)) }
      @inline(never) func rests(_ time: Int) -> Int32 {
        let result = usleep(UInt32(time))
        return result + getppid()
      }
      @inline(never) func works() -> Int32 {
        let one = naps(200_000)
        let other = rests(300_000)
        return one + other + getpid()
      }
      print("{\\"sum\\":\\(works())}")
      """

    /// The waits of at least 100 ms, each with the frames of its stack that the program wrote.
    private func waits(options: [String]) throws -> [(seconds: Double, frames: [JSON])] {
      let scratch = try Scratch()
      let path = scratch.file("main.swift")
      try Self.source.write(toFile: path, atomically: true, encoding: .utf8)
      let built = try Command.run(["swiftc", path, "-o", scratch.file("naps")] + options)
      try #require(built.status == 0, "\(built.errors)")
      let run = try Recorded([scratch.file("naps")], scratch: scratch)
      return run.mainThread["blockings"].items.filter { ($0["seconds"].double ?? 0) > 0.1 }
        .map { ($0["seconds"].double ?? 0, $0["stack"].items.filter { $0["isProgram"].int == 1 }) }
        .sorted { $0.0 < $1.0 }
    }

    @Test func `it is named from the call that led to it`() throws {
      let waits = try waits(options: ["-O", "-g"])
      try #require(waits.count == 2, "\(waits)")
      #expect(abs(waits[0].seconds - 0.2) < 0.02 && abs(waits[1].seconds - 0.3) < 0.02)
      let names = waits.map { $0.frames.prefix(2).map { $0["function"].string } }
      #expect(names == [["naps(_:)", "works()"], ["rests(_:)", "works()"]], "\(waits)")
      // The one that has something to do afterwards has a frame.
      #expect(waits[0].frames[0]["isTailCall"].bool == true && waits[0].frames[0]["line"].int == 6)
      #expect(waits[1].frames[0]["isTailCall"].bool != true)
      #expect(waits.allSatisfy { $0.frames[1]["isTailCall"].bool != true })
    }

    @Test func `without optimization there is none`() throws {
      let waits = try waits(options: ["-Onone", "-g"])
      #expect(waits.map { $0.frames.first?["function"].string } == ["naps(_:)", "rests(_:)"])
      #expect(waits.allSatisfy { $0.frames.allSatisfy { $0["isTailCall"].bool != true } })
    }
  }
}
