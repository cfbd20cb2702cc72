import Foundation
import PerfData
import Quantities
import TestSupport
import Testing

@testable import Signals
@testable import TraceModel

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

extension TraceBuilder {
  /// Thread 100 waits from one millisecond to another, with these frames.
  fileprivate mutating func wait(
    from: UInt64, to: UInt64, in functions: [String], id: Int, tid: Int32 = 100,
    context: WakeContext = .hardInterrupt, waker: Int32 = 0
  ) throws {
    let begin = second + from * millisecond
    blockedStack(time: begin - 1000, tid)
    try stack(time: begin - 1000, tid: tid, functions: functions, firstID: id)
    switchOut(time: begin, tid)
    waking(time: second + to * millisecond, by: waker, of: tid, context: context)
    switchIn(time: second + to * millisecond, tid)
  }

  fileprivate static let runLoop = ["ppoll", "__CFRunLoopServiceFileDescriptors", "main"]
}

struct MainThreadMeasureTests {
  @Test func `turns split at event waits, and their parts add up to the nanosecond`() throws {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      try builder.wait(from: 20, to: 1000, in: TraceBuilder.runLoop, id: 1)
      // A turn of 300 ms: 10 running, 280 blocked, 10 running.
      try builder.wait(from: 1010, to: 1290, in: ["usleep", "Model.refresh()"], id: 10)
      try builder.wait(from: 1300, to: 3000, in: TraceBuilder.runLoop, id: 20)
      builder.exit(time: second + 3010 * millisecond, pid: 100, tid: 100)
    }
    let main = try #require(signals.mainThread)
    #expect(main.hasEventLoop && main.turns == 3)
    #expect(main.hangs.count == 1)
    let hang = main.hangs[0]
    #expect(abs(hang.durationSeconds - 0.3) < 1e-9 && abs(hang.start - 1) < 1e-9)
    #expect(abs(hang.runningSeconds - 0.02) < 1e-9 && hang.severity == .hang)
    #expect(hang.blamedFunction == "usleep" || hang.blamedFunction == "Model.refresh()")
    let blocked = hang.blockedByCause.values.reduce(0, +)
    #expect(
      abs(hang.runningSeconds + hang.runnableSeconds + blocked - hang.durationSeconds) < 1e-12)
    let whole =
      main.runningSeconds + main.runnableSeconds + main.blockedSeconds + main.idleSeconds
    #expect(abs(whole - 3.01) < 1e-9)
    #expect(abs((signals.lifecycle?.launchSeconds ?? 0) - 0.02) < 1e-9)
  }

  /// What a thread waited in as it was attached to may have been events, or what hangs it.
  @Test(arguments: [true, false])
  func `a wait that nothing is known of is no part of a hang where the recording began in it`(
    isAttached: Bool
  ) throws {
    let signals = try measureProgram { builder in
      if isAttached {
        try builder.capture(time: second, rootPid: 100, mode: .attach)
      } else {
        builder.switchIn(time: second, 100)
        builder.switchOut(time: second + millisecond, 100)
      }
      builder.switchIn(time: second + 600 * millisecond, 100)
      try builder.wait(from: 601, to: 900, in: ["usleep", "Model.refresh()"], id: 10)
      try builder.wait(from: 901, to: 3000, in: TraceBuilder.runLoop, id: 20)
      try builder.wait(from: 3001, to: 3300, in: ["usleep", "Model.refresh()"], id: 30)
      try builder.wait(from: 3301, to: 4000, in: TraceBuilder.runLoop, id: 40)
      builder.exit(time: second + 4001 * millisecond, pid: 100, tid: 100)
    }
    let main = try #require(signals.mainThread)
    let hangs = main.hangs.map(\.durationSeconds)
    // What came before the first event wait of a program that was started is its launch.
    try #require(hangs.count == (isAttached ? 2 : 1), "\(hangs)")
    for hang in hangs { #expect(abs(hang - 0.301) < 1e-3, "\(hangs)") }
  }

  // From outside it was over at the first look: 0 s to the first event wait, it was said, with 100 points.
  @Test(arguments: [0, 5]) func `a launch of which nothing was seen has no length`(ready: UInt64)
    throws
  {
    let signals = try measureProgram { builder in
      if ready > 0 { builder.switchIn(time: second, 100) }
      try builder.wait(from: ready, to: 500, in: TraceBuilder.runLoop, id: 20)
      try builder.wait(from: 501, to: 900, in: TraceBuilder.runLoop, id: 30)
      builder.exit(time: second + 901 * millisecond, pid: 100, tid: 100)
    }
    let launch = signals.lifecycle?.launchSeconds
    #expect(ready == 0 ? launch == nil : abs((launch ?? 0) - 0.005) < 1e-9, "\(launch ?? -1)")
  }

  @Test func `a program without an event wait has no hangs`() throws {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      try builder.wait(from: 20, to: 5000, in: ["pread", "load()"], id: 1)
      builder.exit(time: second + 6000 * millisecond, pid: 100, tid: 100)
    }
    let main = try #require(signals.mainThread)
    #expect(!main.hasEventLoop && main.hangs.isEmpty)
    #expect(signals.lifecycle?.launchSeconds == nil)
  }

  @Test func `waits without a sampled stack follow the nine in ten that have one`() {
    func interval(_ index: UInt64, _ cause: WaitCause, stack: Int?) -> ThreadInterval {
      ThreadInterval(
        start: Timestamp(nanoseconds: index), end: Timestamp(nanoseconds: index + 1),
        state: .blocked(cause), stack: stack)
    }
    let sampled = (0..<10).map { interval(UInt64($0), $0 == 0 ? .file : .eventWait, stack: 1) }
    let agreed = WaitInference.infer(
      ThreadHistory(sampled + [interval(10, .unknown, stack: nil)]))
    #expect(agreed.last?.state == .blocked(.eventWait))
  }

  /// Letters are waits: a file's, a sync's and an event's with a stack; e is an event wait told by the end of its call,
  /// and a dot one of which nothing is known.
  @Test(arguments: [
    ("FF..FF", "FFFFFF"), ("FF..SS", "FF..SS"), ("E.FF.F", "E.FFFF"), ("EF..eS.e", "EFFFeSSe"),
    ("EFe..eFe", "EFeFFeFe"), ("EFe..eSe", "EFe..eSe"), ("..F", "FFF"), ("eS.", "eSS"),
    // Nearly all that is known waited for events, and says so itself: the rest did not.
    ("eeeeeeeeeeeeeeeeeeF.eeeeeF.", "eeeeeeeeeeeeeeeeeeFFeeeeeFF"),
  ])
  func `an unsampled wait is what its neighbours are`(waits: String, expected: String) {
    let causes: [Character: WaitCause] = [
      "F": .file, "S": .sync, "E": .eventWait, "e": .eventWait, ".": .unknown,
    ]
    // Each so often that the waits without a stack are many.
    let long = waits.flatMap { repeatElement($0, count: WaitInference.fewest) }
    let intervals = long.enumerated().map { index, letter in
      ThreadInterval(
        start: Timestamp(nanoseconds: UInt64(index)),
        end: Timestamp(nanoseconds: UInt64(index + 1)),
        state: .blocked(causes[letter] ?? .unknown), stack: letter.isUppercase ? 1 : nil)
    }
    #expect(
      WaitInference.infer(ThreadHistory(intervals)).map(\.state)
        == expected.flatMap {
          repeatElement(.blocked(causes[$0] ?? .unknown), count: WaitInference.fewest)
        })
  }
}

struct ThreadChurnTests {
  /// Lives as pairs of milliseconds, and how many of them overlap at most.
  @Test(
    arguments: [
      ([], 0), ([(0, 10)], 1), ([(0, 10), (10, 20), (20, 30)], 1),
      ([(0, 30), (5, 10), (12, 20)], 2),
      ([(0, 9), (1, 9), (2, 9)], 3),
    ] as [([(UInt64, UInt64)], Int)])
  func `threads that live at once`(lives: [(UInt64, UInt64)], most: Int) {
    let times = lives.map {
      (start: Timestamp(nanoseconds: $0.0), end: Timestamp(nanoseconds: $0.1))
    }
    #expect(ThreadChurnMeasure.mostAtOnce(times) == most)
  }
}

struct ThreadRoleTests {
  // 250 ms of the first job of MainActor were "blocked on the pool".
  @Test func `the first thread is none of the pool, whatever jobs it runs before it is parked`()
    throws
  {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      try builder.wait(
        from: 10, to: 260, in: ["clock_nanosleep", "usleep", "load()", "swift_job_run", "main"],
        id: 1)
      builder.blockedStack(time: second + 270 * millisecond, 100)
      try builder.stack(
        time: second + 270 * millisecond, tid: 100, functions: ["_dispatch_sigsuspend", "main"],
        firstID: 10)
      builder.switchOut(time: second + 270 * millisecond, 100)
      for (index, queue) in [" (main queue)", ""].enumerated() {
        let (tid, from) = (Int32(101 + index), second + UInt64(300 + index * 200) * millisecond)
        builder.fork(time: from, pid: 100, tid: tid, parentPid: 100)
        builder.switchIn(time: from, tid)
        builder.blockedStack(time: from + millisecond, tid)
        let drain = index == 0 ? ["_dispatch_lane_serial_drain" + queue] : []
        try builder.stack(
          time: from + millisecond, tid: tid,
          functions: ["clock_nanosleep", "usleep", "work()", "swift_job_run"] + drain
            + ["_dispatch_worker_thread"], firstID: 20 + index * 10)
        builder.switchOut(time: from + millisecond, tid)
        builder.waking(time: from + 100 * millisecond, by: 0, of: tid, context: .hardInterrupt)
        builder.switchIn(time: from + 100 * millisecond, tid)
        builder.switchOut(time: from + 110 * millisecond, tid)
        builder.exit(time: from + 110 * millisecond, pid: 100, tid: tid)
      }
      builder.exit(time: second + 900 * millisecond, pid: 100, tid: 100)
    }
    let roles = Dictionary(uniqueKeysWithValues: signals.threads.map { ($0.tid, $0.role) })
    #expect(roles[100] == .other && roles[102] == .cooperativePool, "\(roles)")
    #expect(!signals.criticalThreads.contains { $0.tid == 100 && $0.role == .cooperativePool })
  }
}

struct WakeupMeasureTests {
  @Test func `a 50 ms timer is found with its period and count`() throws {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      for tick in UInt64(1)...40 {
        try builder.wait(
          from: tick * 50 - 49, to: tick * 50, in: TraceBuilder.runLoop, id: Int(tick) * 10)
      }
      builder.exit(time: second + 2001 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.total == 40 && wakeups.idle == 40 && wakeups.byCause == [.timer: 40])
    let timer = try #require(wakeups.timers.first)
    #expect(abs(timer.periodSeconds - 0.05) < 1e-6 && timer.count == 40)
  }

  // The disk's answer to what is written at each expiry was taken for a wake that the timer could have waited for.
  @Test func `a timer shares no wakeup with what comes of its own work`() throws {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      for tick in UInt64(1)...40 {
        try builder.wait(
          from: tick * 50 - 45, to: tick * 50, in: TraceBuilder.runLoop, id: Int(tick) * 20)
        try builder.wait(
          from: tick * 50 + 1, to: tick * 50 + 3, in: ["fsync", "save()"], id: Int(tick) * 20 + 10)
      }
      builder.exit(time: second + 2004 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.byCause == [.timer: 40, .disk: 40])
    let coalescing = try #require(wakeups.coalescing)
    #expect(coalescing.timerWakeups == 40 && coalescing.avoidable == 0)
  }

  // A peer's delayed acknowledgements come as regularly as a timer; epoll_wait(-1) was called a poll for them.
  @Test(arguments: [true, false])
  func `packets that come regularly are no timer of who waits for events`(hasSockets: Bool) throws {
    let signals = try measureProgram { builder in
      if hasSockets {
        builder.socketState(
          time: second, tid: 100, socket: 0x99, from: 7, to: 10, localPort: 80, remotePort: 0)
      }
      builder.switchIn(time: second, 100)
      for tick in UInt64(1)...40 {
        try builder.wait(
          from: tick * 168 - 167, to: tick * 168, in: ["epoll_wait", "getNotifications()"],
          id: Int(tick) * 10, context: .softInterrupt)
      }
      builder.exit(time: second + 6721 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.idle == 40 && wakeups.byCause == [hasSockets ? .network : .other: 40])
    #expect(wakeups.timers.isEmpty)
  }

  // A server was said to poll, by wakes that came as its event loop was about to wait, and by those that the kernel did
  // not tell.
  @Test(arguments: [
    (true, true, 0, false), (false, true, 1, false), (false, false, 1, false),
    (false, true, 0, false), (false, true, 1, true),
  ])
  func `wakes of which it is not known what they ended are no timer's, where there are sockets`(
    isTold: Bool, hasSocket: Bool, hardInterrupts: UInt64, isWithin: Bool
  ) throws {
    let signals = try measureProgram { builder in
      var capture = CaptureEvent(
        mode: .wrap, scope: .process, rootPid: 100, complete: true)
      capture.recorder = isWithin ? CaptureEvent.processRecorder : nil
      try builder.synthetic(capture, time: second, pid: 100)
      if hasSocket {
        builder.socketState(
          time: second, tid: 100, socket: 0x99, from: 7, to: 10, localPort: 80, remotePort: 0)
      }
      builder.switchIn(time: second, 100)
      for tick in UInt64(1)...40 {
        let time = second + tick * 50 * millisecond
        if isTold {
          builder.waking(time: time - 40_000, by: 0, of: 100, context: .softInterrupt)
        }
        builder.blockedStack(time: time - 35_000, 100)
        try builder.stack(
          time: time - 35_000, tid: 100, functions: ["epoll_wait", "getNotifications()"],
          firstID: Int(tick) * 10)
        builder.switchOut(time: time - 30_000, 100)
        if tick <= hardInterrupts {
          builder.waking(time: time - 10_000, by: 0, of: 100, context: .hardInterrupt)
        }
        builder.switchIn(time: time, 100)
      }
      builder.exit(time: second + 2001 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.total == 40)
    if isTold {
      #expect(wakeups.byCause == [.network: 40])
    } else if hasSocket, hardInterrupts > 0, !isWithin {
      #expect(wakeups.byCause == [.unknown: 39, .timer: 1] && wakeups.untold == 39)
    } else {
      // On an idle CPU nothing but an interrupt wakes; from within what is not told is a timer's.
      #expect(wakeups.byCause == [.timer: 40] && wakeups.timers.count == 1)
    }
    #expect((wakeups.whyTimersAreUntold != nil) == (wakeups.untold > 0))
  }

  // A pair of UDP sockets that was used once made 42 of 60 wakeups of a run loop's timer ones of unknown cause.
  @Test(arguments: [17, 6])
  func `what no datagram follows is no packet's where there are datagrams alone`(
    transport: Int
  ) throws {
    let signals = try measureProgram { builder in
      try builder.synthetic(
        CaptureEvent(mode: .wrap, scope: .process, rootPid: 100, complete: true), time: second,
        pid: 100)
      builder.switchIn(time: second, 100)
      for tick in UInt64(1)...40 {
        let time = second + tick * 50 * millisecond
        try builder.stack(
          time: time - 35_000, tid: 100, functions: ["epoll_wait", "serve()"],
          firstID: Int(tick) * 10)
        builder.blockedStack(time: time - 35_000, 100)
        builder.switchOut(time: time - 30_000, 100)
        if tick <= 2 {
          builder.waking(time: time - 10_000, by: 0, of: 100, context: .hardInterrupt)
        }
        builder.switchIn(time: time, 100)
        if tick == 20 {
          builder.receive(
            time: time + 7 * millisecond, tid: 100, socket: 0x77, bytes: 1,
            protocol: transport)
        }
      }
      builder.exit(time: second + 2001 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.untold == (transport == 17 ? 1 : 38), "\(wakeups.byCause)")
  }

  // A heartbeat's sends were taken for what had woken it; what an answer wakes is the network's.
  @Test(arguments: [true, false])
  func `a timer that sends each time is a timer, what receives is none`(receives: Bool) throws {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      for tick in UInt64(1)...40 {
        try builder.wait(
          from: tick * 50 - 49, to: tick * 50, in: TraceBuilder.runLoop, id: Int(tick) * 10)
        let time = second + (tick * 50 * 1000 + 100) * 1000
        if receives { builder.receive(time: time, tid: 100, socket: 9, bytes: 11) }
        builder.send(time: time + 1000, tid: 100, socket: 9, bytes: 11)
      }
      builder.exit(time: second + 2001 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.byCause == [receives ? .network : .timer: 40])
    #expect(wakeups.timers.map(\.count) == (receives ? [] : [40]))
    #expect(wakeups.timers.allSatisfy { $0.expiredWithoutWork == 0 })
  }

  // What is received within 5 ms was taken for what had woken the thread, though it had asked for it itself.
  @Test func `a timer that asks and is answered at once is a timer, and the answer the network's`()
    throws
  {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      for tick in UInt64(1)...40 {
        let (time, id) = (tick * 50, Int(tick) * 20)
        try builder.wait(from: time - 47, to: time, in: TraceBuilder.runLoop, id: id)
        builder.send(
          time: second + time * millisecond + 100_000, tid: 100, socket: 9, bytes: 11)
        try builder.wait(
          from: time + 1, to: time + 2, in: ["recv", "ask()", "main"], id: id + 10,
          context: .softInterrupt)
        builder.receive(
          time: second + (time + 2) * millisecond + 50_000, tid: 100, socket: 9, bytes: 11)
      }
      builder.exit(time: second + 2003 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.byCause == [.timer: 40, .network: 40])
    #expect(wakeups.timers.map(\.count) == [40])
  }

  @Test func `a wake by another process and one by our own are told apart`() throws {
    let signals = try measureProgram { builder in
      builder.comm(time: second, pid: 100, tid: 101, name: "worker")
      builder.switchIn(time: second, 100)
      try builder.wait(
        from: 10, to: 20, in: ["wait"], id: 1, context: .task, waker: 101)
      try builder.wait(
        from: 30, to: 40, in: ["wait"], id: 10, context: .task, waker: 999)
    }
    #expect(signals.wakeups?.byCause == [.sameProcess: 1, .otherProcess: 1])
    #expect(signals.wakeups?.idle == 0)
  }

  @Test func `a thread that held a file wakes the next one, and no disk does`() throws {
    let signals = try measureProgram { builder in
      builder.comm(time: second, pid: 100, tid: 101, name: "worker")
      builder.switchIn(time: second, 100)
      try builder.wait(
        from: 10, to: 20, in: ["pread", "load()"], id: 1, context: .task, waker: 101)
      try builder.wait(
        from: 30, to: 40, in: ["pread", "load()"], id: 10, context: .softInterrupt)
      // A kernel's thread writes and reads for others.
      try builder.wait(
        from: 50, to: 60, in: ["pread", "load()"], id: 20, context: .task, waker: 999)
    }
    #expect(signals.wakeups?.byCause == [.sameProcess: 1, .disk: 2])
  }

  // It was said to be statically linked, or another user's.
  @Test(arguments: [true, false])
  func `of a process that a killed recorder had not named it is not said why`(
    isWhole: Bool
  ) throws {
    var builder = TraceBuilder()
    var capture = CaptureEvent(mode: .wrap, scope: .process, rootPid: 100, complete: isWhole)
    capture.recorder = CaptureEvent.processRecorder
    capture.processesRecorded = [99]
    try builder.synthetic(capture, time: second, pid: 100)
    try builder.process(time: second, pid: 100)
    builder.switchIn(time: second, 100)
    builder.exit(time: second + 3 * millisecond, pid: 100, tid: 100)
    let signals = try Measurement.measure(builder.withFile { try Trace.load(path: $0) })
    let reason = try #require(signals.unavailable[.disk])
    #expect(reason.contains("statically linked") == isWhole, "\(reason)")
    #expect(reason.contains("did not reach its end") == !isWhole, "\(reason)")
  }

  // "caused by other 59,857" was said of wakes that two threads of a process gave each other, a tenth of all.
  @Test(arguments: [true, false])
  func `a wake by whom nothing tells is of no known cause, and of untold waits there were more`(
    isWhole: Bool
  ) throws {
    let signals = try measureProgram { builder in
      var capture = CaptureEvent(mode: .wrap, scope: .process, rootPid: 100, complete: true)
      capture.recorder = CaptureEvent.processRecorder
      capture.missesWaits = isWhole ? [99] : [99, 100]
      try builder.synthetic(capture, time: second, pid: 100)
      builder.switchIn(time: second, 100)
      builder.switchOut(time: second + millisecond, 100)
      builder.switchIn(time: second + 2 * millisecond, 100)
      builder.exit(time: second + 3 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.byCause == [.unknown: 1] && wakeups.isLeast == !isWhole)
  }
}

struct BlockingSumsTests {
  @Test func `a wait is ended by the threads that end it most often`() throws {
    let signals = try measureProgram { builder in
      for tid in UInt32(101)...103 {
        builder.comm(
          time: second, pid: 100, tid: Int32(tid), name: tid == 103 ? "other" : "worker")
      }
      builder.switchIn(time: second, 100)
      // The last one to end it, and the one that did so most often alone, are of the other name.
      for (index, waker) in [101, 103, 102, 101, 102, 103, 103].enumerated() {
        let from = UInt64(10 + 20 * index)
        try builder.wait(
          from: from, to: from + 10, in: ["__lll_lock_wait", "main"], id: 10, context: .task,
          waker: Int32(waker))
      }
    }
    let blockings = try #require(signals.mainThread?.blockings)
    #expect(blockings.count == 1 && blockings.first?.count == 7)
    #expect(blockings.first?.waker == "worker")
    #expect(blockings.first.map { abs($0.seconds - 0.07) < 1e-9 } == true)
  }
}

struct DiskMeasureTests {
  @Test func `a file replaced again and again is rewritten but for its first content`() throws {
    let signals = try measureProgram { builder in
      for round in UInt64(0)..<3 {
        let time = second + round * 2 * second
        builder.open(time: time + 1000, tid: 100, path: "/data/.tmp\(round)", fd: 4, flags: 0o101)
        builder.exitSyscall(
          time: time + 2_000_000, tid: 100, number: 1, result: 1000, arguments: [4])
        builder.exitSyscall(
          time: time + 2_100_000, tid: 100, number: 3, result: 0, arguments: [4])
        builder.rename(
          time: time + 3_000_000, tid: 100, from: "/data/.tmp\(round)", to: "/data/settings")
      }
    }
    let disk = try #require(signals.disk)
    #expect(disk.writes == 3 && disk.bytesWritten == 3000 && disk.smallWrites == 3)
    #expect(disk.writeBursts == 3)
    #expect(disk.files.map(\.path) == ["/data/settings"])
    #expect(disk.files.first?.rewrites == 2 && disk.rewrittenBytes == 2000)
  }

  @Test func `what was read of a file and written in it goes with it to its other name`() throws {
    let signals = try measureProgram { builder in
      builder.open(time: second + 1000, tid: 100, path: "/data/made", fd: 4, flags: 0o102)
      for index in UInt64(0)..<3 {
        builder.exitSyscall(
          time: second + 2_000_000 + index, tid: 100, number: 0, result: 65_536, arguments: [4])
      }
      // A write at a place (pwrite64), and one before it.
      for (index, offset) in [8192, 0].enumerated() {
        builder.exitSyscall(
          time: second + 2_100_000 + UInt64(index), tid: 100, number: 18, result: 100,
          arguments: [4, 0, 100, UInt64(offset)])
      }
      builder.rename(
        time: second + 3_000_000, tid: 100, from: "/data/made", to: "/data/renamed")
    }
    let files = try #require(signals.disk).files
    #expect(files.map(\.path) == ["/data/renamed"])
    #expect(files.first?.reads == 3 && files.first?.bytesRead == 196_608)
    #expect(files.first?.scatteredWrites == 1 && files.first?.extentBytes == 8292)
  }

  @Test func `what no program can have written is told as much as there is room for`() throws {
    let signals = try measureProgram { builder in
      builder.open(time: second + 1000, tid: 100, path: "/data/store", fd: 4, flags: 0o101)
      for index in UInt64(0)..<4 {
        builder.exitSyscall(
          time: second + 2_000_000 + index, tid: 100, number: 1, result: 1 << 40, arguments: [4],
          period: 1 << 23)
      }
    }
    #expect(signals.phases.contains { $0.bytesWritten == .max }, "\(signals.phases)")
  }

  @Test func `a sync whose beginning was not recorded took nobody knows how long`() throws {
    let signals = try measureProgram { builder in
      builder.open(time: second + 1000, tid: 100, path: "/data/store", fd: 4, flags: 0o101)
      builder.enterSync(time: second + 2 * millisecond, tid: 100, fd: 4)
      // The last one's beginning was recorded, and it took no time that the clock could tell.
      builder.enterSync(time: second + 30 * millisecond, tid: 100, fd: 4)
      for time in [9 * millisecond, 20 * millisecond, 30 * millisecond] {
        builder.exitSyscall(
          time: second + time, tid: 100, number: 74, result: 0, arguments: [4])
      }
    }
    let disk = try #require(signals.disk)
    #expect(disk.syncs == 3 && disk.syncsUntimed == 1)
    #expect(abs(disk.syncSeconds - 0.007) < 1e-9)
    let blamed = signals.blame.disk
    #expect(blamed.map(\.syncs) == [3] && blamed.map(\.untimed) == [1], "\(blamed)")
    #expect(blamed.allSatisfy { abs($0.selfSeconds - 0.007) < 1e-9 })
  }
}

struct NetworkMeasureTests {
  private func connect(_ builder: inout TraceBuilder, remote: [UInt8]) {
    builder.socketState(time: second + 1, tid: 100, socket: 9, from: 7, to: 2, remote: remote)
    builder.socketState(time: second + 2, tid: 0, socket: 9, from: 2, to: 1, remote: remote)
    builder.send(time: second + 3, tid: 100, socket: 9, bytes: 100)
    builder.receive(time: 2 * second, tid: 100, socket: 9, bytes: 900)
    builder.receive(time: 21 * second, tid: 100, socket: 9, bytes: 900)
  }

  @Test func `bursts are 1.5 s apart and loopback is left out unless asked for`() throws {
    let far = try measureProgram { connect(&$0, remote: [198, 51, 100, 7]) }
    #expect(far.network?.bursts.count == 2)
    #expect(far.network?.bursts.first?.bytesReceived == 900)
    #expect(far.network?.bytesReceived == 1800)
    let near = try measureProgram { connect(&$0, remote: [127, 0, 0, 1]) }
    #expect(near.network?.bursts.isEmpty == true)
    #expect(near.network?.bytesReceived == 1800)
    let asked = try measureProgram(.init(includeLoopback: true)) {
      connect(&$0, remote: [127, 0, 0, 1])
    }
    #expect(asked.network?.bursts.count == 2)
  }

  @Test func `a window holds the connections that failed in it`() throws {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program")
    let remote: [UInt8] = [198, 51, 100, 7]
    for moment in [UInt64(2), 8] {
      let time = moment * second
      builder.socketState(time: time, tid: 100, socket: moment, from: 7, to: 2, remote: remote)
      builder.socketState(
        time: time + millisecond, tid: 0, socket: moment, from: 2, to: 7, remote: remote)
    }
    builder.exit(time: 11 * second, pid: 100, tid: 100)
    func failures(_ window: TraceWindow?) throws -> [Double]? {
      let trace = try builder.withFile {
        try Trace.load(path: $0, options: TraceOptions(window: window))
      }
      return try Measurement.measure(trace).network?.failures.map(\.time)
    }
    #expect(try failures(nil) == [1.001, 7.001])
    #expect(try failures(TraceWindow(from: 5)) == [7.001])
    #expect(try failures(TraceWindow(to: 5)) == [1.001])
  }
}

struct MemoryMeasureTests {
  @Test func `a leak of 6 MB a minute is the slope, with an interval that excludes zero`() throws {
    let signals = try measureProgram { builder in
      for step in UInt64(0)...100 {
        builder.footprint(
          time: second + step * 100 * millisecond, pid: 100,
          anonymous: 10_000_000 + step * 10_000)
      }
    }
    let memory = try #require(signals.memory)
    #expect(memory.peakFootprintBytes == 11_000_000)
    #expect(abs((memory.growthBytesPerMinute ?? 0) - 6_000_000) < 1)
    #expect((memory.growthInterval?.first ?? 0) > 0)
  }

  // A few steps of some pages were "47.9 to 58.4 kB a minute": when the next one would have come is not known.
  @Test func `a growth of a few steps is known to a step at best`() throws {
    let signals = try measureProgram { builder in
      for index in UInt64(0)...600 {
        // One in ten seconds, as the program is read ten times a second.
        builder.footprint(
          time: second + index * 100 * millisecond, pid: 100,
          anonymous: 10_000_000 + (index + 50) / 100 * 16_384)
      }
    }
    let interval = try #require(signals.memory?.growthInterval)
    // The later half is looked at, of 29.5 s.
    let (truth, step) = (6 * 16_384.0, 16_384 / 29.5 * 60)
    #expect(interval[0] <= truth - step * 0.9 && interval[1] >= truth + step * 0.9, "\(interval)")
  }

  // A child that lived for 20 ms was read as it began: 188 kB, where it came to 2 MB.
  @Test func `what a program came to is not known by a reading at its beginning`() throws {
    func memory(endingAt end: UInt64) throws -> (MemorySignal?, ProcessModel) {
      var builder = TraceBuilder()
      try builder.synthetic(
        CaptureEvent(mode: .wrap, scope: .system, rootPid: 100, intervalNs: second / 10),
        time: second,
        pid: 100)
      try builder.process(time: second, pid: 100)
      builder.comm(time: second, pid: 100, tid: 100, name: "program")
      builder.switchIn(time: second, 100)
      builder.footprint(time: second + 2 * millisecond, pid: 100, anonymous: 188_000)
      let time = second + end * millisecond
      try builder.process(time: time, pid: 100, kind: .exit, exitStatus: 0)
      builder.exit(time: time, pid: 100, tid: 100)
      let trace = try builder.withFile { try Trace.load(path: $0) }
      return (try Measurement.measure(trace).memory, trace.subject)
    }
    let (short, process) = try memory(endingAt: 20)
    #expect(short == nil && process.outlivedReadings(every: second / 10))
    #expect(try memory(endingAt: 3).0?.peakFootprintBytes == 188_000)
    // One that lived on for longer was read again.
    #expect(try memory(endingAt: 500).0 != nil)
  }

  @Test func `huge pages were held beside what the kernel's peak tells`() throws {
    let signals = try measureProgram { builder in
      var sample = FootprintSample()
      (sample.anonymous, sample.resident, sample.huge) = (1_000_000, 1_000_000, 64 << 20)
      for (step, peak) in [1_000_000, 31_000_000].enumerated() {
        sample.peakResident = UInt64(peak)
        builder.footprint(
          time: second + UInt64(1 + step) * 100 * millisecond, pid: 100, sample)
      }
    }
    let memory = try #require(signals.memory)
    #expect(memory.peakFootprintBytes == 31_000_000 + (64 << 20), "\(memory)")
    #expect(memory.endFootprintBytes == 1_000_000 + (64 << 20))
  }

  // 300 MB that were touched in the last 150 ms were 231 or 279 MB "at the peak", with 100 points or a warning.
  @Test(arguments: [(310, 307), (230, 200)] as [(UInt64, UInt64)])
  func `what a program took after its last reading is known by the kernel's peak`(
    megabytes: UInt64, expected: UInt64
  ) throws {
    var builder = TraceBuilder()
    try builder.process(time: second, pid: 100)
    builder.switchIn(time: second, 100)
    builder.footprint(
      time: second + 100 * millisecond, pid: 100, anonymous: 200_000_000, file: 3_000_000)
    let time = second + 150 * millisecond
    try builder.synthetic(
      ProcessEvent(
        pid: 100, kind: .exit, exitStatus: 0, peakResidentBytes: megabytes * 1_000_000),
      time: time, pid: 100)
    builder.exit(time: time, pid: 100, tid: 100)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let memory = try #require(try Measurement.measure(trace).memory)
    // The libraries that a program loads last are less than the rest of 27 MB.
    #expect(memory.peakFootprintBytes == expected * 1_000_000, "\(memory)")
    #expect(memory.leastPeakFootprintBytes == 200_000_000)
    #expect(memory.peakResidentBytes == megabytes * 1_000_000)
  }

  // Programs of 40 ms were "15.0 MB at the peak, 15.0 MB at the end", as they were read half-way to 21 MB that they
  // freed, and one that a signal ended at once was "12.3 kB at its peak", with 100 points.
  @Test(
    arguments: [
      (40, 21_000_000, true, true), (40, 17_200_000, false, true), (40, nil, true, false),
      (2000, nil, false, true), (2500, nil, true, false), (2500, 21_000_000, true, true),
    ] as [(UInt64, UInt64?, Bool, Bool)])
  func `what is not read before the end makes a peak the least that it was`(
    end: UInt64, peak: UInt64?, isLeast: Bool, isBounded: Bool
  ) throws {
    var builder = TraceBuilder()
    try builder.synthetic(
      CaptureEvent(mode: .wrap, scope: .system, rootPid: 100, intervalNs: second / 10),
      time: second, pid: 100)
    try builder.process(time: second, pid: 100)
    builder.switchIn(time: second, 100)
    let last = end > 1000 ? 1950 : 25
    for time in end > 1000 ? [25, 500, 1000, 1500, last] : [last] {
      builder.footprint(
        time: second + UInt64(time) * millisecond, pid: 100, anonymous: 15_000_000, file: 2_000_000)
    }
    let time = second + end * millisecond
    try builder.synthetic(
      ProcessEvent(pid: 100, kind: .exit, exitStatus: 0, peakResidentBytes: peak), time: time,
      pid: 100)
    builder.exit(time: time, pid: 100, tid: 100)
    if end == 40 {
      // What a program reads and writes is told once more when its memory is gone.
      builder.footprint(time: time + 1000, pid: 100, anonymous: 15_000_000, file: 2_000_000)
    }
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let memory = try #require(try Measurement.measure(trace).memory)
    #expect(memory.peakFootprintBytes == 15_000_000)
    #expect(memory.peakIsLeast == isLeast && memory.isPeakBounded == isBounded, "\(memory)")
    let unread = Double(end - UInt64(last)) / 1000
    #expect(memory.unreadSecondsAtEnd == (end == 2000 ? nil : unread), "\(memory)")
  }

  /// 4 MB fill up with a time constant of 3 s, and 0.11 MB a minute are kept for good.
  @Test(arguments: [(6, 6.0...60), (30, 0.11...0.9), (120, 0.1099...0.1101)])
  func `the slope is that of the end, when what fills up once has filled up`(
    seconds: UInt64, megabytes: ClosedRange<Double>
  ) throws {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program")
    builder.switchIn(time: second, 100)
    for step in 0...seconds * 10 {
      let time = Double(step) / 10
      let bytes = 12e6 + 4e6 * (1 - exp(-time / 3)) + 0.11e6 / 60 * time
      builder.footprint(
        time: second + step * 100 * millisecond, pid: 100, anonymous: UInt64(bytes))
    }
    builder.exit(time: (seconds + 1) * second, pid: 100, tid: 100)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let memory = try #require(try Measurement.measure(trace).memory)
    let slope = try #require(memory.growthBytesPerMinute) / 1e6
    #expect(megabytes.contains(slope), "\(slope)")
    #expect((memory.earlierGrowthBytesPerMinute ?? 0) / 1e6 > 1.2 * slope)
    #expect(memory.secondsSinceStart == Double(seconds) - 1)
  }

  /// A program that had run for so long as it was attached to; 4 MB fill up with a time constant of 3 s.
  @Test(arguments: [nil, 2, 60] as [UInt64?])
  func `one that is attached to while it warms up is told by its age`(age: UInt64?) throws {
    var builder = TraceBuilder()
    let begin = 100 * second
    var capture = CaptureEvent(
      mode: .attach, scope: .system, rootPid: 100, intervalNs: 100 * millisecond, complete: true)
    capture.processStartNs = age.map { begin - $0 * second }
    try builder.synthetic(capture, time: begin, pid: 100)
    try builder.process(time: begin, pid: 100, kind: .attach)
    builder.switchIn(time: begin, 100)
    for step in 0...UInt64(100) {
      let time = Double(step) / 10
      let bytes = 12e6 + 4e6 * (1 - exp(-time / 3))
      builder.footprint(
        time: begin + step * 100 * millisecond, pid: 100, anonymous: UInt64(bytes))
    }
    builder.switchOut(time: begin + 10 * second, 100)
    for window in [nil, TraceWindow(from: 4)] {
      let trace = try builder.withFile {
        try Trace.load(path: $0, options: TraceOptions(window: window))
      }
      let memory = try #require(try Measurement.measure(trace).memory)
      #expect((memory.secondsSinceStart != nil) == (age != nil))
      if let age, let seconds = memory.secondsSinceStart {
        #expect(abs(seconds - Double(age) - 9) < 0.1, "\(seconds)")
      }
      #expect((memory.earlierGrowthBytesPerMinute != nil) == (age == 2))
    }
  }
}

struct CPUMeasureTests {
  @Test func `half a core for four seconds is a median share of one half`() throws {
    let signals = try measureProgram { builder in
      for step in UInt64(0)..<40 {
        builder.switchIn(time: second + step * 100 * millisecond, 100)
        builder.switchOut(time: second + (step * 100 + 50) * millisecond, 100)
      }
      builder.switchIn(time: 5 * second, 100)
    }
    let cpu = try #require(signals.cpu)
    #expect(abs(cpu.totalSeconds - 2) < 1e-9)
    #expect(abs(cpu.medianShare - 0.5) < 1e-9)
  }

  // None of 15 ms was the user's, and none the system's.
  @Test func `where the kernel counted no tick it is not known whose the CPU time is`() throws {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      builder.footprint(time: second + 9 * millisecond, pid: 100, FootprintSample())
      builder.switchOut(time: second + 15 * millisecond, 100)
    }
    let cpu = try #require(signals.cpu)
    #expect(abs(cpu.totalSeconds - 0.015) < 1e-9)
    #expect(cpu.userSeconds == nil && cpu.systemSeconds == nil)
  }

  /// Four fifths of a core by /proc, of which looks from outside found one tenth: the rest is of threads that lived
  /// between two of them.
  @Test(arguments: [false, true])
  func `what looks from outside missed is in the CPU time by /proc`(isIdle: Bool) throws {
    var builder = TraceBuilder()
    var capture = CaptureEvent(
      mode: .wrap, scope: .process, rootPid: 100, intervalNs: 100 * millisecond)
    capture.recorder = CaptureEvent.outsideRecorder
    try builder.synthetic(capture, time: second, pid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program")
    for step in UInt64(0)..<40 {
      builder.switchIn(time: second + step * 100 * millisecond, 100)
      builder.switchOut(time: second + (step * 100 + 10) * millisecond, 100)
      var sample = FootprintSample()
      sample.userTimeNs = (step + 1) * (isIdle ? 5 : 60) * millisecond
      sample.systemTimeNs = (step + 1) * (isIdle ? 4 : 20) * millisecond
      builder.footprint(time: second + (step + 1) * 100 * millisecond, pid: 100, sample)
    }
    builder.switchIn(time: 5 * second, 100)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let signals = try Measurement.measure(trace)
    let cpu = try #require(signals.cpu)
    // Less by /proc than of the threads is /proc's coarseness.
    let (user, system) = isIdle ? (0.4 * 5 / 9, 0.4 * 4 / 9) : (2.4, 0.8)
    #expect(abs(cpu.totalSeconds - user - system) < 1e-9)
    #expect(abs((cpu.userSeconds ?? 0) - user) < 1e-9)
    #expect(abs((cpu.systemSeconds ?? 0) - system) < 1e-9)
    #expect(abs(cpu.medianShare - (user + system) / 4) < 1e-9)
    let cores = Overview.measure(trace, signals: signals).cores
    #expect(abs(cores.reduce(0, +) / Double(cores.count) - (user + system) / 4) < 1e-3)
    #expect(isIdle || cores.allSatisfy { abs($0 - 0.8) < 1e-3 }, "\(cores)")
  }
}

struct EnergyMeasureTests {
  /// Four wakes: two of an idle CPU, one of a busy CPU, one by a thread.
  @Test func `only wakes that found the CPU idle are charged, the others are the doubt`() throws {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      func wait(
        _ index: UInt64, _ function: String, _ context: TraceBuilder.WakeContext?,
        by waker: Int32 = 0
      )
        throws
      {
        let (from, to) = (
          second + (10 + 20 * index) * millisecond, second + 20 * (index + 1) * millisecond
        )
        builder.blockedStack(time: from - 1000, 100)
        try builder.stack(
          time: from - 1000, tid: 100, functions: [function, "main"], firstID: Int(10 * index + 1))
        builder.switchOut(time: from, 100)
        if let context { builder.waking(time: to, by: waker, of: 100, context: context) }
        builder.switchIn(time: to, 100)
      }
      try wait(0, "usleep", .hardInterrupt)
      try wait(1, "usleep", .hardInterrupt)
      try wait(2, "usleep", .softInterrupt, by: 55)
      try wait(3, "pthread_mutex_lock", .task, by: 55)
      builder.exit(time: second + 200 * millisecond, pid: 100, tid: 100)
    }
    let wakeups = try #require(signals.wakeups)
    #expect(wakeups.total == 4 && wakeups.idle == 3 && wakeups.foundCPUIdle == 2)
    let energy = try #require(signals.energy)
    let price = signals.priors.wakeup
    #expect(abs(energy.wakeupJoules - 2 * price.value) < 1e-12)
    let range = try #require(energy.ranges?.wakeups)
    #expect(abs(range.low - 2 * price.low) < 1e-12)
    #expect(abs(range.high - 4 * price.high) < 1e-12)
    #expect(abs(energy.byThread.reduce(0) { $0 + $1.wakeupJoules } - energy.wakeupJoules) < 1e-12)
    #expect(
      abs(signals.blame.wakeups.reduce(0) { $0 + $1.joules } - energy.wakeupJoules) < 1e-12)
    // A program without one of its three idle wakeups saves one of three of what they cost.
    #expect(abs(signals.joules(ofIdleWakeups: 1) - 2.0 / 3 * price.value) < 1e-12)
  }

  @Test func `a wake that the kernel did not tell is an idle one by what was waited for`() {
    func wakeup(_ waited: WaitCause?) -> Wakeup {
      Wakeup(
        time: Timestamp(nanoseconds: 0), tid: 1, pid: 1, waker: -1, wakerPid: -1, context: .unknown,
        waited: waited, cpuWasIdle: false)
    }
    #expect(wakeup(.sleep).foundCPUIdle && wakeup(.eventWait).foundCPUIdle)
    #expect(!wakeup(.lock).foundCPUIdle && !wakeup(nil).foundCPUIdle)
  }
}

struct EnergyShareTests {
  @Test func `a function's energy does not depend on the order of its stacks`() throws {
    let signals = try measureProgram { builder in
      builder.switchIn(time: second, 100)
      for sample in UInt64(0)..<210 {
        let time = second + sample * 10 * millisecond
        builder.processorSample(time: time, 100)
        // Of the 20 callers of load(), the n-th is seen n times.
        let caller = (0..<20).first { ($0 + 1) * ($0 + 2) / 2 > Int(sample) } ?? 0
        try builder.stack(
          time: time, tid: 100, functions: ["load()", "caller\(caller)()"],
          firstID: 2 * caller + 1)
      }
      builder.exit(time: second + 2100 * millisecond, pid: 100, tid: 100)
    }
    let energy = try #require(signals.energy)
    #expect(energy.byFunction.map(\.name) == ["load()"])
    // All of it: a sum of twenty parts would be a last digit off.
    #expect(energy.byFunction.first?.parts.cpu == energy.cpuJoules)
  }
}
