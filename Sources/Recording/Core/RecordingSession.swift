import CPerfEvent
import Glibc
import PerfData
import Quantities

/// The loop of a recording: wait, collect from all sources, until something ends it.
final class RecordingSession {
  private let subject: RecordingSubject
  private let sources: [any RecordingSource]
  private let sink: TraceSink
  private let signals: StopSignals
  /// Why writing stopped, while the command goes on.
  private(set) var writeFailure: PerfDataError?
  private var didTerminate = false
  private var hungUp: Set<Int32> = []

  private static let longestWait: UInt64 = 200_000_000

  /// Signals that are not the command's and end nothing, and what answers them.
  private let answers: [Int32: () -> Void]

  init(
    subject: RecordingSubject, sources: [any RecordingSource], sink: TraceSink,
    signals: StopSignals, answers: [Int32: () -> Void] = [:]
  ) {
    self.answers = answers
    self.subject = subject
    self.sources = sources
    self.sink = sink
    self.signals = signals
    signals.answered = Set(answers.keys)
  }

  /// Runs until the target, the clock, the user or a signal ends it; the duration counts from `start`,
  /// nanoseconds of the monotonic clock. `onRound` is told the time of each round.
  func run(
    duration: TimeSpan?, since start: UInt64, onRound: (UInt64) -> Void = { _ in }
  ) -> RecordingEnding {
    let deadline = duration.map { start &+ UInt64(max(0, $0.nanoseconds)) } ?? .max
    for source in sources { source.start(at: start) }
    while true {
      let targetHasEnded = wait(until: deadline)
      let now = SystemInfo.monotonicNanoseconds()
      step(now: now)
      onRound(now)
      if targetHasEnded, let ending = targetEnding() { return ending }
      if let ending = answerSignals() { return ending }
      if now >= deadline { return .duration }
    }
  }

  /// Sleeps until there is something to do; true when the target may have ended.
  private func wait(until deadline: UInt64) -> Bool {
    let now = SystemInfo.monotonicNanoseconds()
    var until = min(deadline, now + Self.longestWait)
    var polled = [signals.wakeDescriptor, subject.pidfd]
    if writeFailure == nil {
      if let slicing = sources.first(where: \.isInSlice) {
        until = min(until, slicing.nextDue(now: now))
      } else {
        for source in sources {
          until = min(until, source.nextDue(now: now))
          // A ring whose owner's thread has ended, or that has none, reports that for ever.
          polled += source.descriptors(now: now).filter { !hungUp.contains($0) }
        }
      }
    }
    var entries = polled.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let ready = lull_poll(&entries, entries.count, until > now ? until - now : 0)
    guard ready > 0 else { return subject.pidfd < 0 }
    if entries[0].revents != 0 { signals.acknowledge() }
    for entry in entries.dropFirst(2)
    where entry.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
      hungUp.insert(entry.fd)
    }
    return entries[1].revents != 0 || subject.pidfd < 0
  }

  private func targetEnding() -> RecordingEnding? {
    switch subject {
    case .command(let command): return command.reap().map { .targetEnded($0) }
    case .process(let process):
      if process.pidfd >= 0 { return .targetEnded(nil) }
      return kill(process.pid, 0) < 0 && errno == ESRCH ? .targetEnded(nil) : nil
    }
  }

  private func answerSignals() -> RecordingEnding? {
    for number in signals.answeredSignals() { answers[number]?() }
    if let number = signals.termination { return .terminated(number) }
    switch subject {
    case .process:
      if signals.interrupts > 0 { return .interrupted }
    case .command(let command):
      for number in signals.userSignals() { command.signal(number) }
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
      try collect(Round(now: now, sink: sink))
      try sink.flushIfDue(now: now)
    } catch {
      writeFailure = error
      for source in sources { source.stop() }
    }
  }

  private func collect(_ round: Round) throws(PerfDataError) {
    if !round.isLast, sources.contains(where: { $0.changeSlice(now: round.now) }) {
      // What was opened and closed between two slices is not known.
      round.tell([.gap])
      return try tellAll(round)
    }
    for source in sources { source.prepare() }
    for source in sources {
      try source.collect(round)
      try tellAll(round)
    }
  }

  private func tellAll(_ round: Round) throws(PerfDataError) {
    for observation in round.observations() {
      for source in sources { try source.observe(observation, round) }
    }
  }

  /// The last round, and what is known only then.
  func finish(_ ending: RecordingEnding) throws(PerfDataError) {
    guard writeFailure == nil else { return }
    for source in sources { source.stop() }
    let round = Round(now: SystemInfo.monotonicNanoseconds(), sink: sink, isLast: true)
    try collect(round)
    for source in sources { try source.finish(ending, round) }
    try sink.flushIfDue(now: round.now)
  }
}
