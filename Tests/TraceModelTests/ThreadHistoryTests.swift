import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

struct ThreadHistoryTests {
  private func interval(_ start: UInt64, _ end: UInt64, _ state: ThreadState, stack: Int? = nil)
    -> ThreadInterval
  {
    ThreadInterval(
      start: Timestamp(nanoseconds: start), end: Timestamp(nanoseconds: end), state: state,
      stack: stack, waker: stack.map { Int32($0) })
  }

  @Test(arguments: [1, 5, 6, 7, 40, 300])
  func `waits that are told afterwards are as those known at once`(wakers: Int) {
    // No call tells of a stop.
    let causes = WaitCause.allCases.filter { $0 != .unknown && $0 != .stopped } + [.unknown]
    var told = ThreadHistoryBuilder(followsIdle: true, learnsCauses: true)
    var known = ThreadHistoryBuilder(followsIdle: true)
    var time: UInt64 = 5
    for index in 0..<1000 {
      let cause = causes[index * 7 % causes.count]
      let waker = index % 11 == 0 ? nil : Int32(index % wakers)
      let until = time + UInt64(index * index) + 1
      let unknown = IntervalKey(.blocked(.unknown)).ended(by: waker)
      told.appendWait(from: time, until: until, unknown)
      known.appendWait(from: time, until: until, IntervalKey(.blocked(cause)).ended(by: waker))
      if index % 3 == 0 {
        told.appendQueued(from: until, until: until + 2)
        known.appendQueued(from: until, until: until + 2)
      }
      if cause != .unknown { told.tellLastWait(cause) }
      told.appendRun(from: until + 2, until: until + 9, besideIdle: .zero)
      known.appendRun(from: until + 2, until: until + 9, besideIdle: .zero)
      // The wait is over, and told.
      told.tellLastWait(.sleep)
      time = until + 9
    }
    let (one, other) = (told.finish(time), known.finish(time))
    #expect(
      zip(one, other).allSatisfy {
        $0.start == $1.start && $0.end == $1.end && $0.state == $1.state && $0.waker == $1.waker
      })
    for cause in WaitCause.allCases {
      #expect(one.totals.waits(by: cause) == other.totals.waits(by: cause))
      #expect(one.totals.blocked(by: cause) == other.totals.blocked(by: cause))
    }
    #expect(one.totals.unknownWaits == other.totals.unknownWaits)
    for moment in stride(from: UInt64(0), through: time, by: Int(time / 40)) {
      let moment = Timestamp(nanoseconds: moment)
      let (a, b) = (one.times(before: moment), other.times(before: moment))
      #expect(a.running == b.running && a.idle == b.idle)
    }
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
    let other = intervals.filter { $0.state == .blocked(.unknown) && $0.stack == nil }
    #expect(history.totals.unknownWaits == other.count)
    let idle = history.takingUnknownForIdle
    #expect(
      idle.filter { $0.state == .blocked(.eventWait) }.reduce(TimeSpan.zero) { $0 + $1.length }
        == idle.totals.blocked(by: .eventWait))
  }

  @Test func `waits are told by what was counted as by walking through them`() {
    var random = SeededGenerator(seed: 7)
    let states: [ThreadState] =
      [.running, .runnable] + WaitCause.allCases.map { ThreadState.blocked($0) }
    var time: UInt64 = 5
    let intervals = (0..<2000).map { _ in
      let start = time
      time += random.next() % 1000
      let state = states[Int(random.next() % UInt64(states.count))]
      var made = interval(start, time, state, stack: random.next() % 2 == 0 ? 3 : nil)
      made.waker = random.next() % 3 == 0 ? nil : Int32(random.next() % 5)
      return made
    }
    for history in [ThreadHistory(intervals), ThreadHistory(intervals).takingUnknownForIdle] {
      let own = Array(history)
      let events = own.indices.filter { isIdle(own[$0].state) }
      let told = Array(history.idleWaits)
      #expect(told.map(\.index) == events)
      #expect(told.map(\.start) == events.map { own[$0].start })
      #expect(told.map(\.end) == events.map { own[$0].end })
      let part = history[300..<900].idleWaits.map(\.index)
      #expect(part == events.filter { (300..<900).contains($0) })
      for position in [0, 1, 255, 256, 1300, 2000] {
        var counted: [String: Int] = [:]
        var lasted: [String: TimeSpan] = [:]
        for tally in history.waits(from: position) {
          let key = "\(tally.cause) \(tally.stack ?? -1) \(tally.waker ?? -1)"
          counted[key, default: 0] += tally.count
          lasted[key, default: .zero] += tally.time
        }
        var expectedCount: [String: Int] = [:]
        var expectedTime: [String: TimeSpan] = [:]
        for interval in own[position...] {
          guard case .blocked(let cause) = interval.state else { continue }
          let key = "\(cause) \(interval.stack ?? -1) \(interval.waker ?? -1)"
          expectedCount[key, default: 0] += 1
          expectedTime[key, default: .zero] += interval.length
        }
        #expect(counted == expectedCount && lasted == expectedTime)
      }
    }
    let changed = ThreadHistory(intervals).mapStates { index, interval in
      index % 2 == 0 ? .blocked(.lock) : interval.state
    }
    #expect(changed.count == intervals.count)
    #expect(
      zip(changed, intervals).enumerated().allSatisfy { index, pair in
        pair.0.start == pair.1.start && pair.0.end == pair.1.end && pair.0.stack == pair.1.stack
          && pair.0.state == (index % 2 == 0 ? .blocked(.lock) : pair.1.state)
      })
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

struct HistoryPartTests {
  private func intervals(_ count: Int, from start: UInt64) -> [ThreadInterval] {
    var random = SeededGenerator(seed: start)
    var time = start
    return (0..<count).map { index in
      let begin = time
      time += 1 + random.next() % 100_000
      let state: ThreadState =
        index % 3 == 0
        ? .running
        : [.runnable, .blocked(.unknown), .blocked(.eventWait), .blocked(.lock)][
          Int(random.next() % 4)]
      var interval = ThreadInterval(
        start: Timestamp(nanoseconds: begin), end: Timestamp(nanoseconds: time), state: state)
      if case .blocked = state {
        interval.waker = Int32(random.next() % 90)
        if state == .blocked(.lock) { interval.stack = Int(random.next() % 5) }
      }
      return interval
    }
  }

  private func same(_ a: ThreadInterval, _ b: ThreadInterval) -> Bool {
    a.start == b.start && a.end == b.end && a.state == b.state && a.stack == b.stack
      && a.waker == b.waker
  }

  @Test func `waits for events are all that there are, in histories without any too`() {
    let some = intervals(1000, from: 1000)
    let all = ThreadHistory(some)
    let without = ThreadHistory(some.filter { !isIdle($0.state) })
    let histories = [
      all, without, without.takingUnknownForIdle, all[300..<700], without[300..<700], [],
    ]
    let counts = histories.map { history in
      let told = Array(history.idleWaits)
      let own = zip(history.indices, history).filter { isIdle($1.state) }
      #expect(told.map(\.index) == own.map { $0.0 })
      #expect(told.map(\.start) == own.map { $0.1.start })
      #expect(told.map(\.end) == own.map { $0.1.end })
      return told.count
    }
    #expect(counts[0] > 0 && counts[2] > 0 && counts[3] > 0)
    #expect(counts[1] == 0 && counts[4] == 0 && counts[5] == 0)
  }

  /// Where a program began, in a run, its thread's history is what it would be without what was before.
  @Test(arguments: [0, 1, 7, 255, 256, 700], [true, false])
  func `what came before a program is left out of everything`(before: Int, isTold: Bool) throws {
    let early = intervals(before, from: 1000)
    let runStart = early.last?.end.nanoseconds ?? 1000
    let start = runStart + 400
    var later = intervals(1000, from: start)
    let first = later[0]
    later[0].start = Timestamp(nanoseconds: runStart)
    func append(_ intervals: [ThreadInterval], to builder: inout ThreadHistoryBuilder) {
      for interval in intervals {
        let (start, end) = (interval.start.nanoseconds, interval.end.nanoseconds)
        if interval.state == .running {
          builder.appendRun(from: start, until: end, besideIdle: TimeSpan(nanoseconds: 3))
        } else {
          builder.append(interval, from: start, until: end)
        }
      }
    }
    var builder = ThreadHistoryBuilder(followsIdle: true)
    append(early, to: &builder)
    if isTold {
      builder.beginProgram(
        at: Timestamp(nanoseconds: start), after: TimeSpan(nanoseconds: 400),
        besideIdle: TimeSpan(nanoseconds: 1))
    }
    append(later, to: &builder)
    later[0] = first
    var history = builder.finish(0)
    history.leaveOut(before: Timestamp(nanoseconds: start))
    var aloneBuilder = ThreadHistoryBuilder(followsIdle: true)
    append(later, to: &aloneBuilder)
    let alone = aloneBuilder.finish(0)

    #expect(history.count == 1000 && zip(history, later).allSatisfy { same($0, $1) })
    #expect(history.running == alone.running)
    let (totals, wanted) = (history.totals, alone.totals)
    #expect(totals.running == wanted.running && totals.runnable == wanted.runnable)
    for cause in WaitCause.allCases {
      #expect(totals.waits(by: cause) == wanted.waits(by: cause))
      #expect(totals.blocked(by: cause) == wanted.blocked(by: cause))
    }
    #expect(totals.unknownWaits == wanted.unknownWaits && totals.stacks == wanted.stacks)
    let besideIdle = wanted.runningBesideIdle.map { $0 - TimeSpan(nanoseconds: 1) }
    if isTold { #expect(totals.runningBesideIdle == besideIdle) }
    let end = try #require(later.last?.end.nanoseconds)
    for (one, other) in [
      (history, alone), (history.takingUnknownForIdle, alone.takingUnknownForIdle),
    ] {
      for place in UInt64(0)...50 {
        let moment = Timestamp(nanoseconds: start + (end - start) * place / 50)
        let (a, b) = (one.times(before: moment), other.times(before: moment))
        #expect(a.running == b.running && a.idle == b.idle)
        let until = Timestamp(nanoseconds: moment.nanoseconds + 300_000)
        #expect(
          zip(one.overlapping(moment, until), other.overlapping(moment, until)).allSatisfy {
            same($0, $1)
          })
      }
    }
  }
}

/// Whether a thread waits for events or is held by others.
private func isIdle(_ state: ThreadState) -> Bool {
  state == .blocked(.eventWait) || state == .blocked(.stopped)
}

struct IntervalKeyTests {
  @Test(arguments: [nil, 0, 1, 77, IntervalKey.mostStacks - 1], [nil, -1, 0, 1, Int32.max, .min])
  func `a key holds what it was made of`(stack: Int?, waker: Int32?) {
    let states: [ThreadState] =
      [.running, .runnable] + WaitCause.allCases.map { ThreadState.blocked($0) }
    for state in states {
      let key = IntervalKey(state, stack: stack).ended(by: waker)
      #expect(key.state == state && key.stack == stack && key.waker == waker)
      #expect(key.isUnknown == (state == .blocked(.unknown) && stack == nil))
      #expect(key.isIdle == isIdle(state))
    }
  }

  @Test func `stacks beyond what a key holds are left out`() {
    for stack in [IntervalKey.mostStacks, .max, -1] {
      #expect(IntervalKey(.blocked(.lock), stack: stack) == IntervalKey(.blocked(.lock)))
    }
  }

  @Test func `keys of different waits differ`() {
    var keys: Set<IntervalKey> = []
    for cause in WaitCause.allCases {
      for stack in [nil, 0, 1, 1 << 20] {
        for waker: Int32? in [nil, 0, -1, 4711] {
          keys.insert(IntervalKey(.blocked(cause), stack: stack).ended(by: waker))
        }
      }
    }
    #expect(keys.count == WaitCause.allCases.count * 16)
  }
}
