import TestSupport
import Testing

@testable import Signals

private let second: UInt64 = 1_000_000_000

/// What a program maps, against what it holds of its own.
struct MappedFileTests {
  @Test func `pages of a mapped file are neither footprint nor its peak`() throws {
    let signals = try measureProgram {
      for (index, file) in [UInt64](arrayLiteral: 0, 120_000_000, 120_000_000, 0).enumerated() {
        $0.footprint(
          time: (UInt64(index) + 2) * second, pid: 100, anonymous: 8_000_000, file: file)
      }
      $0.exit(time: 7 * second, pid: 100, tid: 100)
    }
    let memory = try #require(signals.memory)
    #expect(memory.peakFootprintBytes == 8_000_000 && memory.endFootprintBytes == 8_000_000)
    #expect(memory.samples.allSatisfy { $0.footprintBytes == 8_000_000 })
    #expect(memory.peakResidentBytes == 128_000_000)
  }
}
