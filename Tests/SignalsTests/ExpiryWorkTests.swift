import Quantities
import TestSupport
import Testing

@testable import Signals
@testable import TraceModel

private let second: UInt64 = 1_000_000_000
private let microsecond: UInt64 = 1000

/// What a Swift task did that a timer had resumed.
struct ExpiryWorkTests {
  private static let sleeper: Int32 = 101

  /// A thread that sleeps for 250 ms and then runs a job for 60 µs, 40 times; the job's task goes on so many
  /// microseconds after the expiry, on another thread, unless it sleeps again.
  private func timer(
    goesOn: UInt64? = nil, writes: Bool = false, mostWakes: Int? = nil, handsOn: UInt64? = nil
  ) throws -> TimerSignal {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program")
    builder.comm(time: second, pid: 100, tid: Self.sleeper, name: "sleeper")
    builder.switchIn(time: second + 1000, Self.sleeper)
    var jobs: [JobRun] = []
    var ends: [Timestamp] = []
    for index in UInt64(0)..<40 {
      let begin = second + (index * 250_100 + 100) * microsecond
      let end = begin + 250_000 * microsecond
      builder.blockedStack(time: begin - 1000, Self.sleeper)
      builder.switchOut(time: begin, Self.sleeper)
      builder.waking(time: end, by: 0, of: Self.sleeper, context: .hardInterrupt)
      builder.switchIn(time: end, Self.sleeper)
      if mostWakes != nil {
        builder.waking(time: end + 5 * microsecond, by: Self.sleeper, of: 100)
      }
      if let handsOn {
        builder.waking(time: end + handsOn * microsecond, by: Self.sleeper, of: Wakeup.nobodyKnown)
      }
      ends.append(Timestamp(nanoseconds: end))
      func job(_ start: UInt64, tid: Int32) -> JobRun {
        let time = Timestamp(nanoseconds: end + start * microsecond)
        return JobRun(
          start: time, end: time + TimeSpan(nanoseconds: 60_000), pid: 100, tid: tid,
          enqueued: time, isMainActor: false, task: 7)
      }
      jobs.append(job(20, tid: Self.sleeper))
      if writes {
        builder.exitSyscall(
          time: end + 40 * microsecond, tid: Self.sleeper, number: 1, result: 20, arguments: [5])
      }
      if let goesOn { jobs.append(job(goesOn, tid: 102)) }
    }
    builder.exit(time: second + 12 * second, pid: 100, tid: 100)
    var trace = try builder.withFile { try Trace.load(path: $0) }
    trace.tables.jobs = JobLog(jobs)
    let subject = SubjectView(trace)
    let timers =
      try mostWakes.map {
        TimerMeasure.timers(
          [Self.sleeper: ends], answered: AnsweredWaits([:], in: subject), in: subject,
          mostWakes: $0)
      } ?? #require(Measurement.measure(trace).wakeups).timers
    return try #require(timers.first { $0.count > 30 }, "\(timers)")
  }

  @Test func `a task that sleeps again at once did nothing`() throws {
    let timer = try timer(goesOn: nil)
    #expect(timer.expiredWithoutWork >= timer.count - 1)
  }

  @Test(arguments: [2_000, 40_000, 200_000])
  func `one that is kept waiting by what is no timer did something`(after: UInt64) throws {
    #expect(try timer(goesOn: after).expiredWithoutWork <= 1)
  }

  @Test func `a line that is written each time is something`() throws {
    #expect(try timer(writes: true).expiredWithoutWork <= 1)
  }

  // Within the process it is not seen to whom.
  @Test func `to hand something on is something`() throws {
    #expect(try timer(handsOn: 50).expiredWithoutWork <= 1)
  }

  @Test func `where too many wakes are not followed nobody knows what came of a timer`() throws {
    let untold = try timer(mostWakes: 39)
    #expect(untold.expiredWithoutWork == 0 && untold.expiredUntold == untold.count)
    #expect(try timer(mostWakes: 40).expiredUntold == 0)
  }

  @Test func `a hop to another executor is no work`() throws {
    let timer = try timer(goesOn: 300)
    #expect(timer.expiredWithoutWork >= timer.count - 1)
  }
}
