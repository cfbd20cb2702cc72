import PerfData
import Quantities
import TraceModel

/// What to assume while measuring.
package struct MeasurementOptions: Sendable {
  /// Name of a radio profile.
  package var radioProfile: String
  /// TOML file with the user's own profiles.
  package var radioProfileFile: String?
  /// Counts traffic on the loopback interface as if the radio carried it.
  package var includeLoopback: Bool
  /// What events cost.
  package var energy: EnergyTables
  /// The sort of machine whose prices count, where the user said it.
  package var machine: MachineClass?
  /// Whether the radio was said; else it may be any that a phone has.
  package var isRadioSaid: Bool
  /// Names of the marks that signals make, by the signals' numbers.
  package var signalMarks: [Int: String]

  /// The defaults: LTE, loopback left out, prices by what the recording tells of the machine.
  package init(
    radioProfile: String = RadioProfile.defaultName, radioProfileFile: String? = nil,
    isRadioSaid: Bool = false, includeLoopback: Bool = false,
    energy: EnergyTables = EnergyFile.standard, machine: MachineClass? = nil,
    signalMarks: [Int: String] = [:]
  ) {
    self.isRadioSaid = isRadioSaid
    self.energy = energy
    self.machine = machine
    self.signalMarks = signalMarks
    self.radioProfile = radioProfile
    self.radioProfileFile = radioProfileFile
    self.includeLoopback = includeLoopback
  }
}

/// Computes the signals of a trace's subject, once.
package enum Measurement {
  /// - Throws: `RadioProfileError` when the radio profile is unknown or malformed.
  package static func measure(
    _ trace: Trace, options: MeasurementOptions = MeasurementOptions()
  ) throws(RadioProfileError) -> SignalSet {
    let profile = try RadioProfileFile.profile(
      named: options.radioProfile, userFile: options.radioProfileFile)
    let others = try RadioProfileFile.builtIn().filter { $0.name != profile.name }
    let subject = SubjectView(trace)
    let priors = EnergyPriors(options.energy, machine: options.machine, of: trace)
    var set = SignalSet(durationSeconds: subject.seconds, priors: priors)
    set.isSeenStarting = subject.isSeenStarting
    set.isWholeRun = subject.isWhole
    set.lost = lost(trace)
    for (kind, reason) in unavailable(trace) { set.unavailable[kind] = reason }
    set.threadsUnavailable = set.unavailable[.mainThread]

    let choice = MainThreadChoice.choose(in: subject)
    // Both walk through the lives of the busiest threads.
    let critical =
      set.threadsUnavailable == nil
      ? ConcurrentValue {
        var roles = ThreadRoles(subject, main: choice?.thread.tid)
        return CriticalThreadMeasure.measure(subject, roles: &roles)
      } : nil
    let wakeups = WakeupMeasure(subject)
    let activity = SubjectActivity(subject, wakeups: wakeups)
    set.executable = trace.subject.executable
    set.marks = MarkMeasure.marks(activity, signalMarks: options.signalMarks)
    set.intervals = TestMeasure.added(to: MarkMeasure.intervals(activity), activity)
    if set.unavailable[.mainThread] == nil, let choice {
      set.mainThread = MainThreadMeasure.measure(choice, in: subject)
      if let capture = trace.capture, capture.looksAt(subject.pid), capture.recordsSwitches != true
      {
        set.mainThread?.turnsAreLeast = true
      } else {
        set.mainThread?.hangCounts = nil
      }
      set.lifecycle = LifecycleMeasure.measure(
        main: choice.first, marks: set.marks, in: subject)
      if case .untold(let work)? = choice.parked {
        set.unavailable[.mainThread] =
          "the first thread is parked or has ended, and which of the serial queues is the main one cannot be told"
          + " from the stacks that were recorded" + (work.doubt.map { ": \($0)" } ?? "")
      }
    }
    if let main = set.mainThread, main.hasEventLoop, main.turns > 1, choice?.parked == nil,
      let launch = set.lifecycle?.launch
    {
      set.mainThread?.launchBlockedByCause = launch.blockedByCause
    }
    set.concurrency = ConcurrencyMeasure.measure(subject)
    if let known = set.mainThread?.hangs {
      // What is before the first event is the launch.
      let ready = set.lifecycle?.launchSeconds ?? 0
      let more = ConcurrencyMeasure.hangs(besides: known, subject).filter { $0.start >= ready }
      if !more.isEmpty {
        set.mainThread?.hangs = (known + more).sorted { $0.start < $1.start }
      }
    }
    if set.unavailable[.wakeups] == nil {
      set.wakeups = wakeups.signal
      let misses = trace.capture?.missesWaits ?? []
      set.wakeups?.isLeast = misses.contains(Int(trace.subject.pid))
    }
    var roles = ThreadRoles(subject, main: choice?.thread.tid)
    set.threads = ThreadMeasure.measure(subject, roles: &roles)
    if let critical {
      set.criticalThreads = critical.value
      set.untoldTaskWaits = roles.cut.ofPool
    }
    if set.threadsUnavailable == nil { set.serialQueues = SerialQueueMeasure.measure(subject) }
    if set.unavailable[.network] == nil {
      set.network = NetworkMeasure.measure(
        subject, profile: profile, others: others, isRadioSaid: options.isRadioSaid,
        includeLoopback: options.includeLoopback)
      // What is known is told; no rule goes by a part.
      set.network?.missing = missingOfNetwork(trace)
      set.unavailable[.network] = set.network?.missing
    }
    if set.unavailable[.disk] == nil {
      let loads = FileLoadMeasure(subject)
      set.disk = DiskMeasure.measure(subject, loads)
      set.unavailable[.disk] = set.disk?.missing
      if let choice, set.mainThread != nil {
        let access = FileAccessMeasure(
          of: choice,
          after: set.lifecycle?.launchSeconds.map { subject.start + TimeSpan(seconds: $0) },
          in: subject)
        set.mainThread?.fileAccess = access.measure(loads, activity)
      }
    }
    if set.unavailable[.memory] == nil {
      set.memory = MemoryMeasure.measure(subject, main: choice?.thread)
    }
    if set.unavailable[.cpu] == nil { set.cpu = CPUMeasure.measure(subject) }
    set.blame = BlameMeasure(subject, priors: priors).tables(network: set.network)
    if set.cpu != nil, set.mainThread?.hasEventLoop == true, let choice {
      IdleMeasure.fill(&set, main: choice.thread, activity)
    }
    if set.threadsUnavailable == nil { set.churn = ThreadChurnMeasure.measure(subject) }
    set.spins = SpinMeasure.measure(subject)
    set.systemCalls = SystemCallMeasure.measure(subject)
    set.openedPaths = SightingMeasure.paths(subject)
    if let main = set.mainThread, !main.areWaitsKnown {
      set.unavailable[.mainThread] =
        "what the main thread waited for is not known for \(Figures.percent(main.unknownShare)) of its time: "
        + (trace.capture == nil
          ? "record with `lull record`, or the stacks with the kernel's functions"
          : "no stack was taken of some waits")
      // Nor are other threads' parts, which stacks tell.
      set.threadsUnavailable = set.unavailable[.mainThread]
      if main.knownEventLoop == nil { set.unavailable[.lifecycle] = set.unavailable[.mainThread] }
    }
    if let main = set.mainThread, main.beganInWait, main.areWaitsKnown {
      set.unavailable[.mainThread] =
        "the main thread was in a wait as the recording began, and in none for events since: whether it has an event"
        + " loop, to which it did not come back, is not known"
      set.unavailable[.lifecycle] = set.unavailable[.mainThread]
    }
    set.phases = PhaseMeasure.measure(
      activity, marks: set.marks, readySeconds: set.lifecycle?.launchSeconds,
      terminationTime: LifecycleMeasure.terminationRequest(in: subject).map {
        subject.time($0.time)
      }, priors: priors, bursts: set.network?.bursts ?? [],
      handlers: set.mainThread == nil ? nil : choice.map { HandlerTurns(of: $0, in: subject) })
    fillHeld(&set, subject, activity)
    set.energy = EnergyMeasure.measure(set, subject)
    set.worstMinutes = WorstMinuteMeasure.measure(subject, set)
    return set
  }

  /// The main thread's hangs alone, by their beginning; nil where they were not measured.
  package static func hangs(in trace: Trace) -> [Hang]? {
    let subject = SubjectView(trace)
    guard unavailable(trace)[.mainThread] == nil, let choice = MainThreadChoice.choose(in: subject)
    else { return nil }
    let known = MainThreadMeasure.measure(choice, in: subject).hangs
    return (known + ConcurrencyMeasure.hangs(besides: known, subject)).sorted {
      $0.start < $1.start
    }
  }

  /// What hangs on the phases, on files over the whole run, and on what is held.
  private static func fillHeld(
    _ set: inout SignalSet, _ subject: SubjectView, _ activity: SubjectActivity
  ) {
    set.held = HeldMeasure.locks(subject)
    set.accessories = HeldMeasure.accessories(subject)
    set.propertyLists = HeldMeasure.propertyLists(subject)
    set.codeBytes = subject.trace.subject.codeBytes
    set.backgroundLaunch = PhaseMeasure.backgroundLaunch(set.phases, activity)
    set.signalsMeasured = subject.trace.eventNames.contains("signal:signal_generate")
    guard let disk = set.disk else { return }
    set.lateSaves = LateSaveMeasure.measure(subject, phases: set.phases)
    set.temporaryFiles = TemporaryFileMeasure.measure(subject)
    set.writeLocality = WriteLocalityMeasure.measure(subject, disk)
  }

  /// What else the subject may have sent and received; nil where all of it was recorded.
  private static func missingOfNetwork(_ trace: Trace) -> String? {
    if trace.capture?.missesDatagrams == true {
      return "it has UDP sockets, of which the kernel counts nothing"
    }
    let names = trace.capture?.namesAsked?.filter { $0.pid == Int(trace.subject.pid) } ?? []
    let asked = names.reduce(0) { $0 + $1.calls }
    if asked > 0 {
      return
        "at least \(Figures.count(asked, "call")) for names (getaddrinfo) asked others for them, and what the C library"
        + " sent and received for that is not seen within the process"
    }
    guard let count = trace.capture?.connectionsOfUnknown else { return nil }
    return "\(Figures.count(count, "connection")) on the machine"
      + (trace.capture?.bytesOfUnknown.map { " with \(Figures.bytes($0))" } ?? "")
      + " lived shorter than the distance of two looks, or ended before their process was found, and whose they were is"
      + " not known"
  }

  private static func lost(_ trace: Trace) -> LostRecords? {
    let count = trace.metadata.lostEvents &+ trace.metadata.lostSamples
    guard count > 0 else { return nil }
    let (start, end) = (Double(trace.start.nanoseconds), Double(trace.end.nanoseconds))
    let nanoseconds = trace.capture?.lost?.reduce(0.0) { sum, span in
      let (from, to) = (Double(span.fromNs), Double(span.toNs))
      guard to > from else { return sum }
      let within = max(0, min(to, end) - max(from, start))
      return sum + min(Double(span.untoldNs), to - from) * within / (to - from)
    }
    return LostRecords(
      count: count, told: trace.metadata.records,
      seconds: nanoseconds.map { min($0, end - start) / 1e9 })
  }

  /// Of fewer runs the rest tells enough, a choice; of very few it is the first one alone, whose thread ran before.
  private static let mostUntoldRuns = 0.1
  private static let manyRuns = 10

  /// Why it is not known how long the subject ran, where a recording of others tells only when it left its CPUs.
  private static func untoldRuns(_ trace: Trace) -> String? {
    guard trace.capture == nil else { return nil }
    let threads = trace.threads(of: trace.subject.pid)
    let untold = threads.reduce(0) { $0 + $1.untoldRuns }
    let runs = threads.reduce(0) { $0 + $1.intervals.totals.runs }
    let most = runs < manyRuns ? 0.5 : mostUntoldRuns
    guard Double(untold) > most * Double(runs) else { return nil }
    let unknown = "nothing tells when \(Figures.count(untold, "run")) of \(runs) began"
    return unknown + ": record with --switch-events"
  }

  /// A signal whose events are not in the trace was not recorded, whatever the reason.
  private static func unavailable(_ trace: Trace) -> [SignalKind: String] {
    let needed: [(SignalKind, [String])] = [
      (.mainThread, ["sched:sched_switch"]),
      (.lifecycle, ["sched:sched_switch"]),
      (.wakeups, ["sched:sched_waking"]),
      (.network, ["sock:sock_send_length"]),
      (.disk, ["raw_syscalls:sys_exit"]),
      (.memory, [SyntheticEvent.footprint.rawValue]),
    ]
    if trace.packetSource?.isAlone == true {
      let reason =
        "a packet capture shows the network only; record the program with `lull record`"
      return Dictionary(
        uniqueKeysWithValues: SignalKind.allCases.filter { $0 != .network }.map { ($0, reason) })
    }
    var result: [SignalKind: String] = [:]
    for (kind, events) in needed where !events.allSatisfy(trace.eventNames.contains) {
      result[kind] =
        trace.capture?.unavailable.first { $0.signal == kind.rawValue }?.reason
        ?? "the trace has no \(events.joined(separator: ", ")) events"
    }
    let pid = trace.subject.pid
    if trace.capture?.looksBesideAt(pid) == true {
      for kind in [SignalKind.wakeups, .network, .disk] {
        result[kind] =
          "process \(pid) takes no library and was looked at from outside, where this is not seen: it is statically"
          + " linked, of another C library, or was started without the environment of its parent"
      }
    } else if let within = trace.capture?.processesRecorded, !within.contains(Int(pid)) {
      for kind in [SignalKind.mainThread, .lifecycle, .wakeups, .network, .disk, .cpu] {
        // It tells at its end of which it had records, and meanwhile now and then.
        result[kind] =
          trace.capture?.complete == false
          ? "the recorder did not reach its end, and had not told by then whether process \(pid) was recorded"
          : trace.capture?.recorder == CaptureEvent.outsideRecorder
            ? "process \(trace.subject.pid) was not looked at: it ended too soon, or may not be looked into"
            : "process \(trace.subject.pid) was not recorded from within: it is statically linked, runs with another"
              + " user's rights, or was started without the environment of its parent"
      }
    }
    if trace.subject.unrecordedFrom != nil {
      for kind in [SignalKind.mainThread, .lifecycle, .wakeups, .network, .disk, .cpu] {
        result[kind] =
          "process \(trace.subject.pid) runs a program with other rights than who started it, such as one that is"
          + " set-user-ID, at which the kernel ends its events: record it as the user that it runs as, or attach to it"
          + " with --pid as root"
      }
    }
    for entry in trace.capture?.unavailable ?? [] {
      guard let kind = SignalKind(rawValue: entry.signal), result[kind] == nil else { continue }
      // A part may be missing while the signal's own events are there.
      if needed.first(where: { $0.0 == kind }) == nil { result[kind] = entry.reason }
    }
    if let reason = untoldRuns(trace) { result[.cpu] = result[.cpu] ?? reason }
    if !trace.tellsRuns, trace.footprints.isEmpty {
      if let event = trace.processorEvent, !trace.processorSamples.isEmpty {
        if !event.isClock {
          result[.cpu] =
            "the samples are of \(event.name), which tell shares of the CPU time and not how much it was"
        }
      } else {
        result[.cpu] = "neither scheduler events nor /proc samples are in the trace"
      }
    }
    return result
  }
}

/// A trace as its subject's measurements look at it.
///
/// A class, since it is handed on for each wakeup, and a trace's tables are many words to copy.
final class SubjectView: Sendable {
  let trace: Trace
  let pid: Int32
  let threads: [ThreadModel]
  /// When the subject's life in the recording begins and ends.
  let start: Timestamp
  let end: Timestamp
  /// Whether the recording shows the process from its start on.
  let isSeenStarting: Bool
  /// Whether it shows it to its end too.
  let isWhole: Bool
  /// Its CPU time by /proc, where that is more than its threads tell.
  let readings: ProcessorReadings?
  private let inferred = InferredHistories()

  convenience init(_ trace: Trace) { self.init(trace, process: trace.subject) }

  /// Looks at another process of the trace.
  init(_ trace: Trace, process: ProcessModel) {
    self.trace = trace
    pid = process.pid
    threads = trace.threads(of: process.pid)
    start = max(process.start, trace.start)
    end = max(min(process.end ?? trace.end, trace.end), start)
    isSeenStarting =
      trace.capture?.mode != .attach && !trace.startsLate && process.start >= trace.start
    readings = ProcessorReadings(
      of: process.pid, from: start, threads: threads, in: trace)
    isWhole = isSeenStarting && process.end.map { $0 <= trace.end } == true
  }

  var seconds: Double { (end - start).seconds }

  /// The CPU time that each of the subject's samples stands for; empty where the trace tells it otherwise, or not.
  var sampledTimes: some Sequence<(time: Timestamp, length: TimeSpan)> {
    let isSampled = threads.contains { $0.sampledTime != nil }
    return trace.processorSamples.lazy.filter { isSampled && $0.pid == self.pid }.map {
      ($0.time, $0.clockTime)
    }
  }

  /// Seconds from the start of the recording.
  func time(_ timestamp: Timestamp) -> Double { trace.seconds(timestamp) }

  /// A thread's life with the causes of unknown waits inferred.
  func history(of thread: ThreadModel) -> ThreadHistory { inferred.history(of: thread) }

  /// How many of a thread's waits were recorded with their kind.
  func waitSampling(of thread: ThreadModel) -> WaitSampling { inferred.sampling(of: thread) }

  /// A stack's frames for the report: user frames, gaps shown.
  func frames(_ stack: Int?) -> [StackFrame] {
    guard let stack else { return [] }
    return trace.stacks.frames(of: stack).drop { $0.isKernel }.map {
      StackFrame($0)
    }
  }
}
