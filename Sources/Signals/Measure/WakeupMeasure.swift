import PerfData
import Quantities
import TraceModel

/// Counts wakeups, finds their causes and the timers among them.
struct WakeupMeasure {
  enum Cause: String, Hashable {
    case timer, network, disk, sameProcess, otherProcess, signal, other
  }

  private let subject: SubjectView
  /// When each thread received, and when the process was sent signals.
  private let receives: [Int32: [UInt64]]
  private let signals: [UInt64]
  /// When receives were sampled.
  private let unseenReceives: [ClosedRange<UInt64>]
  /// What a report says of them.
  private(set) var signal = WakeupSignal()

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
    self.receives = receives
    unseenReceives = (subject.trace.capture?.sampled ?? []).filter {
      $0.source == "sock:sock_recv_length"
    }.map { $0.fromNs...max($0.fromNs, $0.toNs) }
    signals = subject.trace.signals.filter { $0.pid == subject.pid }.map(\.time.nanoseconds)
    signal = measured()
  }

  /// Wakeups of the subject, each with its cause found as it is looked at.
  struct Caused: Sequence, IteratorProtocol {
    fileprivate let measure: WakeupMeasure
    fileprivate var log: IteratorSequence<WakeupLog.Iterator>

    mutating func next() -> (wakeup: Wakeup, cause: Cause)? {
      while let wakeup = log.next() {
        if wakeup.pid == measure.subject.pid { return (wakeup, measure.cause(of: wakeup)) }
      }
      return nil
    }
  }

  /// All of them.
  var wakeups: Caused {
    Caused(measure: self, log: IteratorSequence(subject.trace.wakeups.makeIterator()))
  }

  /// Those from a moment to before another.
  func between(_ from: Timestamp, _ to: Timestamp) -> LazyFilterSequence<Caused> {
    Caused(measure: self, log: subject.trace.wakeups.from(from)).lazy.filter {
      $0.wakeup.time >= from && $0.wakeup.time < to
    }
  }

  private static func hasTime(_ times: [UInt64], from: UInt64, to: UInt64) -> Bool {
    let next = times.partitioningIndex { $0 >= from }
    return next < times.count && times[next] <= to
  }

  private func cause(of wakeup: Wakeup) -> Cause {
    switch wakeup.waited {
    case .file?, .sync?, .pageFault?: return .disk
    default: break
    }
    if !wakeup.isIdleWakeup {
      if isSignalled(wakeup) { return .signal }
      if wakeup.context == .unknown { return .other }
      return wakeup.wakerPid == subject.pid ? .sameProcess : .otherProcess
    }
    if wakeup.waited == .network || receivesSoon(wakeup) { return .network }
    if isSignalled(wakeup) { return .signal }
    // Where receives were too many to record each, a busy server's wakes look like timers'.
    let time = wakeup.time.nanoseconds
    return unseenReceives.contains { $0.contains(time) } ? .other : .timer
  }

  private func needsTime(_ wakeup: Wakeup) -> Bool { wakeup.isIdleWakeup || !signals.isEmpty }

  private func receivesSoon(_ wakeup: Wakeup) -> Bool {
    guard !receives.isEmpty, let times = receives[wakeup.tid] else { return false }
    let time = wakeup.time.nanoseconds
    return Self.hasTime(times, from: time, to: time &+ UInt64(Self.receiveWindow * 1e9))
  }

  private func isSignalled(_ wakeup: Wakeup) -> Bool {
    guard !signals.isEmpty else { return false }
    let time = wakeup.time.nanoseconds
    return Self.hasTime(signals, from: time &- Self.signalWindow, to: time)
  }

  private func measured() -> WakeupSignal {
    var total = 0
    var idle = 0
    var foundIdle = 0
    var byCause: [Cause: Int] = [:]
    // What the cause does not depend on the time of is counted at once.
    for (wakeup, count) in subject.trace.wakeups.countsByKind
    where wakeup.pid == subject.pid && !needsTime(wakeup) {
      total += count
      byCause[cause(of: wakeup), default: 0] += count
    }
    var expiries = ByThread<[Timestamp]>()
    // Of other interrupts, which wake the CPU anyway.
    var others: [Double] = []
    for wakeup in subject.trace.wakeups.matching({ $0.pid == subject.pid && needsTime($0) }) {
      let cause = cause(of: wakeup)
      total += 1
      byCause[cause, default: 0] += 1
      guard wakeup.isIdleWakeup else { continue }
      idle += 1
      if wakeup.foundCPUIdle { foundIdle += 1 }
      if cause == .timer {
        expiries[wakeup.tid, default: []].append(wakeup.time)
      } else {
        others.append(subject.time(wakeup.time))
      }
    }
    let seconds = subject.seconds
    let timers = expiries.sorted
    return WakeupSignal(
      total: total, perSecond: seconds > 0 ? Double(total) / seconds : 0,
      idle: idle, idlePerSecond: seconds > 0 ? Double(idle) / seconds : 0,
      foundCPUIdle: foundIdle,
      byCause: Dictionary(
        uniqueKeysWithValues: byCause.compactMap { $1 > 0 ? ($0.rawValue, $1) : nil }),
      timers: self.timers(Dictionary(timers) { $1 }),
      // Timer wakeups replayed with a tolerance.
      coalescing: WakeupReplay.replay(
        timers.map { $0.value.map { subject.time($0) } }, others: others))
  }

  /// Regular expiries, by thread and by the place that waited.
  private func timers(_ expiries: [Int32: [Timestamp]]) -> [TimerSignal] {
    var result: [TimerSignal] = []
    for thread in subject.threads {
      guard let ends = expiries[thread.tid], ends.count >= 4 else { continue }
      for (stack, times) in places(of: thread, endedAt: ends.sorted()) {
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

  /// Where the thread had waited as it was woken at these times, and whether it worked before it waited again.
  private func places(of thread: ThreadModel, endedAt times: [Timestamp]) -> [Int: [(
    time: Double, worked: Bool
  )]] {
    var places: [Int: [(time: Double, worked: Bool)]] = [:]
    var wait: ThreadInterval?
    var ran = TimeSpan.zero
    func end() {
      guard let wait else { return }
      places[wait.stack ?? -1, default: []].append(
        (subject.time(wait.end), ran.seconds >= Self.workThreshold))
    }
    var next = 0
    for interval in thread.intervals {
      if interval.state == .running { ran += interval.length }
      guard case .blocked = interval.state else { continue }
      end()
      wait = nil
      ran = .zero
      while next < times.count, times[next] < interval.end { next += 1 }
      if next < times.count, times[next] == interval.end { wait = interval }
    }
    end()
    return places
  }
}

/// Wakeups by what they count as.
struct WakeupCounts {
  var all = 0
  var idle = 0
  var foundCPUIdle = 0
  /// Of timers, where the causes are looked at.
  var timer = 0

  mutating func add(_ wakeup: Wakeup, _ count: Int = 1) {
    all += count
    if wakeup.isIdleWakeup { idle += count }
    if wakeup.foundCPUIdle { foundCPUIdle += count }
  }
}

/// One row for each thread of the subject.
enum ThreadMeasure {
  /// The subject's wakeups by thread.
  static func wakeups(_ subject: SubjectView) -> ByThread<WakeupCounts> {
    var counts = ByThread<WakeupCounts>()
    for (wakeup, count) in subject.trace.wakeups.countsByKind where wakeup.pid == subject.pid {
      counts[wakeup.tid, default: WakeupCounts()].add(wakeup, count)
    }
    return counts
  }

  static func measure(_ subject: SubjectView, roles: inout ThreadRoles) -> [ThreadSignal] {
    var result: [ThreadSignal] = []
    let counts = wakeups(subject)
    for thread in subject.threads {
      let parts = TimeParts(subject.history(of: thread).totals)
      let count = counts[thread.tid, default: WakeupCounts()]
      result.append(
        ThreadSignal(
          tid: Int(thread.tid), name: thread.name, role: roles.role(of: thread).rawValue,
          cpuSeconds: parts.running.seconds, wakeups: count.all, idleWakeups: count.idle,
          idleWakeupsFoundCPUIdle: count.foundCPUIdle,
          blockedSeconds: parts.blockedTotal.seconds))
    }
    return result.sorted { ($1.cpuSeconds, $0.tid) < ($0.cpuSeconds, $1.tid) }
  }
}
