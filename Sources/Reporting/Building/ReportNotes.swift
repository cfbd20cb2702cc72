import Quantities

/// What a reader must know before believing the score, one sentence each.
enum ReportNotes {
  /// `shown` makes a name of the trace safe for where the notes go.
  static func lines(_ report: Report, shown: (String) -> String) -> [String] {
    var notes: [String] = []
    let process = report.process
    let name = shown(Columns.clip(process.name, to: 32))
    if let trigger = report.trigger { notes.append(self.trigger(trigger, shown: shown)) }
    if process.isSwift == false { notes.append("\(name) is not a Swift program.") }
    if let crash = crash(report, shown: shown) {
      notes.append(crash)
    } else if let signal = process.signal {
      notes.append("\(name) was ended by signal \(SignalNames.name(signal)).")
    } else if let status = process.exitStatus, status != 0 {
      notes.append("\(name) ended with status \(status).")
    }
    if report.trace.truncated {
      notes.append("The trace is truncated: \(RecordingText.truncation(report.trace)).")
    }
    notes += unrecorded(report, shown: shown) + outliving(report, shown: shown)
    if report.trace.isSubjectByUse == true {
      notes.append(
        "The trace names no program that it is about: \(name) is scored, which used most of what it shows; "
          + "--process NAME scores another.")
    }
    if let earlier = earlierPrograms(report, shown: shown) { notes.append(earlier) }
    if let busy = busierProcess(report, shown: shown) { notes.append(busy) }
    if let others = namesakes(report, shown: shown) { notes.append(others) }
    if let profile = report.score.profile {
      let reason = report.score.profileReason.map { ": \(shown($0))" } ?? ""
      notes.append("Scored as \(shown(profile))\(reason).")
    }
    return notes
  }

  /// Why it was written while its recording went on.
  private static func trigger(_ trigger: TriggerSection, shown: (String) -> String) -> String {
    let length = Figures.seconds(trigger.durationSeconds)
    if trigger.kind == "asked" {
      return "Written since the last \(Figures.seconds(trigger.keptSeconds)) were asked for"
        + " (\(shown(trigger.condition))): what follows is of \(length)."
    }
    let place = "\(Figures.seconds(trigger.time)) after the trace's start"
    let what =
      switch trigger.kind {
      case "hang" where trigger.isGoingOn:
        "the main thread had hung for \(length), and did still, from \(place)"
      case "hang": "the main thread hung for \(length), \(place)"
      case "footprint":
        "process \(trigger.pid ?? 0) held \(Figures.bytes(trigger.footprintBytes ?? 0)), \(place)"
      default: "the recorder was told to, \(place)"
      }
    var text = "Written since \(what) (\(shown(trigger.condition)))"
    if let function = trigger.function {
      let frame = trigger.stack.first { $0.function == function }
      text += ", in \(shown(frame.map(TextReport.place) ?? function))"
    } else if trigger.kind == "hang" {
      text += "; in which function is not known"
    }
    return text + "."
  }

  /// Signals by which a program ends that did what it may not: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE and SIGSEGV.
  private static let crashes: Set<Int> = [4, 5, 6, 7, 8, 11]

  /// That the program crashed, which no score tells; nil where it did not.
  static func crash(_ report: Report, shown: (String) -> String) -> String? {
    guard let signal = report.process.signal, crashes.contains(signal) else { return nil }
    let name = shown(Columns.clip(report.process.name, to: 32))
    return "CRASHED: \(name) was ended by signal \(SignalNames.name(signal)), "
      + "\(Figures.seconds(report.trace.durationSeconds)) after the recording began."
  }

  /// What the kernel ended the events of.
  private static func unrecorded(_ report: Report, shown: (String) -> String) -> [String] {
    let few = report.processes.filter { $0.unrecordedFrom != nil }
    return few.prefix(3).map { process in
      "\(shown(Columns.clip(process.name, to: 32))) (pid \(process.pid)) runs with other rights than who started it:"
        + " the kernel ended its events \(Figures.seconds(process.unrecordedFrom ?? 0)) after the start, and what it"
        + " did from then on was not recorded."
    } + (few.count > 3 ? ["Neither were \(few.count - 3) other such processes."] : [])
  }

  private static func outliving(_ report: Report, shown: (String) -> String) -> [String] {
    let some = report.processes.filter { $0.outlivesCommand == true }
    return some.prefix(3).map { process in
      "\(shown(Columns.clip(process.name, to: 32))) (pid \(process.pid)) went on when the command had ended: "
        + "what it did from then on was not recorded; attach to it with --pid."
    } + (some.count > 3 ? ["So did \(some.count - 3) other processes."] : [])
  }

  /// Less than this every command does before it is what it was told to be.
  private static let fewSeconds = 0.01

  /// A shell becomes by `exec` what it was to prepare.
  private static func earlierPrograms(_ report: Report, shown: (String) -> String) -> String? {
    guard let own = report.processes.first(where: { $0.pid == report.process.pid }),
      let earlier = own.earlier,
      earlier.cpuSeconds ?? 0 >= fewSeconds || earlier.bytesWritten ?? 0 > 0
    else { return nil }
    let did = [
      earlier.cpuSeconds.map { "used \(Figures.seconds($0)) of CPU time" },
      earlier.bytesWritten.flatMap { $0 > 0 ? "wrote \(Figures.bytes($0))" : nil },
    ].compactMap { $0 }
    let name = shown(Columns.clip(own.name, to: 32))
    let until = Figures.seconds(earlier.until)
    return "What process \(own.pid) did before it became \(name), until \(until) after the "
      + "start, is in no figure of its own here: it \(did.joined(separator: " and "))."
  }

  /// A compiler's driver waits while its frontend works: then the score is not of what costs.
  private static func busierProcess(_ report: Report, shown: (String) -> String) -> String? {
    let total = report.processes.reduce(0) { $0 + ($1.cpuSeconds ?? 0) }
    guard let own = report.processes.first(where: { $0.pid == report.process.pid }),
      let busiest = report.processes.max(by: { $1.costsMore(than: $0) }),
      let most = busiest.cpuSeconds, let ownSeconds = own.cpuSeconds,
      busiest.pid != own.pid, total >= 0.1, most > 3 * ownSeconds
    else { return nil }
    // Under the same pid another program may have run before: a driver that built it.
    let used = min(ownSeconds, report.signals.cpu?.totalSeconds ?? ownSeconds)
    return "The score is of \(shown(Columns.clip(own.name, to: 32))) alone, which used "
      + "\(Figures.seconds(used)) of the \(Figures.seconds(total)) of CPU time; "
      + "\(shown(Columns.clip(busiest.name, to: 32))) used \(Figures.seconds(most)): "
      + "--process \(busiest.pid) scores it."
  }

  private static let namesakesShown = 4

  /// Who asks for a process by its name gets one of those that have it.
  private static func namesakes(_ report: Report, shown: (String) -> String) -> String? {
    guard let own = report.processes.first(where: { $0.pid == report.process.pid }) else {
      return nil
    }
    let others = report.processes.filter { $0.pid != own.pid && $0.name == own.name }
      .sorted { $0.costsMore(than: $1) }
    guard !others.isEmpty else { return nil }
    let list = others.prefix(namesakesShown).map { String($0.pid) }.joined(separator: ", ")
    let rest = others.count - namesakesShown
    let verb = others.count == 1 ? "other is" : "others are"
    return "\(others.count + 1) processes are called \(shown(Columns.clip(own.name, to: 32))): "
      + "this is \(own.pid), the \(verb) \(list)" + (rest > 0 ? " and \(rest) more" : "")
      + "; --process PID scores one of them."
  }
}
