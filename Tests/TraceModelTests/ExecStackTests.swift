import PerfData
import Testing

@testable import TraceModel

/// While a program is being started, its thread's registers are still those of the one before.
struct ExecStackTests {
  private static let attribute = EventAttribute(
    type: 1, config: 0,
    sampleType: [.base, .instructionPointer, .callchain, .period],
    flags: EventAttribute.sampleIDAllFlag, samplePeriod: 1, ids: [7], name: "cpu-clock")

  private static func words(_ values: [UInt64]) -> [UInt8] {
    values.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  }

  /// IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN.
  private static func sample(time: UInt64, at address: UInt64) -> [UInt8] {
    let bytes = words([7, address, 100 | 100 << 32, time, 0, 1, 2, CallchainContext.user, address])
    return [9, 0, 0, 0, 2, 0, UInt8(bytes.count + 8), 0] + bytes
  }

  @Test func `a stack of an exec is that of the program before`() throws {
    var records: [UInt8] = []
    for (time, name, start) in [(1000, "first", 0x1000), (2000, "second", 0x90_0000)]
      as [(UInt64, String, UInt64)]
    {
      records += RecordBuilder.comm(
        pid: 100, tid: 100, name: name, isExec: true, time: time, id: 7)
      records += RecordBuilder.mmap2(
        MmapRecord(
          pid: 100, tid: 100, start: start, length: 0x10000, fileOffset: 0, path: "/bin/\(name)"),
        time: time, id: 7)
    }
    records += Self.sample(time: 3000, at: 0x4010)
    records += Self.sample(time: 4000, at: 0x90_0020)
    records += Self.sample(time: 5000, at: 0xf00_0000)
    let file = try PerfDataFile(
      bytes: PerfDataWriter.file(
        attributes: [Self.attribute], records: records, features: FileFeatures()))
    var loader = TraceLoader(file: file, path: "exec", options: TraceOptions())
    let trace = try loader.load()
    let modules = trace.processorSamples.map { sample in
      sample.stack.map { trace.stacks.frames(of: $0).map(\.module) } ?? []
    }
    #expect(
      modules.map { $0.last ?? "" } == ["/bin/first", "/bin/second", "[unknown]"], "\(modules)")
  }
}
