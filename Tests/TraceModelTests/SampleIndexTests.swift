import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

@Suite struct `Names of samples` {
  /// Times and threads of few choices, so that many are alike, in the order of a recording but for one in eight.
  private func samples(
    _ count: Int, _ random: inout SeededGenerator
  ) -> [(time: UInt64, tid: Int32)] {
    (0..<count).map { place in
      let isLate = UInt64.random(in: 0..<8, using: &random) == 0
      let time = UInt64(place / 3) - (isLate ? UInt64.random(in: 0...UInt64(place / 3)) : 0)
      return (time, Int32.random(in: 1...4, using: &random))
    }
  }

  @Test(arguments: [0, 1, 2, 5000], [1, UInt64.random(in: 0 ... .max)])
  func `each sample has the last number that it was given`(count: Int, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var index = SampleIndex()
    var known: [String: Int32] = [:]
    for (place, sample) in samples(count, &random).enumerated() {
      index.append(time: sample.time, tid: sample.tid, value: Int32(place))
      known["\(sample)"] = Int32(place)
    }
    index.sort()
    #expect(index.isEmpty == (count == 0))
    for sample in samples(5000, &random) {
      #expect(index.value(time: sample.time, tid: sample.tid) == known["\(sample)"])
    }
  }

  @Test func `a trace that broke its own order is read again with its names`() throws {
    let trace = try traceOf { builder in
      builder.switchIn(time: second, 100)
      builder.append(RecordBuilder.finishedRound())
      builder.blockedStack(time: second + 10 * millisecond - 1000, 100)
      builder.switchOut(time: second + 10 * millisecond, 100)
      builder.append(RecordBuilder.finishedRound())
      builder.switchIn(time: second + 30 * millisecond, 100)
      builder.append(RecordBuilder.finishedRound())
      builder.append(RecordBuilder.finishedRound())
      // The rounds promised that nothing so old would come.
      builder.waking(time: second + 20 * millisecond, by: 0, of: 100, context: .hardInterrupt)
      builder.exit(time: second + 40 * millisecond, pid: 100, tid: 100)
      try builder.stack(
        time: second + 10 * millisecond - 1000, tid: 100, functions: ["pread", "load()"],
        firstID: 1)
    }
    let intervals = trace.threads.flatMap(\.intervals)
    let wait = try #require(intervals.first { $0.stack != nil }, "\(intervals)")
    #expect((wait.end - wait.start).nanoseconds == Int64(10 * millisecond))
    let stack = try #require(wait.stack)
    #expect(trace.stacks.frames(of: stack).map(\.displayName) == ["pread", "load()"])
  }
}
