import Foundation
import PerfData
import TestSupport
import Testing

@testable import TraceModel

struct HostileTraceTests {
  /// A fixed seed, and a new one each time.
  static let seeds: [UInt64] = [1, UInt64.random(in: 0 ... .max)]

  static func trace() throws -> [UInt8] {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program", isExec: true)
    builder.mmap(time: second, pid: 100, start: 0x1000, length: 0x1000, path: "/bin/none")
    builder.fork(time: second, pid: 100, tid: 101, parentPid: 100)
    for turn in UInt64(1)...10 {
      let at = second + turn * 10 * millisecond
      builder.waking(time: at, by: 0, of: 100, context: .hardInterrupt)
      builder.switchIn(time: at + 1000, 100)
      builder.exitSyscall(time: at + 2000, tid: 100, number: 1, result: 100)
      builder.open(time: at + 3000, tid: 100, path: "/tmp/x", fd: 3)
      builder.blockedStack(
        time: at + 4000, 100, callchain: [CallchainContext.user, 0x1010],
        registers: [1, 2, 0x1010], stack: Array(0..<100))
      try builder.stack(
        time: at + 4000, tid: 100, functions: ["read", "main"], firstID: Int(turn) * 10)
      builder.switchOut(time: at + 4000, 100)
    }
    builder.footprint(time: second + 500 * millisecond, pid: 100, anonymous: 4096)
    builder.exit(time: second + 600 * millisecond, pid: 100, tid: 100)
    return builder.build()
  }

  @Test(arguments: seeds) func `no broken trace makes the loader crash`(seed: UInt64) throws {
    print("TraceModel fuzz seed \(seed)")
    let original = try Self.trace()
    var mutator = StructuralMutator(seed: seed)
    var loaded = 0
    for _ in 0..<600 {
      guard let file = try? PerfDataFile(bytes: mutator.mutate(original)) else { continue }
      var loader = TraceLoader(file: file, path: "fuzz", options: TraceOptions())
      if let trace = try? loader.load() {
        loaded += 1
        for thread in trace.threads { #expect(thread.intervals.allSatisfy { $0.end >= $0.start }) }
      }
    }
    // Most must get past the header, or nothing behind it is tried.
    #expect(loaded > 100, "seed \(seed)")
  }
}

struct WakeupLogTests {
  private static let wakeups = (0..<2000).map { index -> Wakeup in
    let causes: [WaitCause?] = WaitCause.allCases + [nil]
    let contexts: [Wakeup.Context] = [.task, .softInterrupt, .hardInterrupt, .unknown]
    return Wakeup(
      time: Timestamp(nanoseconds: UInt64(index * index) * 1000 + 5),
      tid: index % 7 == 0 ? .max : Int32(index % 50), pid: Int32(index % 5) - 1,
      waker: index % 11 == 0 ? .min : Int32(index % 13), wakerPid: -1,
      context: contexts[index % 4], waited: causes[index % causes.count],
      cpuWasIdle: index % 3 == 0)
  }

  private func same(_ a: Wakeup, _ b: Wakeup) -> Bool {
    a.time == b.time && a.tid == b.tid && a.pid == b.pid && a.waker == b.waker
      && a.wakerPid == b.wakerPid && a.context == b.context && a.waited == b.waited
      && a.cpuWasIdle == b.cpuWasIdle
  }

  @Test func `wakeups come out as they went in, from any time`() {
    let log = WakeupLog(Self.wakeups)
    #expect(log.count == Self.wakeups.count)
    #expect(zip(log, Self.wakeups).allSatisfy(same))
    for index in stride(from: 0, to: Self.wakeups.count, by: 97) {
      let time = Self.wakeups[index].time
      let later = log.from(time).filter { $0.time >= time }
      let expected = Self.wakeups.filter { $0.time >= time }
      #expect(later.count == expected.count && zip(later, expected).allSatisfy(same))
    }
  }

  @Test func `wakeups out of order are kept, and found`() {
    let shuffled = Self.wakeups.reversed()
    let log = WakeupLog(shuffled)
    #expect(zip(log, shuffled).allSatisfy(same))
    let time = Self.wakeups[1000].time
    #expect(log.from(time).count { $0.time >= time } == 1000)
  }
}

struct ThreadHistoryTests {
  private func interval(_ start: UInt64, _ end: UInt64, _ state: ThreadState, stack: Int? = nil)
    -> ThreadInterval
  {
    ThreadInterval(
      start: Timestamp(nanoseconds: start), end: Timestamp(nanoseconds: end), state: state,
      stack: stack, waker: stack.map { Int32($0) })
  }

  @Test func `intervals come out as they went in, from any place`() {
    var time: UInt64 = 17
    let states: [ThreadState] =
      [.running, .runnable] + WaitCause.allCases.map { ThreadState.blocked($0) }
    let intervals = (0..<1000).map { index in
      let start = time
      time += UInt64(index * index * index) + 1
      return interval(
        start, time, states[index % states.count], stack: index % 3 == 0 ? index * 100 : nil)
    }
    let history = ThreadHistory(intervals)
    #expect(history.count == 1000)
    func same(_ a: ThreadInterval, _ b: ThreadInterval) -> Bool {
      a.start == b.start && a.end == b.end && a.state == b.state && a.stack == b.stack
        && a.waker == b.waker
    }
    #expect(zip(history, intervals).allSatisfy(same))
    for index in stride(from: 0, to: 1000, by: 37) {
      #expect(same(history[index], intervals[index]))
    }
    #expect(zip(history[130..<400], intervals[130..<400]).allSatisfy(same))
    #expect(
      history[130..<400].count == 270
        && history[999...].first.map { same($0, intervals[999]) } == true)
    let running = intervals.filter { $0.state == .running }.reduce(TimeSpan.zero) { $0 + $1.length }
    #expect(history.totals.running == running)
    for index in stride(from: 61, to: 1000, by: 61) {
      let time = intervals[index].start + TimeSpan(nanoseconds: 1)
      let before = intervals[..<index].filter { $0.state == .running }
        .reduce(TimeSpan.zero) { $0 + $1.length }
      let own = intervals[index].state == .running ? TimeSpan(nanoseconds: 1) : .zero
      #expect(history.runningTime(before: time) == before + own)
      let over = history.overlapping(time, time + TimeSpan(nanoseconds: 1))
      #expect(over.count == 1 && over.first.map { same($0, intervals[index]) } == true)
    }
    #expect(history.runningTime(before: Timestamp(nanoseconds: 0)) == .zero)
    #expect(history.runningTime(before: Timestamp(nanoseconds: .max)) == running)
    let other = intervals.filter { $0.state == .blocked(.other) && $0.stack == nil }
    #expect(history.totals.unknownWaits == other.count)
    let idle = history.takingUnknownForIdle
    #expect(
      idle.filter { $0.state == .blocked(.eventWait) }.reduce(TimeSpan.zero) { $0 + $1.length }
        == idle.totals.blocked(by: .eventWait))
  }

  @Test func `thread ids out of Linux's range have a place too`() {
    var table = TidTable<String>()
    for tid: Int32 in [0, 1, 5000, 1 << 22, .max, -1, .min] {
      table.insert("\(tid)", for: tid)
    }
    for tid: Int32 in [0, 1, 5000, 1 << 22, .max, -1, .min] {
      let value = table.place(of: tid)?.pointee
      #expect(value == "\(tid)")
    }
    let removed = table.removeValue(forKey: 5000)
    let isGone = table.place(of: 5000) == nil
    #expect(removed == "5000" && isGone)
    for tid: Int32 in 100..<200 { table.insert("\(tid)", for: tid) }
    let kept = table.place(of: -1)?.pointee
    #expect(kept == "-1")
    let keys = table.keys
    #expect(keys == [.min, -1, 0, 1] + Array(100..<200) + [1 << 22, .max])
  }
}

struct TraceWindowTests {
  @Test func `a window holds what happened in it, at the recording's own times`() throws {
    let trace = try traceOf { builder in
      for step in UInt64(0)..<100 {
        builder.waking(
          time: second + (step * 100 + 10) * millisecond, by: 0, of: 100, context: .hardInterrupt)
        builder.switchIn(time: second + (step * 100 + 11) * millisecond, 100)
        builder.switchOut(time: second + (step * 100 + 31) * millisecond, 100)
      }
      builder.exit(time: second + 10_000 * millisecond, pid: 100, tid: 100)
    }
    let part = trace.limited(to: TraceWindow(from: 2, to: 4))
    #expect(part.wakeups.count == 20)
    #expect(abs(part.subject.cpuSeconds - 0.4) < 1e-9)
    let thread = try #require(part.threads.first { $0.tid == 100 })
    #expect(thread.intervals.first?.start == trace.start + TimeSpan(seconds: 2))
    #expect(thread.intervals.last?.end == trace.start + TimeSpan(seconds: 4))
    #expect(part.startsLate && part.subject.end == nil && part.start == trace.start)
    #expect(part.metadata.durationSeconds == 2)
    let whole = trace.limited(to: TraceWindow())
    #expect(whole.wakeups.count == trace.wakeups.count && !whole.startsLate)
    #expect(whole.subject.cpuSeconds == trace.subject.cpuSeconds)
  }
}
