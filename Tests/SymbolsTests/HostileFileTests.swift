import Foundation
import Quantities
import Testing

@testable import Symbols

@Suite struct `Hostile module files` {
  /// Reads everything of a file that can be read; what comes out does not matter.
  private func readAll(_ path: String) {
    guard let reader = try? ModuleReader(path: path) else { return }
    let symbols = reader.symbols()
    let frames = reader.callFrames()
    let lines = reader.lines(segments: reader.segments)
    let contents = LocalContents(reader)
    var inlines: [UInt64: InlineTable] = [:]
    for address in stride(from: UInt64(0), to: 0x3000, by: 61) {
      _ = symbols.find(address)
      _ = frames.find(address)
      _ = lines.find(address, functionStart: symbols.find(address)?.start ?? 0)
      if let row = lines.row(at: address), Int(row.unit) < lines.units.count {
        let unit = lines.units[Int(row.unit)]
        if inlines[unit] == nil { inlines[unit] = reader.inlines(unit: unit) }
        _ = inlines[unit]?.find(address)
      }
      _ = CallSite.precedes(address, in: contents)
    }
    _ = SwiftDetection.isSwift(executablePath: path, mappedPaths: [])
    _ = SwiftDetection.swiftVersion(executablePath: path)
    _ = reader.isProgramFile
  }

  @Test(arguments: TestProgram.canCompress ? [false, true] : [false])
  func `cut and altered files do not crash`(isCompressed: Bool) throws {
    let program = try TestProgram.chain("-O", "-g")
    let original = try [UInt8](
      Data(
        contentsOf: URL(
          fileURLWithPath: isCompressed
            ? try TestProgram.compressed(program, by: "zstd") : program)))
    let path = "\(TestProgram.directory)/hostile-\(UUID().uuidString)"
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed of the altered module files: \(seed)")
    var generator = SeededGenerator(seed: seed)
    for round in 0..<150 {
      var bytes = original
      if round % 3 == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
      }
      for _ in 0..<Int.random(in: 1...24, using: &generator) where !bytes.isEmpty {
        // The first half of the rounds alters headers, the second anything.
        let limit = round < 75 ? min(bytes.count, 1024) : bytes.count
        bytes[Int.random(in: 0..<limit, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      readAll(path)
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  @Test func `what is not a module file is refused with a reason`() throws {
    for path in ["/dev/null", "/etc/passwd", "/", "/nonexistent", ""] {
      #expect(throws: ModuleReaderError.self) { try ModuleReader(path: path) }
      #expect(BuildID.read(path: path) == nil)
    }
  }
}
