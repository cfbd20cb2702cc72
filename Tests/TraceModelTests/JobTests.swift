import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

@Suite struct `Jobs of Swift concurrency` {
  private func time(_ nanoseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: nanoseconds) }

  @Test func `a job is told from its queue to its end, one within another too`() {
    var tracker = JobTracker()
    tracker.create(pid: 1, at: time(90))
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
    #expect(tracker.created.count(of: 1) == 1 && tracker.created.count(of: 2) == 0)
    let runs = tracker.finish(threads: [], at: time(400), isWhole: true)
    #expect(runs.map(\.length.nanoseconds) == [20, 70, 10])
    #expect(runs.map { $0.wait?.nanoseconds } == [nil, 30, 160])
    #expect(runs.map(\.isMainActor) == [false, true, true])
  }

  // A job that never came back, the hang of a deadlock, was in no figure at all.
  @Test func `a job that goes on ends with its thread, or with the recording`() throws {
    var tracker = JobTracker()
    func begin(_ tid: Int32, _ start: UInt64, isMainActor: Bool = true) {
      tracker.begin(
        pid: 1, tid: tid, job: 1, isMainActor: isMainActor, function: nil, at: time(start))
    }
    begin(2, 100)
    #expect(tracker.finish(threads: [], at: time(400), isWhole: true).count == 0)
    begin(5, 90)
    tracker.end(tid: 5, at: time(95))
    for tid in Int32(3)...4 { begin(tid, 100) }
    // Within another: either one may have lost its return.
    begin(4, 110, isMainActor: false)
    // In an event loop from 130 on.
    begin(6, 120)
    // In what is not known from 130 on.
    begin(7, 125)
    let states: [(UInt64, UInt64, ThreadState)] = [
      (0, 100, .blocked(.eventWait)), (100, 130, .running), (130, 400, .blocked(.eventWait)),
    ]
    let history = ThreadHistory(
      states.map { ThreadInterval(start: time($0), end: time($1), state: $2, stack: nil) })
    let unknown = ThreadHistory([
      ThreadInterval(start: time(0), end: time(130), state: .running, stack: nil),
      ThreadInterval(start: time(130), end: time(400), state: .blocked(.unknown), stack: nil),
    ])
    let threads = [
      ThreadModel(tid: 7, pid: 1, name: "", start: time(0), end: nil, intervals: unknown),
      ThreadModel(tid: 2, pid: 1, name: "", start: time(0), end: time(250)),
      ThreadModel(tid: 3, pid: 1, name: "", start: time(0), end: nil),
      ThreadModel(tid: 6, pid: 1, name: "", start: time(0), end: nil, intervals: history),
    ]
    let runs = tracker.finish(threads: threads, at: time(400), isWhole: true)
    #expect(runs.map(\.end) == [time(95), time(250), time(400), time(130), time(130)])
    #expect(tracker.finish(threads: threads, at: time(400), isWhole: false).count == 1)
  }

  @Test func `returns that were lost do not pile up`() {
    var tracker = JobTracker()
    for start in 0..<UInt64(100) {
      tracker.begin(
        pid: 1, tid: 2, job: 1, isMainActor: false, function: nil, at: time(start * 10))
    }
    for _ in 0..<100 { tracker.end(tid: 2, at: time(2000)) }
    #expect(tracker.finish(threads: [], at: time(3000), isWhole: true).count <= 16)
  }

  /// Runs of every kind: waits known and not, of no time, before each other and as long as a number can be.
  private func runs(_ seed: UInt64) -> [JobRun] {
    var random = SeededGenerator(seed: seed)
    return (0..<2000).map { place in
      let end = UInt64.random(in: 1 << 40...1 << 41, using: &random)
      let start = end - UInt64.random(in: 0...1 << UInt64(place % 40), using: &random)
      var frame = Frame.noStack
      frame.function = "f\(place % 7)()"
      frame.moduleOffset = UInt64(place % 7)
      return JobRun(
        start: time(start), end: time(end), pid: Int32(place % 3), tid: Int32(place % 5),
        enqueued: place % 4 == 0 ? nil : time(start - UInt64(place % 4 - 1) * 1_000_000),
        isMainActor: place % 2 == 0, function: place % 11 == 0 ? nil : frame,
        task: place % 5 == 0 ? nil : UInt64.random(in: 0 ... .max, using: &random))
    }
  }

  @Test(arguments: [1, UInt64.random(in: 0 ... .max)])
  func `packed runs are as they were`(seed: UInt64) {
    let runs = runs(seed)
    let log = JobLog(runs)
    func text(_ run: JobRun) -> String { "\(run)" }
    #expect(log.count == runs.count && log.map(text) == runs.map(text))
  }

  @Test func `a window holds what was run, created and asked for in it`() throws {
    var builder = TraceBuilder()
    try builder.capture(time: 1_000_000_000, rootPid: 100)
    try builder.process(time: 1_000_000_000, pid: 100)
    builder.switchIn(time: 1_000_000_000, 100)
    builder.exit(time: 11_000_000_000, pid: 100, tid: 100)
    var trace = try builder.withFile { try Trace.load(path: $0) }
    // Of a second each, one at each second from the first on, handed over half a second before.
    let starts = (1...9).map { UInt64($0) * 1_000_000_000 }
    trace.tables.jobs = JobLog(
      starts.map {
        JobRun(
          start: time($0), end: time($0 + 1_000_000_000), pid: 100, tid: 100,
          enqueued: time($0 - 500_000_000), isMainActor: false)
      })
    trace.tables.createdTasks = TaskLog(starts.map { CreatedTask(time: time($0), pid: 100) })
    trace.tables.spinCalls = starts.map {
      SpinCall(time: time($0), pid: 100, tid: 100, kind: .yield, weight: 1)
    }
    trace.tables.transferFailures = starts.map {
      TransferFailure(time: time($0), pid: 100, error: 32)
    }
    // The trace starts at 1 s: from 3.5 s to 6.25 s.
    let part = trace.limited(to: TraceWindow(from: 2.5, to: 5.25))
    #expect(
      part.jobs.map(\.length.nanoseconds) == [
        500_000_000, 1_000_000_000, 1_000_000_000, 250_000_000,
      ]
    )
    #expect(part.jobs.map { $0.wait?.nanoseconds } == [nil, 500_000_000, 500_000_000, 500_000_000])
    #expect(part.createdTasks.count(of: 100) == 3)
    #expect(part.spinCalls.count == 3 && part.transferFailures.count == 3)
  }
}
