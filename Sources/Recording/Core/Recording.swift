import Files
import Glibc
import PerfData

/// A recording whose events are armed: its file, its beginning, its end.
final class Recording {
  let options: RecordingOptions
  let subject: RecordingSubject
  let rings: RingSource
  let processes: ProcessBook
  let descriptors: DescriptorBook
  /// What cannot be found by its path when the recording has ended.
  let heldFiles = HeldFiles()
  let sources: [any RecordingSource]
  /// The file that is written; nil where the recording is kept in memory.
  var writer: PerfDataWriter?
  let sink: TraceSink
  /// All of the trace's events, and those among them that are the recorder's own.
  let attributes: [EventAttribute]
  let synthetic: [EventAttribute]
  /// What its header says, as far as it was known at the beginning.
  let features: FileFeatures
  /// What the machine says, with the wall clock as the present part began.
  var machine: FileFeatures
  /// The part that is recorded, from 1, where it is kept in several.
  var part = 1
  /// What lived when it began.
  var standing = StandingProcesses()
  /// When the subject's process had begun, on the trace's clock; nil where /proc does not tell.
  private let subjectStart: UInt64?
  /// CPU time that the recorder had used when it began.
  var usedBefore = 0.0
  let session: RecordingSession
  /// When all its events were on, by the monotonic clock, in nanoseconds.
  private let armed = SystemInfo.monotonicNanoseconds()
  /// What opening its events said.
  private let unavailable: [CaptureEvent.Unavailable]
  var problems: [String] = []
  var truncation: String?

  private static let progressInterval: UInt64 = 500_000_000

  /// Event ids that the kernel, which counts up from 1, will not reach.
  private static let syntheticIDs: UInt64 = 0x4c55_4c4c << 32

  init(
    options: RecordingOptions, subject: RecordingSubject, events: EventSet, tracefs: TraceFS?,
    transfers: TransferCounter?, unavailable: [CaptureEvent.Unavailable], threads: Set<Int32>,
    folder: PreloadFolder?, door: AgentDoor? = nil, outside: OutsideSource?,
    programs: KernelPrograms? = nil, jobs: KernelJobs? = nil, earlier: EarlierWaits? = nil,
    signals: StopSignals
  ) throws(RecordingError) {
    earlier?.eventsAreOn(at: armed)
    self.options = options
    self.subject = subject
    subjectStart = ProcessProbe.began(pid: subject.pid)
    descriptors = DescriptorBook(pid: subject.pid)
    self.unavailable = unavailable
    machine = Self.machine(options)
    let governor = RateGovernor(
      events: events, transfers: transfers, subject: subject, besidePrograms: programs != nil)
    rings = RingSource(
      events: events, governor: governor, tracefs: tracefs, pid: subject.pid,
      tellsProcesses: folder == nil)
    for thread in threads { rings.drain.threads.begin(thread) }
    if rings.drain.isNamespaced {
      transfers?.translate(
        to: { [unowned drain = rings.drain] in drain.kernelThreadIDs.kernelTid(of: $0) },
        from: { [unowned drain = rings.drain] in drain.kernelThreadIDs.tid(of: $0) })
    }
    processes = ProcessBook(
      root: subject.pid, interval: options.footprintInterval,
      programs: events.tellsPrograms ? .events : folder == nil || door != nil ? .looks : .programs)
    let drain = rings.drain
    // In the order in which they collect and hear of each other: a program that ends within a millisecond is looked at
    // first, the rings tell what the others ask about, what a descriptor stands for is looked up before it may be
    // closed, and the governor judges by all that before time is taken for readings.
    let processes = processes
    if let outside, !outside.tellsAll {
      drain.waits = (subject.pid, 0)
      outside.countedWaits = { [unowned drain] in drain.waits?.count }
    }
    let synthetic = SyntheticEvent.allCases.enumerated().map { index, event in
      event.attribute(ids: [Self.syntheticIDs + UInt64(index)])
    }
    self.synthetic = synthetic
    let kernel: KernelSource?
    do throws(KernelPrograms.Absence) {
      if let programs {
        kernel = try KernelSource(
          programs, jobs, drain, pid: subject.pid, stackBytes: options.stackBytes, own: synthetic)
      } else {
        kernel = nil
      }
    } catch { throw RecordingError(error) }
    let within = folder.map {
      PreloadSource(
        folder: $0, door: door, options: options, processes: processes, root: subject.pid,
        own: synthetic)
    }
    if events.tellsSwitches { within?.looks.events = events }
    let sources: [(any RecordingSource)?] = [
      processes,
      rings,
      kernel,
      earlier,
      // Of whose transfers perf's events or programs in the kernel tell.
      events.tellsTransfers || programs != nil
        ? EarlierSockets(of: processes, root: subject.pid, drain) : nil,
      within,
      within?.looks,
      outside,
      outside == nil ? nil : SocketCounts(of: processes, root: subject.pid),
      CounterSource(names: options.counters, subject: subject),
      PowerSource(pid: subject.pid, names: options.counters),
      MachineSource(),
      // Nil where another recorder takes the marks of this process.
      MarkSocket(pid: subject.pid, owner: ProgramFile.owner(pid: subject.pid)),
      tracefs.map {
        MarkProbes(
          tracefs: $0, cpus: SystemInfo.onlineCPUs(), files: subject.files(options.target),
          isRecorded: { drain.threads.contains($0) })
      },
      descriptors,
      HeldFilesSource(heldFiles),
      ContentWatcher(processes: processes),
      FreezeWatch(pid: subject.pid),
      HeldWatch(of: processes),
      governor,
      FootprintSource(of: processes),
      KernelNames(in: drain, pid: subject.pid),
    ]
    var rotation: RotationSource?
    var flight: FlightSource?
    switch options.parts {
    case .rotation(let options)?: rotation = RotationSource(options)
    case .flight(let options)?: flight = FlightSource(options, now: armed)
    case nil: break
    }
    let losses = LossBook(of: sources.compactMap { $0 }, rings: drain)
    // Last, since a part ends when all others have collected.
    let keepers: [(any RecordingSource)?] = [losses, rotation, flight]
    self.sources = (sources + keepers).compactMap { $0 }
    if options.parts != nil {
      drain.standingWaits = StandingWaits(drain.events.events.map(\.spec))
    }
    var summary = Self.summary(options, subject, machine, complete: false)
    for source in self.sources { source.describe(&summary) }
    features = summary.features
    attributes = self.sources.flatMap(\.attributes) + synthetic
    if let flight {
      sink = TraceSink(writer: flight.memory, synthetic: synthetic)
    } else {
      let path = Self.firstPath(options)
      let writer: PerfDataWriter
      do throws(PerfDataError) {
        writer = try PerfDataWriter(
          path: path, attributes: attributes, features: summary.features)
      } catch { throw RecordingError(error) }
      InvokingUser.own(path)
      sink = TraceSink(writer: writer, synthetic: synthetic)
      self.writer = writer
    }
    session = RecordingSession(
      subject: subject, sources: self.sources, sink: sink, signals: signals,
      answers: Self.answers(rotation, flight, options))
    rotation?.recording = self
    flight?.recording = self
  }

  /// Where it is written first.
  private static func firstPath(_ options: RecordingOptions) -> String {
    guard case .rotation(let rotation)? = options.parts else { return options.outputPath }
    return rotation.path(1)
  }

  /// A log that is put aside tells who writes it by a hang-up: that ends no recording for days.
  private static func answers(
    _ rotation: RotationSource?, _ flight: FlightSource?, _ options: RecordingOptions
  ) -> [Int32: () -> Void] {
    var answers: [Int32: () -> Void] = [:]
    if let rotation { answers[SIGHUP] = { rotation.ask() } }
    if let flight, case .flight(let options)? = options.parts {
      answers[SIGHUP] = {}
      for case .signal(let number) in options.conditions.map(\.limit) {
        answers[number] = { flight.signalled(number) }
      }
    }
    return answers
  }

  func run(
    before: Double, problems: [String], leftovers: Leftovers
  ) throws(RecordingError) -> RecordingResult {
    self.problems = problems
    usedBefore = before
    defer { for source in sources { source.remove(leftovers) } }
    do throws(PerfDataError) { try begin(at: earliest) } catch { throw RecordingError(error) }
    options.onReady?(subject.pid)
    let started = earliest
    let released = SystemInfo.monotonicNanoseconds()
    if case .command(let command) = subject, case .command(let arguments) = options.target,
      let failure = command.release(program: arguments.first ?? "")
    {
      _ = command.reap(waiting: true)
      unlink(Self.firstPath(options))
      throw failure
    }
    if case .command(let arguments) = options.target {
      // The command runs by now: what cannot be written shows in the next round.
      try? processes.released(
        subject.pid, command: arguments.first ?? "", at: released, to: sink)
    }
    var told = started
    let governor = sources.lazy.compactMap { $0 as? RateGovernor }.first
    var names = NamesMeanwhile()
    let ending = session.run(duration: options.duration, since: started) { now in
      // What is kept in memory is told when it is written.
      let areNamesDue = names.areDue(sources.reduce(0) { $0 + $1.namedProcesses }, now: now)
      if writer != nil, session.writeFailure == nil,
        governor?.isDueMeanwhile(now: now) == true || areNamesDue
      {
        // That it cannot be written shows in the next round.
        try? sink.append(summary(complete: false).capture, pid: subject.pid, time: now)
      }
      guard let tell = options.onProgress, now &- told >= Self.progressInterval else { return }
      told = now
      tell(
        RecordingProgress(
          seconds: Double(now &- started) / 1e9, records: rings.drain.records + sink.records,
          bytes: sink.byteCount))
    }
    let seconds = Double(SystemInfo.monotonicNanoseconds() - started) / 1e9
    let lost = end(ending, since: started)
    let status = exitStatus(ending)
    return RecordingResult(
      tracePath: options.outputPath, exitStatus: status.status, childSignal: status.signal,
      lostRecords: lost, overheadCPUSeconds: Recorder.usedCPUSeconds() - before,
      rootPid: subject.pid,
      durationSeconds: seconds, problems: self.problems, truncation: truncation,
      heldFiles: heldFiles)
  }

  /// A running process is recorded from the moment its events were on; a command waits until it is released.
  private var earliest: UInt64 {
    if case .process = subject { armed } else { SystemInfo.monotonicNanoseconds() }
  }

  /// What is told of the recording as a whole, as far as it is known by now.
  func summary(complete: Bool) -> RecordingSummary {
    var summary = Self.summary(options, subject, machine, complete: complete)
    if options.parts != nil {
      summary.capture.part = part
      if part > 1 { summary.capture.mode = .attach }
    }
    summary.capture.processStartNs = subjectStart
    summary.capture.unavailable = unavailable
    for source in sources {
      source.describe(&summary)
      for entry in source.unavailable where !summary.capture.unavailable.contains(entry) {
        summary.capture.unavailable.append(entry)
      }
    }
    return summary
  }

  /// What the header says of the machine and of the recorder.
  static func machine(_ options: RecordingOptions) -> FileFeatures {
    var features = SystemInfo.features()
    features.perfVersion = "lull \(options.version)"
    features.commandLine = options.ownCommandLine
    return features
  }

  private static func mode(_ subject: RecordingSubject) -> CaptureEvent.Mode {
    if case .command = subject { .wrap } else { .attach }
  }

  /// Whether what is recorded was started by the recorder.
  var mode: CaptureEvent.Mode { Self.mode(subject) }

  private static func summary(
    _ options: RecordingOptions, _ subject: RecordingSubject, _ features: FileFeatures,
    complete: Bool
  ) -> RecordingSummary {
    var commandLine: [String] = []
    if case .command(let arguments) = options.target { commandLine = arguments }
    return RecordingSummary(
      capture: CaptureEvent(
        mode: mode(subject), scope: options.scope == .system ? .system : .process,
        privilege: geteuid() == 0 ? "root" : "user", commandLine: commandLine,
        rootPid: Int(subject.pid), subjectHint: options.processHint,
        intervalNs: UInt64(clamping: options.footprintInterval.nanoseconds), complete: complete,
        lullVersion: options.version), features: features)
  }
}
