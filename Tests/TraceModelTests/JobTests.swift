import PerfData
import Testing

@testable import TraceModel

@Suite struct `Jobs of Swift concurrency` {
  private func time(_ nanoseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: nanoseconds) }

  @Test func `a job is told from its queue to its end, one within another too`() {
    var tracker = JobTracker()
    tracker.create(pid: 1)
    tracker.enqueue(pid: 1, job: 0x10, at: time(100))
    tracker.begin(pid: 1, tid: 2, job: 0x10, isMainActor: true, function: nil, at: time(130))
    // Its address is used again; the first run must not take the second's queueing.
    tracker.enqueue(pid: 1, job: 0x10, at: time(140))
    tracker.begin(pid: 1, tid: 2, job: 0x20, isMainActor: false, function: nil, at: time(150))
    tracker.end(tid: 2, at: time(170))
    tracker.end(tid: 2, at: time(200))
    tracker.end(tid: 2, at: time(210))
    tracker.begin(pid: 1, tid: 3, job: 0x10, isMainActor: true, function: nil, at: time(300))
    tracker.end(tid: 3, at: time(310))
    #expect(tracker.created == [1: 1])
    #expect(tracker.runs.map(\.length.nanoseconds) == [20, 70, 10])
    #expect(tracker.runs.map { $0.wait?.nanoseconds } == [nil, 30, 160])
    #expect(tracker.runs.map(\.isMainActor) == [false, true, true])
  }

  @Test func `returns that were lost do not pile up`() {
    var tracker = JobTracker()
    for start in 0..<UInt64(100) {
      tracker.begin(
        pid: 1, tid: 2, job: 1, isMainActor: false, function: nil, at: time(start * 10))
    }
    for _ in 0..<100 { tracker.end(tid: 2, at: time(2000)) }
    #expect(tracker.runs.count <= 16)
  }
}
