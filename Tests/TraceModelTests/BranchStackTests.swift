import Foundation
import PerfData
import TestSupport
import Testing

@testable import TraceModel

/// Call graphs of `perf record --call-graph lbr`, which no virtual machine records: made here as perf_event.h lays them
/// out.
struct BranchStackTests {
  /// PERF_SAMPLE_BRANCH_USER, CALL_STACK, NO_CYCLES, NO_FLAGS and HW_INDEX, as perf asks for.
  private static let callStack: UInt64 = 1 << 0 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 17

  private static let attribute = {
    var attribute = EventAttribute(
      type: 0, config: 0,
      sampleType: [.base, .instructionPointer, .callchain, .branchStack, .period],
      flags: EventAttribute.sampleIDAllFlag, ids: [7], name: "cycles")
    attribute.branchSampleType = callStack
    return attribute
  }()

  private static func words(_ values: [UInt64]) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0) } }
  }

  /// IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN, then the branches: count, hw_idx, from, to, flags.
  private static func sample(time: UInt64, chain: [UInt64], branches: [(UInt64, UInt64)])
    -> [UInt8]
  {
    var body: [UInt64] = [7, chain[1], 100 | 100 << 32, time, 0, 1, UInt64(chain.count)] + chain
    body += [UInt64(branches.count), UInt64(bitPattern: -1)]
    for branch in branches { body += [branch.0, branch.1, 0] }
    let bytes = words(body)
    let size = UInt16(bytes.count + 8)
    return [9, 0, 0, 0, 2, 0, UInt8(size & 0xff), UInt8(size >> 8)] + bytes
  }

  private static let file: [UInt8] = {
    var records = RecordBuilder.comm(
      pid: 100, tid: 100, name: "program", isExec: true, time: 1000, id: 7)
    records += RecordBuilder.mmap2(
      MmapRecord(
        pid: 100, tid: 100, start: 0x1000, length: 0x10000, fileOffset: 0, path: "/bin/none"),
      time: 1000, id: 7)
    // main at 0x2000 calls middle at 0x3000, which calls leaf at 0x4000; the frame pointers are of no use.
    records += sample(
      time: 2000, chain: [CallchainContext.user, 0x4010, 0x9999_9999],
      branches: [(0x3020, 0x4000), (0x2040, 0x3000)])
    records += sample(
      time: 3000,
      chain: [CallchainContext.kernel, 0xffff_ffff_8100_0000, CallchainContext.user, 0x4010],
      branches: [])
    var features = FileFeatures()
    features.commandLine = ["perf", "record", "--call-graph", "lbr", "--", "program"]
    return PerfDataWriter.file(attributes: [attribute], records: records, features: features)
  }()

  @Test func `the calls that the processor kept are the stack`() throws {
    let file = try PerfDataFile(bytes: Self.file)
    let samples = try file.orderedRecords().filter { $0.type == RecordType.sample }
      .map { try file.sample($0) }
    try #require(samples.count == 2)
    #expect(samples[0].branches.map(\.from) == [0x3020, 0x2040] && samples[0].branchesAreCalls)
    var loader = TraceLoader(file: file, path: "lbr", options: TraceOptions())
    let trace = try loader.load()
    let stacks = trace.processorSamples.map { sample in
      sample.stack.map { trace.stacks.frames(of: $0).map(\.moduleOffset) } ?? []
    }
    try #require(stacks.count == 2)
    #expect(stacks[0] == [0x3010, 0x2020, 0x1040])
    // Without branches the frame pointers' chain counts.
    #expect(stacks[1].last == 0x3010 && stacks[1].count == 2)
  }

  @Test(.enabled(if: PerfRun.isThere, "perf is not installed"))
  func `perf finds the same calls in the file`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/lbr"
    try Data(Self.file).write(to: URL(fileURLWithPath: path))
    let text = PerfRun.run("perf script -F time,brstack -i \(path) 2>/dev/null").text
    #expect(text.contains("0x3020/0x4000") && text.contains("0x2040/0x3000"), "\(text)")
  }
}
