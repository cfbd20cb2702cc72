import PerfData
import TestSupport
import Testing

@testable import TraceModel

/// Stacks that are told by what their samples hold.
struct KeyedStacksTests {
  private static let second: UInt64 = 1_000_000_000

  private static func samples(_ key: Int?, _ stacks: [Int], from time: UInt64) -> [StackedSample] {
    stacks.enumerated().map {
      StackedSample(time: time + UInt64($0), tid: 1, stack: $1, key: key)
    }
  }

  @Test func `most samples of a key go by it, the others by their times`() {
    let samples =
      Self.samples(1, [7, 8, 7, 7, 7, 9], from: 0) + Self.samples(2, [7, 7, 7, 7], from: 10)
      + Self.samples(3, [5, 5, 5], from: 20) + Self.samples(nil, [6, 6, 6, 6], from: 30)
      + Self.samples(4, [4, 4, 4, 4], from: 40)
    let stacks = KeyedStacks(SeenStacks(samples), without: [4])
    #expect(stacks.keys == [7: [1, 2]])
    #expect(stacks.others.map(\.time) == [1, 5, 20, 21, 22, 30, 31, 32, 33, 40, 41, 42, 43])
  }

  @Test func `of two stacks as frequent one is taken, always the same`() {
    for _ in 0..<20 {
      let samples = Self.samples(1, [9, 3, 9, 3, 9, 3, 9, 3], from: 0)
      let stacks = KeyedStacks(SeenStacks(samples), without: [])
      #expect(stacks.keys == [3: [1]])
    }
  }

  /// A part of a recording in which a process runs at two places again and again, and once at each of some others.
  private static func part(_ number: Int) throws -> TraceBuilder {
    var part = TraceBuilder()
    let start = UInt64(number) * second
    try part.synthetic(PartEvent(number: number, standingRecords: 0), time: start, pid: 10)
    var capture = CaptureEvent(
      mode: .attach, scope: .system, rootPid: 10, overheadCPUSeconds: 0, complete: true)
    capture.part = number
    try part.synthetic(capture, time: start, pid: 10)
    try part.process(time: start, pid: 10, kind: .attach)
    // What lies there is another file in each part.
    part.mmap(time: start, pid: 10, start: 0x1000, length: 0x4000, path: "/none/of\(number)")
    for index in 0..<30 {
      let address: UInt64 =
        index % 3 == 0 ? 0x1010 : index % 3 == 1 ? 0x2020 : 0x3000 + UInt64(index)
      part.sample(
        "cpu-clock", time: start + UInt64(index + 1) * 1_000_000, tid: 10,
        callchain: [CallchainContext.kernel, 0xffff_ffff_8100_0000, CallchainContext.user, address])
    }
    return part
  }

  private static func stacks(_ paths: [String]) throws -> [[Frame]] {
    let trace = try Trace.load(series: paths)
    return trace.processorSamples.map { sample in
      sample.stack.map { trace.stacks.frames(of: $0) } ?? []
    }
  }

  @Test func `each sample has its stack when it is told in a trace, and in several parts`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let paths = (1...3).map { folder.path + "/" + PartFolder.name(run: "app", number: $0) }
    for (index, path) in paths.enumerated() { try Self.part(index + 1).write(to: path) }
    let before = try paths.map { try Self.stacks([$0]) }
    for path in paths { try StackEmbedding.embed(tracePath: path) }
    #expect(try paths.map { try Self.stacks([$0]) } == before)
    #expect(try Self.stacks(paths) == before.flatMap { $0 })
    #expect(before.map(\.count) == [30, 30, 30] && Set(before.flatMap { $0 }).count == 36)
    // Of each part two stacks are told by what their samples hold, and none of these by their times.
    let file = try PerfDataFile(path: paths[0])
    var keys = 0
    var times = 0
    for record in file.orderedRecords()
    where file.attribute(of: record).flatMap({ SyntheticEvent(attribute: $0) }) == .stack {
      let event = try StackEvent(decoding: #require(file.sample(record).raw))
      keys += event.keys?.count ?? 0
      times += event.keys == nil ? event.times.count : 0
    }
    #expect(keys == 2 && times == 10)
  }
}
