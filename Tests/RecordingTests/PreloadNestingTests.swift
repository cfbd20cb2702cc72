import CPreloadRing
import Testing

@testable import Recording

@Suite struct PreloadNestingTests {
  private func call(
    _ start: UInt64, _ end: UInt64, slot: Int = 0
  ) -> (record: lull_record, slot: Int) {
    var record = lull_record()
    record.kind = UInt8(lull_record_call.rawValue)
    record.number = CallMeaning.Number.fsync
    (record.start, record.end) = (start, end)
    return (record, slot)
  }

  /// By a call's place in the order of their ends, when that around it began.
  private func outers(
    _ calls: [(record: lull_record, slot: Int)], open: [UInt64] = [0, 0]
  ) -> [Int: UInt64] {
    var batch = PreloadBatch()
    for call in calls { batch.append(call.record, nil, slot: call.slot) }
    batch.sort()
    return PreloadNesting.outers(
      of: batch, open: open.map { lull_open_call(start: $0, number: 1, descriptor: 0) }
    ).mapValues(\.start)
  }

  @Test func `calls after each other, and those of other threads, are in the midst of none`() {
    #expect(outers([call(10, 20), call(20, 30), call(5, 40, slot: 1), call(35, 36)]).isEmpty)
    #expect(outers([call(10, 20)], open: [21, 5]).isEmpty)
  }

  @Test func `a handler's call is in the midst of the next one that began before it`() {
    // A handler's two, in one of which another handler has one.
    let entries = [call(50, 60), call(65, 66), call(64, 70), call(10, 80), call(80, 90)]
    #expect(outers(entries) == [0: 10, 1: 64, 2: 10])
    // However they come.
    #expect(outers(entries.reversed()) == [0: 10, 1: 64, 2: 10])
  }

  @Test func `or of the one that its thread is in still`() {
    #expect(outers([call(10, 20), call(50, 60), call(65, 66)], open: [30, 0]) == [1: 30, 2: 30])
  }
}
