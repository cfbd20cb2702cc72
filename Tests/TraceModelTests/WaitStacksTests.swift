import Quantities
import Testing

@testable import TraceModel

/// Where a call was made, by the waits in it.
@Suite struct WaitStacksTests {
  private func at(_ time: UInt64) -> Timestamp { Timestamp(nanoseconds: time) }

  private func thread(_ tid: Int32, _ intervals: [ThreadInterval]) -> ThreadModel {
    ThreadModel(
      tid: tid, pid: 7, name: "", start: at(0), end: nil, intervals: ThreadHistory(intervals))
  }

  private func wait(_ start: UInt64, _ end: UInt64, stack: Int?) -> ThreadInterval {
    ThreadInterval(start: at(start), end: at(end), state: .blocked(.sync), stack: stack)
  }

  private func run(_ start: UInt64, _ end: UInt64) -> ThreadInterval {
    ThreadInterval(start: at(start), end: at(end), state: .running)
  }

  @Test func `it is that of the longest wait that lies within the call`() {
    let stacks = WaitStacks(
      of: [
        thread(
          7,
          [
            wait(0, 100, stack: 1), run(100, 110), wait(110, 120, stack: 2), run(120, 130),
            wait(130, 160, stack: 3), run(160, 170), wait(170, 190, stack: nil), run(190, 200),
            wait(200, 900, stack: 4),
          ]),
        thread(8, [wait(0, 500, stack: 5)]),
        thread(9, [wait(0, 500, stack: 6)]),
      ], [7, 8])
    #expect(stacks.stack(of: 7, from: at(105), to: at(195)) == 3)
    #expect(stacks.stack(of: 7, from: at(105), to: at(125)) == 2)
    // Began before it, or ended after it.
    #expect(stacks.stack(of: 7, from: at(50), to: at(105)) == nil)
    #expect(stacks.stack(of: 7, from: at(195), to: at(500)) == nil)
    #expect(stacks.stack(of: 7, from: at(165), to: at(195)) == nil)
    #expect(stacks.stack(of: 8, from: at(0), to: at(500)) == 5)
    #expect(stacks.stack(of: 9, from: at(0), to: at(500)) == nil)
  }
}
