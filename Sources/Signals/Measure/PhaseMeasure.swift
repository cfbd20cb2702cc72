import Quantities
import TraceModel

/// Finds the phases of the subject's life, and what was used in each.
enum PhaseMeasure {
  /// A change of phase, or a moment at which the process was stopped or went on.
  struct Turning {
    enum Kind {
      case phase(PhaseName)
      /// It has been launched, into whatever phase it had said it was in.
      case launched
      case stop
      case resume
    }
    var time: Timestamp
    var kind: Kind
    var how: String
  }

  /// How long after a phase began its footprint is looked at.
  static let settlingSeconds = 5.0

  /// The phase that a mark of this name begins.
  static func phase(named name: String) -> PhaseName? {
    switch name {
    case "ready", "active", "foreground": .active
    case "inactive": .inactive
    case "background": .background
    case "terminating", "terminate": .terminating
    case "launch": .launch
    default: nil
    }
  }

  static func measure(
    _ activity: SubjectActivity, marks: [Mark], readySeconds: Double?, terminationTime: Double?,
    priors: EnergyPriors, bursts: [Burst], handlers: HandlerTurns?
  ) -> [Phase] {
    let subject = activity.subject
    guard subject.end > subject.start else { return [] }
    let turnings = turnings(
      subject, marks: marks, readySeconds: readySeconds, terminationTime: terminationTime)
    let spans = spans(turnings, in: subject).filter { $0.end > $0.start }
    let disk = activity.diskWork(in: spans.map(\.start))
    return zip(spans, disk).enumerated().map { index, entry in
      // What comes at the very end is the last one's.
      let last = index == spans.count - 1 ? Double.infinity : subject.time(entry.0.end)
      let from = subject.time(entry.0.start)
      var phase = use(
        entry.0, activity, priors: priors, disk: entry.1,
        bursts: bursts.filter { $0.start >= from && $0.start < last })
      // Of the launch nobody is told.
      if index > 0, !entry.0.isStopped {
        phase.handlerSeconds = handlers?.seconds(at: entry.0.start)
      }
      return phase
    }
  }

  /// What a launch came to that was marked as one in the background before the program had been in use for a second.
  static func backgroundLaunch(_ phases: [Phase], _ activity: SubjectActivity) -> BackgroundLaunch?
  {
    guard activity.subject.isSeenStarting,
      let place = phases.firstIndex(where: { $0.name == .background }), place <= 2,
      phases[..<place].filter({ $0.name == .active }).reduce(0, { $0 + $1.durationSeconds }) < 1,
      !phases[place].isStopped
    else { return nil }
    let subject = activity.subject
    let phase = phases[place]
    let quiet = phase.start + (phase.settleSeconds ?? phase.durationSeconds)
    let end = subject.trace.start + TimeSpan(seconds: quiet)
    let bytes = activity.bytes(subject.start, end)
    return BackgroundLaunch(
      seconds: (end - subject.start).seconds,
      cpuSeconds: activity.cpuSeconds(subject.start, end),
      bytes: bytes.sent + bytes.received + bytes.written,
      footprintBytes: activity.footprint(at: end))
  }

  private static func turnings(
    _ subject: SubjectView, marks: [Mark], readySeconds: Double?, terminationTime: Double?
  ) -> [Turning] {
    func at(_ seconds: Double) -> Timestamp {
      Timestamp(
        nanoseconds: subject.trace.start.nanoseconds &+ UInt64(max(0, seconds) * 1e9))
    }
    var turnings: [Turning] = []
    if subject.trace.capture?.mode != .attach, let readySeconds {
      turnings.append(
        Turning(time: subject.start, kind: .phase(.launch), how: "the start of the process"))
      turnings.append(
        Turning(
          time: at(subject.time(subject.start) + readySeconds), kind: .launched,
          how: marks.contains { $0.name == "ready" } ? "marked" : "the first event wait"))
    } else {
      turnings.append(
        Turning(time: subject.start, kind: .phase(.active), how: "assumed from the start"))
    }
    for mark in marks {
      if mark.how == "cgroup" {
        let isFrozen = mark.name == "frozen"
        turnings.append(
          Turning(
            time: at(mark.time), kind: isFrozen ? .stop : .resume,
            how: isFrozen ? "its control group was frozen" : "its control group was thawed"))
        continue
      }
      guard mark.name != "ready", let phase = phase(named: mark.name) else { continue }
      turnings.append(
        Turning(time: at(mark.time), kind: .phase(phase), how: "marked by \(mark.how)"))
    }
    if let terminationTime {
      turnings.append(
        Turning(
          time: at(terminationTime), kind: .phase(.terminating), how: "a termination signal"))
    }
    for signal in subject.trace.signals where signal.pid == subject.pid {
      // SIGSTOP 19, SIGTSTP 20, SIGTTIN 21, SIGTTOU 22; SIGCONT 18 (signal(7), x86 and ARM).
      if (19...22).contains(signal.number) {
        turnings.append(Turning(time: signal.time, kind: .stop, how: "stopped by a signal"))
      } else if signal.number == 18 {
        turnings.append(Turning(time: signal.time, kind: .resume, how: "continued by SIGCONT"))
      }
    }
    return turnings.sorted { $0.time < $1.time }
  }

  private struct Span {
    var name: PhaseName
    var start: Timestamp
    var end: Timestamp
    var how: String
    var isStopped = false
  }

  private static func spans(_ turnings: [Turning], in subject: SubjectView) -> [Span] {
    var spans: [Span] = []
    var current = PhaseName.active
    // What the process goes on with after having been stopped.
    var resumed = PhaseName.active
    var isStopped = false
    func begin(_ name: PhaseName, _ time: Timestamp, _ how: String) {
      let time = min(max(time, subject.start), subject.end)
      if let last = spans.indices.last {
        if spans[last].name == name, spans[last].isStopped == isStopped { return }
        spans[last].end = time
      }
      spans.append(Span(name: name, start: time, end: subject.end, how: how, isStopped: isStopped))
    }
    for turning in turnings {
      switch turning.kind {
      case .phase(let name):
        // Once told to end, a program does nothing else.
        guard current != .terminating else { continue }
        if isStopped {
          resumed = name
          continue
        }
        current = name
        begin(name, turning.time, turning.how)
      case .launched:
        if isStopped {
          if resumed == .launch { resumed = .active }
        } else if current == .launch {
          current = .active
          begin(.active, turning.time, turning.how)
        }
      case .stop where !isStopped:
        isStopped = true
        resumed = current
        current = .background
        begin(.background, turning.time, turning.how)
      case .resume where isStopped:
        isStopped = false
        current = resumed
        begin(resumed, turning.time, turning.how)
      case .stop, .resume: break
      }
    }
    return spans
  }

  private static func use(
    _ span: Span, _ activity: SubjectActivity, priors: EnergyPriors, disk: DiskWork,
    bursts: [Burst]
  ) -> Phase {
    let subject = activity.subject
    var phase = Phase(
      name: span.name, start: subject.time(span.start),
      durationSeconds: (span.end - span.start).seconds, how: span.how, isStopped: span.isStopped)
    phase.cpuSeconds = activity.cpuSeconds(span.start, span.end)
    let wakeups = activity.wakeups(span.start, span.end)
    (phase.wakeups, phase.idleWakeups, phase.timerWakeups) =
      (wakeups.all, wakeups.idle, wakeups.timer)
    let bytes = activity.bytes(span.start, span.end)
    (phase.bytesSent, phase.bytesReceived, phase.bytesWritten) =
      (bytes.sent, bytes.received, bytes.written)
    if span.name.isQuiet {
      phase.settleSeconds = activity.quietAfter(span.start, until: span.end)
      phase.longestBusySeconds = activity.longestBusy(span.start, span.end)
    }
    phase.startFootprintBytes = activity.footprint(at: span.start)
    let settled = span.start + TimeSpan(nanoseconds: Int64(settlingSeconds * 1e9))
    phase.settledFootprintBytes = activity.footprint(at: min(settled, span.end))
    let radio = bursts.reduce(0) { $0 + $1.energyJoules }
    func energy(_ priors: EnergyPriors) -> EnergySignal {
      priors.energy(
        cpuSeconds: phase.cpuSeconds, wakeups: wakeups.foundCPUIdle,
        disk: disk, radio: JouleRange(radio))
    }
    phase.energy = energy(priors)
    phase.standardJoules = energy(EnergyPriors()).totalJoules
    return phase
  }
}
