import CPerfEvent
import Glibc
import PerfData
import Quantities

/// The loop of a recording: wait, drain, follow processes, adapt, until something ends it.
final class RecordingSession {
  /// What ended the loop.
  enum Ending {
    case targetEnded(WrappedCommand.End?)
    case duration
    case interrupted
    case terminated(Int32)
  }

  /// What is recorded.
  enum Subject {
    case command(WrappedCommand)
    case process(AttachedProcess)

    var pid: Int32 {
      switch self {
      case .command(let command): command.pid
      case .process(let process): process.pid
      }
    }

    var pidfd: Int32 {
      switch self {
      case .command(let command): command.pidfd
      case .process(let process): process.pidfd
      }
    }
  }

  let subject: Subject
  let events: EventSet
  let governor: RateGovernor
  let drain: RingDrain
  let sink: TraceSink
  let book: ProcessBook
  let signals: StopSignals
  let writes: WriteCalls
  var counters: CounterSet?
  /// Marks that come by socket, and those of programs that import LullMarks.
  var markSocket: MarkSocket?
  var markProbes: MarkProbes?
  /// What files hold after they were written; nil where it cannot be read.
  var contents: ContentWatcher?
  /// Why writing stopped, while the command goes on.
  private(set) var writeFailure: PerfDataError?
  private var descriptors = DescriptorBook()
  private var freezing: FreezeWatch
  private var didTerminate = false
  private var rootExit: UInt64?
  private var nextCounters: UInt64 = 0
  private var started: UInt64 = 0

  /// Early on the rates are looked at often: a busy program is busy from its start. So they are while one is sampled, whose
  /// successor is not to be.
  private static let eagerNanoseconds: UInt64 = 500_000_000
  private static let eagerWait: UInt64 = 10_000_000
  private static let longestWait: UInt64 = 200_000_000
  private static let counterInterval: UInt64 = 1_000_000_000

  init(
    subject: Subject, events: EventSet, governor: RateGovernor, drain: RingDrain,
    sink: TraceSink, book: ProcessBook, signals: StopSignals, writes: WriteCalls
  ) {
    self.subject = subject
    freezing = FreezeWatch(pid: subject.pid)
    self.events = events
    self.governor = governor
    self.drain = drain
    self.sink = sink
    self.book = book
    self.signals = signals
    self.writes = writes
    if case .process(let process) = subject {
      writes.found(process.pid, children: ProcessProbe.children(of: process.pid))
    } else {
      writes.found(subject.pid)
    }
    governor.transfers?.began(subject.pid)
  }

  /// Notes what descriptors stand for from the start.
  func know(_ known: [DescriptorEvent]) {
    for event in known { descriptors.setKnown(event) }
  }

  /// Runs until the target, the clock, the user or a signal ends it; the duration counts from `start`,
  /// nanoseconds of the monotonic clock.
  func run(duration: TimeSpan?, since start: UInt64) -> Ending {
    started = start
    let deadline = duration.map { started &+ UInt64(max(0, $0.nanoseconds)) } ?? .max
    nextCounters = started + Self.counterInterval
    while true {
      let targetHasEnded = wait(until: deadline)
      let now = SystemInfo.monotonicNanoseconds()
      step(now: now)
      if targetHasEnded, let ending = targetEnding() { return ending }
      if let ending = answerSignals() { return ending }
      if now >= deadline { return .duration }
    }
  }

  /// Sleeps until there is something to do; true when the target may have ended.
  private func wait(until deadline: UInt64) -> Bool {
    let now = SystemInfo.monotonicNanoseconds()
    var until = min(deadline, now + Self.longestWait)
    if writeFailure == nil {
      if !governor.isInSlice, let next = book.nextSample { until = min(until, next) }
      if now - started < Self.eagerNanoseconds { until = min(until, now + Self.eagerWait) }
      if counters != nil { until = min(until, nextCounters) }
      if governor.isSampling { until = min(until, now + Self.eagerWait) }
      until = min(until, governor.nextChange)
    }
    var polled = [pollfd(fd: signals.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    polled.append(pollfd(fd: subject.pidfd, events: Int16(POLLIN), revents: 0))
    // Within a slice nothing is done: it would hold up the slice's end.
    let isListening = writeFailure == nil && !governor.isInSlice
    if isListening {
      // A ring whose owner's thread has ended reports a hang-up for ever.
      for ring in events.rings where !hungUp.contains(ring.descriptor) {
        polled.append(pollfd(fd: ring.descriptor, events: Int16(POLLIN), revents: 0))
      }
    }
    if isListening, let markSocket {
      polled.append(pollfd(fd: markSocket.descriptor, events: Int16(POLLIN), revents: 0))
    }
    if isListening, let waiting = contents?.waitingDescriptor(now: now) {
      polled.append(pollfd(fd: waiting, events: Int16(POLLIN), revents: 0))
    }
    for descriptor in isListening ? markProbes?.ringDescriptors ?? [] : [] {
      polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    let span = until > now ? until - now : 0
    let ready = lull_poll(&polled, polled.count, span)
    guard ready > 0 else { return subject.pidfd < 0 }
    if polled[0].revents != 0 { signals.acknowledge() }
    for entry in polled.dropFirst(2) where entry.revents & Int16(POLLHUP) != 0 {
      hungUp.insert(entry.fd)
    }
    return polled[1].revents != 0 || subject.pidfd < 0
  }

  private var hungUp: Set<Int32> = []
  /// Processes that have run another program since they began.
  private var executed: Set<Int32> = []

  private func targetEnding() -> Ending? {
    switch subject {
    case .command(let command): return command.reap().map { .targetEnded($0) }
    case .process(let process):
      if process.pidfd >= 0 { return .targetEnded(nil) }
      return kill(process.pid, 0) < 0 && errno == ESRCH ? .targetEnded(nil) : nil
    }
  }

  private func answerSignals() -> Ending? {
    if let number = signals.termination { return .terminated(number) }
    switch subject {
    case .process:
      if signals.interrupts > 0 { return .interrupted }
    case .command(let command):
      // The terminal gave the first one to the command too.
      if signals.interrupts >= 3 { return .interrupted }
      if signals.interrupts == 2, !didTerminate {
        didTerminate = true
        command.signal(SIGTERM)
      }
    }
    return nil
  }

  /// One round of work; after a failed write only the waiting goes on.
  private func step(now: UInt64) {
    guard writeFailure == nil else { return }
    do throws(PerfDataError) {
      try collect(now: now)
      try sink.flushIfDue(now: now)
    } catch {
      writeFailure = error
      events.disable()
    }
  }

  /// Takes in what there is; the last time nothing is switched any longer, since all events are off.
  private func collect(now: UInt64, isLast: Bool = false) throws(PerfDataError) {
    // First of all: a slice that is over costs the target until it ends.
    let change = isLast ? nil : governor.changeSlice(now: now)
    if change == .began {
      // What was opened and closed between two slices is not known.
      descriptors.forgetEverything()
      return
    }
    // Before the rings: what they hold then tells of every thread that made one of these.
    let marks = markProbes?.receive() ?? []
    try drain.drain()
    if !governor.isBetweenSlices { events.refreshFrequencies(now: now) }
    // Each ring is in order, but an exec may be in another CPU's than the fork before it.
    for note in drain.observations.sorted(by: { $0.time < $1.time }) { try take(note) }
    try append(marks)
    for (event, time) in descriptors.resolve() {
      try sink.append(event, pid: Int32(clamping: event.pid), time: time)
    }
    for reading in contents?.look(now: now, isRecorded: book.seen.contains) ?? [] {
      try sink.append(reading.event, pid: reading.pid, time: reading.time)
    }
    if let isFrozen = freezing.look(now: now) {
      let mark = MarkEvent(name: isFrozen ? "frozen" : "thawed", how: "cgroup")
      try sink.append(mark, pid: subject.pid, time: now)
    }
    if !isLast, governor.evaluate(now: now, after: change) { descriptors.forgetEverything() }
    try book.sample(now: now)
    if let counters, now >= nextCounters {
      nextCounters = now + Self.counterInterval
      for reading in counters.readings() {
        try sink.append(reading, pid: subject.pid, time: now)
      }
    }
  }

  /// Marks of the library count for recorded processes only; the functions may be in many programs.
  private func append(_ marks: [MarkProbes.Mark]) throws(PerfDataError) {
    for mark in markSocket?.receive() ?? [] {
      try sink.append(mark.event, pid: mark.pid, time: mark.time)
    }
    for mark in marks where drain.threads.contains(Int32(clamping: mark.event.tid ?? 0)) {
      try sink.append(mark.event, pid: mark.pid, time: mark.time)
    }
  }

  private func take(_ note: Observation) throws(PerfDataError) {
    switch note {
    case .processBegan(let pid, let parent, let time):
      writes.created(pid, by: parent)
      governor.transfers?.began(pid)
      try book.begin(pid, parentPid: parent, kind: .start, time: time)
    case .processEnded(let pid, let time):
      descriptors.forgetAll(of: pid)
      writes.ended(pid)
      governor.transfers?.ended(pid)
      // The end of the command itself is told with its status, once it is known.
      if pid == subject.pid { rootExit = time } else { try book.end(pid, time: time) }
    case .processExecuted(let pid, let name, let time):
      descriptors.forgetAll(of: pid)
      try book.exec(pid, name: name, time: time)
      governor.programBegan(now: SystemInfo.monotonicNanoseconds())
      // What was started by fork has a single thread at its first exec, whose events are its own.
      if !executed.insert(pid).inserted { events.keepProbes(in: pid) }
    case .fileMapped(let path): markProbes?.consider(path)
    case .systemCall(let pid, let tid, let time, let call):
      descriptors.note(call, pid: pid, tid: tid, time: time)
    case .pathOpening(let tid, _, let path): descriptors.opening(path, tid: tid)
    case .gap: descriptors.forgetEverything()
    }
  }

  /// The last round after the events were stopped, and the end of the command.
  func finish(_ ending: Ending) throws(PerfDataError) {
    guard writeFailure == nil else { return }
    events.disable()
    let now = SystemInfo.monotonicNanoseconds()
    try collect(now: now, isLast: true)
    try book.sample(now: now, all: true)
    if case .targetEnded(let end) = ending {
      try book.end(
        subject.pid, time: rootExit ?? now, status: end?.status.map(Int.init),
        signal: end?.signal.map(Int.init), peak: end?.peakResidentBytes)
    }
    for reading in counters?.readings(final: true) ?? [] {
      try sink.append(reading, pid: subject.pid, time: now)
    }
    governor.finish(now: now)
    try sink.flushIfDue(now: now)
  }
}
