import TestSupport
import Testing

@testable import Signals

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

/// Work of the main queue on a worker, where it is not known of all that serial queues do which queue's it is.
@Suite struct MainQueueWorkTests {
  /// A program whose first thread is parked, with a worker that sleeps as often as there are queues, each time under
  /// what is known of one, with 100 ms between.
  private func measured(_ work: [(queue: String, milliseconds: UInt64)]) throws -> SignalSet {
    try measureProgram { builder in
      builder.switchIn(time: second, 100)
      builder.blockedStack(time: second + millisecond, 100)
      try builder.stack(
        time: second + millisecond, tid: 100, functions: ["_dispatch_sigsuspend", "main"],
        firstID: 1)
      builder.switchOut(time: second + millisecond, 100)
      builder.fork(time: second + 2 * millisecond, pid: 100, tid: 101, parentPid: 100)
      var time = second + 3 * millisecond
      builder.switchIn(time: time, 101)
      for (index, (queue, length)) in work.enumerated() {
        func wait(_ functions: [String], until end: UInt64, id: Int) throws {
          builder.blockedStack(time: time + 1000, 101)
          try builder.stack(time: time + 1000, tid: 101, functions: functions, firstID: id)
          builder.switchOut(time: time + 2000, 101)
          builder.waking(time: end, by: 0, of: 101, context: .hardInterrupt)
          builder.switchIn(time: end + 1000, 101)
          time = end + 2000
        }
        let drain = "_dispatch_lane_serial_drain" + queue
        try wait(
          [
            "clock_nanosleep", "nanosleep", "usleep", "work()", drain, "_dispatch_lane_invoke",
            "_dispatch_worker_thread",
          ],
          until: time + length * millisecond, id: 100 + 20 * index)
        try wait(
          ["sem_timedwait", "_dispatch_worker_thread"], until: time + 100 * millisecond,
          id: 110 + 20 * index)
      }
      builder.switchOut(time: time + 1000, 101)
      builder.exit(time: time + millisecond, pid: 100, tid: 101)
      builder.exit(time: time + millisecond, pid: 100, tid: 100)
    }
  }

  private let main = " (main queue)"
  private let orders = " (queue shop.orders)"

  @Test func `a queue that is not known hides no other`() throws {
    let signals = try measured([(orders, 300), ("", 200), (orders, 300)])
    let queues = signals.serialQueues
    #expect(queues.map(\.label) == ["shop.orders"], "\(queues)")
    #expect(queues.allSatisfy { abs($0.blockedSeconds - 0.6) < 0.01 })
    // It may be the main one.
    let reason = try #require(signals.unavailable[.mainThread])
    #expect(reason.contains("of 200 ms of work"), "\(reason)")
    #expect(signals.threadsUnavailable == nil)
    // What is too short for a hang makes nothing unknown.
    let short = try measured([(orders, 300), ("", 20)])
    #expect(short.unavailable[.mainThread] == nil && short.mainThread?.isParked == true)
    // It ran until it was parked.
    #expect(short.mainThread?.runningSeconds == 0.001)
  }

  @Test func `where the main queue is known, another that is not known is not taken for it`()
    throws
  {
    let signals = try measured([(main, 150), ("", 400), (main, 150)])
    let thread = try #require(signals.mainThread)
    #expect(signals.unavailable[.mainThread] == nil)
    #expect(thread.threadID == 101 && !thread.isParked)
    #expect(thread.hangs.map { ($0.durationSeconds * 100).rounded() } == [15, 15], "\(thread)")
    #expect(abs(thread.untold.seconds - 0.4) < 0.01, "\(thread.untold)")
    #expect(thread.foundBy.hasSuffix("it is not known whether it was the main queue's"))
    let known = try measured([(main, 150), (orders, 400)])
    #expect(known.mainThread?.untold == UntoldQueueWork())
    #expect(known.mainThread?.foundBy.contains("not known") == false)
  }

  // Looks from outside take no samples: 24 turns that computed 400 ms beside one wait of 20 ms were idle time.
  @Test func `what workers compute without a wait that shows whose it is may be the main queue's`()
    throws
  {
    func measured(on name: String) throws -> SignalSet {
      try measureProgram { builder in
        builder.switchIn(time: second, 100)
        builder.blockedStack(time: second + millisecond, 100)
        try builder.stack(
          time: second + millisecond, tid: 100, functions: ["_dispatch_sigsuspend", "main"],
          firstID: 1)
        builder.switchOut(time: second + millisecond, 100)
        builder.fork(time: second + 2 * millisecond, pid: 100, tid: 101, parentPid: 100)
        builder.comm(time: second + 2 * millisecond, pid: 100, tid: 101, name: name)
        var time = second + 3 * millisecond
        builder.switchIn(time: time, 101)
        func wait(_ functions: [String], milliseconds: UInt64, id: Int) throws {
          builder.blockedStack(time: time, 101)
          try builder.stack(time: time, tid: 101, functions: functions, firstID: id)
          builder.switchOut(time: time, 101)
          time += milliseconds * millisecond
          builder.waking(time: time, by: 0, of: 101, context: .hardInterrupt)
          builder.switchIn(time: time, 101)
        }
        let idle = ["sem_timedwait", "_dispatch_worker_thread"]
        for turn in 0..<4 {
          time += 400 * millisecond
          try wait(idle, milliseconds: 500, id: 100 + 20 * turn)
        }
        try wait(
          [
            "clock_nanosleep", "nap()", "swift_job_run", "_dispatch_lane_serial_drain" + main,
            "_dispatch_worker_thread",
          ], milliseconds: 20, id: 300)
        try wait(idle, milliseconds: 500, id: 320)
        builder.switchOut(time: time + 1000, 101)
        builder.exit(time: time + millisecond, pid: 100, tid: 101)
        builder.exit(time: time + millisecond, pid: 100, tid: 100)
      }
    }
    let thread = try #require(try measured(on: "-qos.overcommit").mainThread)
    #expect(thread.hangs.isEmpty)
    #expect(abs(thread.untold.runningSeconds - 1.6) < 0.01, "\(thread.untold)")
    // Tasks' own workers do not serve it.
    #expect(try measured(on: "default-qos").mainThread?.untold == UntoldQueueWork())
  }

  // On a busy machine a worker's end came 0.1 s after the first thread's, which was taken to be parked: a hang of
  // 400 ms was not known.
  @Test(arguments: [true, false])
  func `threads that take long to end with their program do not go on`(isEnding: Bool) throws {
    let signals = try measureProgram { builder in
      let end = 2 * second
      builder.switchIn(time: second, 100)
      builder.fork(time: second + millisecond, pid: 100, tid: 101, parentPid: 100)
      builder.switchIn(time: second + 2 * millisecond, 101)
      builder.blockedStack(time: second + 3 * millisecond, 101)
      try builder.stack(
        time: second + 3 * millisecond, tid: 101,
        functions: ["sem_timedwait", "_dispatch_worker_thread"], firstID: 1)
      builder.switchOut(time: second + 3 * millisecond, 101)
      builder.blockedStack(time: second + 4 * millisecond, 100)
      try builder.stack(
        time: second + 4 * millisecond, tid: 100, functions: ["ppoll", "__CFRunLoopRun", "main"],
        firstID: 10)
      builder.switchOut(time: second + 4 * millisecond, 100)
      builder.waking(time: end - millisecond, by: 0, of: 100)
      builder.switchIn(time: end - millisecond, 100)
      builder.exit(time: end, pid: 100, tid: 100)
      // Neither had a CPU for a while; or it waited for the next event.
      let later = end + (isEnding ? 190 : 1200) * millisecond
      builder.waking(time: later, by: 0, of: 101)
      builder.switchIn(time: later, 101)
      builder.exit(time: later + millisecond, pid: 100, tid: 101)
    }
    let reason = signals.unavailable[.mainThread]
    #expect((reason == nil) == isEnding, "\(reason ?? "")")
    #expect(signals.mainThread?.isParked == !isEnding)
    #expect(signals.mainThread?.foundBy.contains("ended") == !isEnding)
  }
}
