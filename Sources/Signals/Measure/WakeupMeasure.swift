import PerfData
import Quantities
import TraceModel

/// Counts wakeups, finds their causes and the timers among them.
struct WakeupMeasure {
  private let subject: SubjectView
  /// When each thread received and sent, and when the process was sent signals.
  private let receives: [Int32: [UInt64]]
  private let sendsByThread: [Int32: [UInt64]]
  private let signals: [UInt64]
  /// When the process sent, in order.
  private let sends: [UInt64]
  private let isRealTime: Bool
  private let hasSockets: Bool
  /// When the process received, in order, where all that could bring it a packet is UDP and its receives were recorded;
  /// else nil.
  private let datagrams: [UInt64]?
  /// Whether wakes by interrupts are told as such. From within those are told that are known to be by packets or late
  /// timers; all others are timers'.
  private let tellsInterrupts: Bool
  /// When receives were sampled.
  private let unseenReceives: [ClosedRange<UInt64>]
  /// What a report says of them.
  private(set) var signal = WakeupSignal()

  /// A receive this soon after an interrupt's wake shows that the network made it, if it is no answer to what the
  /// thread sent in between.
  private static let receiveWindow = 0.005
  /// A datagram that woke somebody is received by then, be it by another thread.
  private static let datagramWindow: UInt64 = 50_000_000
  private static let udp = 17
  /// A signal this soon before a wake made it.
  private static let signalWindow: UInt64 = 200_000

  init(_ subject: SubjectView) {
    self.subject = subject
    var receives: [Int32: [UInt64]] = [:]
    var sends: [UInt64] = []
    var sendsByThread: [Int32: [UInt64]] = [:]
    for transfer in subject.trace.transfers where transfer.pid == subject.pid {
      if transfer.direction == .send {
        sends.append(transfer.time.nanoseconds)
        sendsByThread[transfer.tid, default: []].append(transfer.time.nanoseconds)
      } else {
        receives[transfer.tid, default: []].append(transfer.time.nanoseconds)
      }
    }
    self.receives = receives
    self.sends = sends
    self.sendsByThread = sendsByThread
    unseenReceives = (subject.trace.capture?.sampled ?? []).filter {
      $0.source == "sock:sock_recv_length"
    }.map { $0.fromNs...max($0.fromNs, $0.toNs) }
    hasSockets =
      !receives.isEmpty || !sends.isEmpty
      || subject.trace.connections.contains { $0.isOf(subject.pid) }
      || subject.trace.listeners.contains { $0.pid == subject.pid }
    let isConnected =
      subject.trace.connections.contains { $0.isOf(subject.pid) }
      || subject.trace.listeners.contains { $0.pid == subject.pid }
      || subject.trace.transfers.contains {
        $0.pid == subject.pid && $0.transportProtocol != Self.udp
      }
    datagrams =
      isConnected || receives.isEmpty || !unseenReceives.isEmpty
      ? nil : receives.values.joined().sorted()
    tellsInterrupts =
      subject.trace.capture?.recorder != CaptureEvent.processRecorder
      && subject.trace.wakeups.countsByKind.contains { wakeup, _ in
        wakeup.pid == subject.pid
          && (wakeup.context == .hardInterrupt || wakeup.context == .softInterrupt)
      }
    isRealTime = subject.trace.metadata.kernel?.contains("-rt") == true
    signals = subject.trace.signals.filter { $0.pid == subject.pid }.map(\.time.nanoseconds)
    signal = measured()
  }

  /// Wakeups of the subject, each with its cause found as it is looked at.
  struct Caused: Sequence, IteratorProtocol {
    fileprivate let measure: WakeupMeasure
    fileprivate var log: IteratorSequence<WakeupLog.Iterator>

    mutating func next() -> (wakeup: Wakeup, cause: WakeupCause)? {
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

  private static func firstTime(_ times: [UInt64], from: UInt64, to: UInt64) -> UInt64? {
    let next = times.partitioningIndex { $0 >= from }
    return next < times.count && times[next] <= to ? times[next] : nil
  }

  private func cause(of wakeup: Wakeup) -> WakeupCause {
    switch wakeup.waited {
    case .file?, .sync?, .pageFault?:
      // One thread had what the other waited for, such as an inode's lock.
      return wakeup.context == .task && wakeup.wakerPid == subject.pid ? .sameProcess : .disk
    default: break
    }
    if !wakeup.isIdleWakeup {
      if isSignalled(wakeup) { return .signal }
      if wakeup.context == .unknown { return .unknown }
      return wakeup.wakerPid == subject.pid ? .sameProcess : .otherProcess
    }
    if wakeup.waited == .network || receivesSoon(wakeup) { return .network }
    if isBySoftInterrupt(wakeup) { return hasSockets ? .network : .other }
    if isSignalled(wakeup) { return .signal }
    if isUntold(wakeup) { return .unknown }
    // Where receives were too many to record each, a busy server's wakes look like timers'.
    let time = wakeup.time.nanoseconds
    return unseenReceives.contains { $0.contains(time) } ? .unknown : .timer
  }

  /// Where interrupts are told, those on idle CPUs may be left out: a timer's, or a packet's where there are sockets.
  private func isUntold(_ wakeup: Wakeup) -> Bool {
    guard wakeup.context == .unknown, wakeup.waited != .sleep, hasSockets, tellsInterrupts else {
      return false
    }
    guard let datagrams else { return true }
    // No acknowledgement or connection wakes anybody, and what a datagram wakes somebody for is read.
    let time = wakeup.time.nanoseconds
    return Self.firstTime(datagrams, from: time, to: time &+ Self.datagramWindow) != nil
  }

  /// What a thread itself set, its timeout too, expires in the timer's hard interrupt (hrtimers). The soft interrupts
  /// that wake one that waits for events, also by a poll of its own (other), bring packets, or are TCP's own timers,
  /// where there are sockets; whoever reads then may be another thread. Of a real-time kernel the hrtimers are in soft
  /// interrupts as well.
  private func isBySoftInterrupt(_ wakeup: Wakeup) -> Bool {
    guard wakeup.context == .softInterrupt, !isRealTime else { return false }
    switch wakeup.waited {
    // One that is just about to wait is woken before it is known for what.
    case .eventWait?, .other?, .unknown?, nil: return true
    default: return false
    }
  }

  private func needsTime(_ wakeup: Wakeup) -> Bool { wakeup.isIdleWakeup || !signals.isEmpty }

  private func receivesSoon(_ wakeup: Wakeup) -> Bool {
    guard !receives.isEmpty, let times = receives[wakeup.tid] else { return false }
    let time = wakeup.time.nanoseconds
    guard
      let received = Self.firstTime(
        times, from: time, to: time &+ UInt64(Self.receiveWindow * 1e9))
    else { return false }
    guard let sends = sendsByThread[wakeup.tid] else { return true }
    return Self.firstTime(sends, from: time, to: received &- 1) == nil
  }

  private func isSignalled(_ wakeup: Wakeup) -> Bool {
    guard !signals.isEmpty else { return false }
    let time = wakeup.time.nanoseconds
    return Self.firstTime(signals, from: time &- Self.signalWindow, to: time) != nil
  }

  private func measured() -> WakeupSignal {
    var total = 0
    var idle = 0
    var (foundIdle, untold) = (0, 0)
    var byCause: [WakeupCause: Int] = [:]
    var idleByCause: [WakeupCause: Int] = [:]
    var diskByThread: [Int: Int] = [:]
    // What the cause does not depend on the time of is counted at once.
    for (wakeup, count) in subject.trace.wakeups.countsByKind
    where wakeup.pid == subject.pid && !needsTime(wakeup) {
      total += count
      byCause[cause(of: wakeup), default: 0] += count
    }
    var expiries = ByThread<[Timestamp]>()
    // Of other interrupts, which wake the CPU anyway; those of the disk come of what the program does.
    var others: [WakeupReplay.Other] = []
    var lastWakes = ByThread<UInt64>()
    var sent = 0
    for wakeup in subject.trace.wakeups.matching({ $0.pid == subject.pid && needsTime($0) }) {
      let cause = cause(of: wakeup)
      total += 1
      byCause[cause, default: 0] += 1
      let time = wakeup.time.nanoseconds
      var before = time
      swap(&before, &lastWakes[wakeup.tid, default: 0])
      guard wakeup.isIdleWakeup else { continue }
      idle += 1
      idleByCause[cause, default: 0] += 1
      if wakeup.foundCPUIdle { foundIdle += 1 }
      if cause == .unknown, isUntold(wakeup) { untold += 1 }
      if cause == .timer {
        expiries[wakeup.tid, default: []].append(wakeup.time)
      } else if cause == .disk {
        diskByThread[Int(wakeup.tid), default: 0] += 1
      } else {
        while sent < sends.count, sends[sent] < time { sent += 1 }
        let since = max(sent > 0 ? sends[sent - 1] : 0, before)
        others.append(
          .init(
            time: subject.time(wakeup.time),
            since: since > 0 ? subject.time(Timestamp(nanoseconds: since)) : -.infinity))
      }
    }
    let seconds = subject.seconds
    let timers = Dictionary(expiries.sorted) { $1 }
    let answered = AnsweredWaits(timers, in: subject)
    return WakeupSignal(
      total: total, perSecond: seconds > 0 ? Double(total) / seconds : 0,
      idle: idle, idlePerSecond: seconds > 0 ? Double(idle) / seconds : 0,
      foundCPUIdle: foundIdle,
      byCause: byCause.filter { $0.value > 0 }, idleByCause: idleByCause,
      untold: untold,
      diskByThread: diskByThread,
      timers: TimerMeasure.timers(timers, answered: answered, in: subject),
      coalescing: WakeupReplay.replay(
        timers.map { tid, times in
          times.map { (subject.time($0), mayWait: !answered.contains(tid, $0)) }
        }, others: others))
  }
}
