import PerfData
import Testing

@testable import TraceModel

@Suite struct StackGroupTests {
  private struct Sample: Hashable {
    var time: UInt64
    var tid: Int32
  }

  private func groups(_ samples: [(time: UInt64, tid: Int32, stack: Int)]) -> [StackGroup] {
    StackGroup.groups(
      samples.map { StackedSample(time: $0.time, tid: $0.tid, stack: $0.stack) })
  }

  /// What a reader finds: the stack of each sample.
  private func read(_ groups: [StackGroup]) -> [Sample: Int] {
    var stacks: [Sample: Int] = [:]
    for group in groups {
      let event = StackEvent(time: group.time, tid: Int(group.tid), frames: [], later: group.later)
      for time in event.times { stacks[Sample(time: time, tid: group.tid)] = group.stack }
    }
    return stacks
  }

  @Test func `samples of a thread with one stack are one group, in the order of their time`() {
    let groups = groups([
      (300, 7, 1), (100, 7, 1), (150, 7, 2), (150, 8, 1), (1_000, 7, 1),
    ])
    #expect(groups.map(\.time) == [100, 150, 150])
    #expect(groups.map(\.later) == [[200, 700], [], []])
    #expect(groups.map(\.stack) == [1, 2, 1])
  }

  @Test func `of a sample that has two stacks the last counts, whichever group is older`() {
    let groups = groups([
      (5, 7, 2), (10, 7, 1), (10, 7, 2), (20, 7, 1), (20, 7, 2), (20, 7, 1),
    ])
    #expect(
      read(groups) == [
        Sample(time: 5, tid: 7): 2, Sample(time: 10, tid: 7): 2, Sample(time: 20, tid: 7): 1,
      ])
  }

  @Test func `each of many samples is found again, in events that fit in a record`() {
    var random = SystemRandomNumberGenerator()
    var samples: [(time: UInt64, tid: Int32, stack: Int)] = []
    var truth: [Sample: Int] = [:]
    for _ in 0..<20_000 {
      let sample = Sample(
        time: UInt64.random(in: 0..<86_400_000_000_000, using: &random),
        tid: Int32.random(in: 1...3))
      samples.append((sample.time, sample.tid, Int.random(in: 0..<4)))
      truth[sample] = samples.last?.stack
    }
    let groups = groups(samples)
    #expect(read(groups) == truth)
    #expect(groups.count >= 12 && groups.count < 24)
    for group in groups {
      #expect(group.later.count < StackGroup.most)
      // A day between two samples is 14 digits; a record holds 64 KB.
      let event = StackEvent(
        time: group.time, tid: Int(group.tid), frames: [Int](repeating: 1_000_000_000, count: 127),
        later: group.later)
      #expect((try? event.encoded().count) ?? .max < 60_000)
    }
  }
}
