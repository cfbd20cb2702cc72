import PerfData
import TraceModel

/// Counts wakeups, finds their causes and the timers among them.
struct WakeupMeasure {
  enum Cause: String {
    case timer, network, disk, sameProcess, otherProcess, signal, other
  }

  let wakeups: [(wakeup: Wakeup, cause: Cause)]
  private let subject: SubjectView

  /// A receive this soon after an interrupt's wake shows that the network made it.
  private static let receiveWindow = 0.005
  /// A signal this soon before a wake made it.
  private static let signalWindow: UInt64 = 200_000
  /// Running for less than this after an expiry is no work.
  private static let workThreshold = 0.001

  init(_ subject: SubjectView) {
    self.subject = subject
    var receives: [Int32: [UInt64]] = [:]
    for transfer in subject.trace.transfers where transfer.pid == subject.pid {
      receives[transfer.tid, default: []].append(transfer.time.nanoseconds)
    }
    let signals = subject.trace.signals.filter { $0.pid == subject.pid }.map(\.time.nanoseconds)
    let unseen = (subject.trace.capture?.sampled ?? []).filter {
      $0.source == "sock:sock_recv_length"
    }.map { $0.fromNs...max($0.fromNs, $0.toNs) }
    wakeups = subject.trace.wakeups.filter { $0.pid == subject.pid }.map { wakeup in
      let time = wakeup.time.nanoseconds
      let received = Self.hasTime(
        receives[wakeup.tid] ?? [], from: time, to: time &+ UInt64(Self.receiveWindow * 1e9))
      let signalled = Self.hasTime(signals, from: time &- Self.signalWindow, to: time)
      return (
        wakeup,
        Self.cause(
          wakeup, receivedSoon: received, signalled: signalled, pid: subject.pid,
          receivesAreSeen: !unseen.contains { $0.contains(time) })
      )
    }
  }

  private static func hasTime(_ times: [UInt64], from: UInt64, to: UInt64) -> Bool {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < from { low = middle + 1 } else { high = middle }
    }
    return low < times.count && times[low] <= to
  }

  private static func cause(
    _ wakeup: Wakeup, receivedSoon: Bool, signalled: Bool, pid: Int32, receivesAreSeen: Bool
  ) -> Cause {
    switch wakeup.waited {
    case .file?, .sync?, .pageFault?: return .disk
    default: break
    }
    if !wakeup.isIdleWakeup {
      if signalled { return .signal }
      if wakeup.context == .unknown { return .other }
      return wakeup.wakerPid == pid ? .sameProcess : .otherProcess
    }
    if wakeup.waited == .network || receivedSoon { return .network }
    if signalled { return .signal }
    // Where receives were too many to record each, a busy server's wakes look like timers'.
    return receivesAreSeen ? .timer : .other
  }

  func signal() -> WakeupSignal {
    let idle = wakeups.count { $0.wakeup.isIdleWakeup }
    let seconds = subject.seconds
    var byCause: [String: Int] = [:]
    for entry in wakeups { byCause[entry.cause.rawValue, default: 0] += 1 }
    return WakeupSignal(
      total: wakeups.count, perSecond: seconds > 0 ? Double(wakeups.count) / seconds : 0,
      idle: idle, idlePerSecond: seconds > 0 ? Double(idle) / seconds : 0, byCause: byCause,
      timers: timers(), coalescing: coalescing())
  }

  /// Timer wakeups replayed with a tolerance; other interrupts wake the CPU anyway.
  private func coalescing() -> CoalescingSignal {
    var timers: [Int32: [Double]] = [:]
    var others: [Double] = []
    for entry in wakeups where entry.wakeup.isIdleWakeup {
      let time = subject.time(entry.wakeup.time)
      if entry.cause == .timer {
        timers[entry.wakeup.tid, default: []].append(time)
      } else {
        others.append(time)
      }
    }
    return WakeupReplay.replay(timers.sorted { $0.key < $1.key }.map(\.value), others: others)
  }

  /// Regular expiries, by thread and by the place that waited.
  private func timers() -> [TimerSignal] {
    var result: [TimerSignal] = []
    for thread in subject.threads {
      let expiries = wakeups.filter { $0.cause == .timer && $0.wakeup.tid == thread.tid }
      guard expiries.count >= 4 else { continue }
      var places: [Int: [(time: Double, worked: Bool)]] = [:]
      for (interval, worked) in waits(of: thread, endedAt: expiries.map(\.wakeup.time)) {
        places[interval.stack ?? -1, default: []].append((subject.time(interval.end), worked))
      }
      for (stack, times) in places {
        guard let found = Periodicity.detect(times.map(\.time)) else { continue }
        result.append(
          TimerSignal(
            tid: Int(thread.tid), thread: thread.name, periodSeconds: found.periodSeconds,
            jitterSeconds: found.jitterSeconds, count: found.count,
            expiredWithoutWork: times.count { !$0.worked },
            stack: subject.frames(stack < 0 ? nil : stack)))
      }
    }
    return result.sorted { ($1.count, $0.tid) < ($0.count, $1.tid) }
  }

  /// The blocked intervals that ended at these times, and whether the thread worked before it waited again.
  private func waits(of thread: ThreadModel, endedAt times: [Timestamp]) -> [(
    interval: ThreadInterval, worked: Bool
  )] {
    let ends = Set(times)
    var result: [(interval: ThreadInterval, worked: Bool)] = []
    for (index, interval) in thread.intervals.enumerated() {
      guard case .blocked = interval.state, ends.contains(interval.end) else { continue }
      var ran = TimeSpan.zero
      for next in thread.intervals[(index + 1)...] {
        if case .blocked = next.state { break }
        if next.state == .running { ran += next.length }
      }
      result.append((interval, ran.seconds >= Self.workThreshold))
    }
    return result
  }
}

/// One row for each thread of the subject.
enum ThreadMeasure {
  static func measure(_ subject: SubjectView, roles: inout ThreadRoles, wakeups: WakeupMeasure)
    -> [ThreadSignal]
  {
    var result: [ThreadSignal] = []
    var counts: [Int32: (all: Int, idle: Int)] = [:]
    for entry in wakeups.wakeups {
      let old = counts[entry.wakeup.tid] ?? (0, 0)
      counts[entry.wakeup.tid] = (old.all + 1, old.idle + (entry.wakeup.isIdleWakeup ? 1 : 0))
    }
    for thread in subject.threads {
      let parts = TimeParts(WaitInference.infer(thread.intervals).totals)
      let count = counts[thread.tid] ?? (0, 0)
      result.append(
        ThreadSignal(
          tid: Int(thread.tid), name: thread.name, role: roles.role(of: thread).rawValue,
          cpuSeconds: parts.running.seconds, wakeups: count.all, idleWakeups: count.idle,
          blockedSeconds: parts.blockedTotal.seconds))
    }
    return result.sorted { ($1.cpuSeconds, $0.tid) < ($0.cpuSeconds, $1.tid) }
  }
}
