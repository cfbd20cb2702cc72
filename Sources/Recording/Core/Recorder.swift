import CPerfEvent
import Glibc
import PerfData

/// Records a command or a running process into a perf.data file.
package final class Recorder {
  private let options: RecordingOptions
  private let environment: [String: String]
  private var problems: [String] = []
  private var unavailable: [CaptureEvent.Unavailable] = []

  /// Checks the options; nothing is started or opened yet.
  package init(options: RecordingOptions) throws(RecordingError) {
    self.options = options
    environment = InheritedWords().variables
    if options.overwrites { Self.removeFile(options.outputPath) }
    if let reason = PIDNamespace.whyProcIsForeign() { throw reason }
    // Parts have names of their own.
    if options.parts == nil, let reason = Self.whyNotWritable(options.outputPath) { throw reason }
  }

  /// Only what a trace may be: neither a folder nor a device.
  private static func removeFile(_ path: String) {
    var information = stat()
    if lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG { unlink(path) }
  }

  private static func whyNotWritable(_ path: String) -> RecordingError? {
    if path.isEmpty {
      return RecordingError(kind: .usage, message: "the trace's file name is empty")
    }
    var information = stat()
    if lstat(path, &information) == 0 {
      return RecordingError(
        kind: .io, message: "\(path) exists already: give another name with -o", errno: EEXIST)
    }
    return nil
  }

  /// Records until the target ends, the duration is over or the user stops it.
  package func run() throws(RecordingError) -> RecordingResult {
    let before = Self.usedCPUSeconds()
    if options.endsWithParent { _ = lull_end_with_parent(SIGTERM) }
    if let folder = try folderWithinProcess() {
      return try runWithinProcess(folder, before: before)
    }
    if case .pid(let pid) = options.target, options.recorder.isWithinProcess(options.target),
      let process = try asked(pid)
    {
      return try runByItself(process.subject, process.door, process.folder, before: before)
    }
    let subject = try makeSubject(environment: environment)
    // What ends a recorder may come before it records.
    let signals = try StopSignals()
    DescriptorLimit.raise()
    let isFromOutside = options.recorder.isFromOutside
    EventTurn.take()
    defer { EventTurn.give() }
    let tracefs = isFromOutside ? nil : locateTraceFS()
    let probes = installProbes(tracefs, subject)
    let leftovers = Leftovers(tracefs: tracefs)
    let programs = try kernelPrograms(subject)
    let jobs = programs.flatMap { programs in
      KernelJobs(
        programs,
        in: SwiftLibrary.concurrency.candidates(
          of: options.target, path: environment["PATH"] ?? ""),
        of: subject.pid)
    }
    let transfers = programs == nil ? tracefs.flatMap { _ in TransferCounter() } : nil
    let plan = EventPlan(
      tracefs: tracefs, options: options, countsTransfers: transfers != nil,
      besidePrograms: programs != nil,
      // Programs in the kernel tell jobs without an event of each thread.
      uprobes: (probes?.probes ?? []).filter {
        jobs == nil || $0.template.purpose != .concurrency
      })
    unavailable += plan.unavailable
    // What runs already would have gone on meanwhile.
    if !isFromOutside, case .command = subject { waitForLeftovers(besides: plan, signals) }
    var events = EventSet(
      specs: options.recorder == .outside ? [] : plan.specs, cpus: SystemInfo.onlineCPUs())
    defer {
      events.leave(to: leftovers)
      probes?.leave(to: leftovers)
      leftovers.add(TriedEvents.take())
    }
    try events.openSystem()
    var threads: Set<Int32>
    var earlier: EarlierWaits?
    switch subject {
    case .command(let command):
      guard try events.openThread(command.pid) else {
        throw RecordingError(kind: .io, message: "the command ended before it could be recorded")
      }
      threads = [command.pid]
    case .process(let process):
      if !isFromOutside { earlier = earlierWaits(process.pid, tracefs, programs) }
      do throws(RecordingError) {
        threads = try process.arm(events, besideLooks: isFromOutside ? OutsideFiles.descriptors : 0)
      } catch {
        guard isFromOutside, error.errno == EMFILE || error.errno == ENFILE else { throw error }
        problems.append("\(error.message): it is looked at without perf's switches")
        events.close()
        events = EventSet(specs: [], cpus: SystemInfo.onlineCPUs())
        threads = try process.arm(events)
      }
      for child in process.descendants { jobs?.add(child) }
      if !process.strangers.isEmpty, options.takesChildren {
        problems.append(
          "\(process.strangers.count) of the children that process \(process.pid) has may not be looked into, and"
            + " are not recorded")
      }
    }
    EventTurn.give()
    unavailable += events.unavailable
    if !isFromOutside { noteReach(events) }
    earlier?.eventsAreOpen()
    let recording = try Recording(
      options: options, subject: subject, events: events, tracefs: tracefs, transfers: transfers,
      unavailable: unavailable, threads: threads, folder: nil,
      outside: isFromOutside ? OutsideSource(of: subject, options, beside: events) : nil,
      programs: programs, jobs: jobs, earlier: earlier, signals: signals)
    return try recording.run(before: before, problems: problems, leftovers: leftovers)
  }

  /// Waits for what earlier recordings left, with the turn given meanwhile.
  ///
  /// An event of each tracepoint that is to be recorded is held: theirs are not the last then, which is what takes the
  /// kernel its time.
  private func waitForLeftovers(besides plan: EventPlan, _ signals: StopSignals) {
    let anchors = plan.specs.filter { $0.kind == .tracepoint }
      .compactMap { EventRequest.anchor(of: $0, in: 0) }
    EventTurn.give()
    EventTurn.waitForLeftovers(unless: signals)
    EventTurn.take()
    for anchor in anchors { TriedEvents.keep(anchor) }
  }

  /// The programs that record in the kernel, which know the target from here on; nil where perf events do it all, as
  /// they do by themselves where no program may run in the kernel: `lull doctor` says why.
  private func kernelPrograms(
    _ subject: RecordingSubject
  ) throws(RecordingError) -> KernelPrograms? {
    guard options.recorder.takesKernelPrograms else { return nil }
    do throws(KernelPrograms.Absence) {
      let programs = try KernelPrograms()
      programs.add(subject.pid)
      try programs.attach()
      if case .process = subject, options.takesChildren {
        // What they start from here on is recorded by itself; what one of them has just started is found.
        for _ in 0..<2 {
          for child in ProcessProbe.children(of: subject.pid)
          where ProcessProbe.isTraceable(pid: child) { programs.add(child) }
        }
      }
      return programs
    } catch {
      if options.recorder == .auto { return nil }
      throw RecordingError(error)
    }
  }

  private func earlierWaits(
    _ pid: Int32, _ tracefs: TraceFS?, _ programs: KernelPrograms?
  ) -> EarlierWaits? {
    let children = options.takesChildren ? ProcessProbe.children(of: pid) : []
    return EarlierWaits(
      of: [pid] + children.filter { ProcessProbe.isTraceable(pid: $0) }, tracefs,
      besidePrograms: programs != nil,
      stackBytes: options.stackBytes)
  }

  /// What a recording by a library in the program shares with it; nil where it is made otherwise.
  private func folderWithinProcess() throws(RecordingError) -> PreloadFolder? {
    guard options.recorder.isWithinProcess(options.target),
      case .command(let words) = options.target
    else { return nil }
    var refusal = PreloadLibrary.refusal(of: words)
    if refusal == nil {
      do { return try PreloadFolder(options) } catch { refusal = error.message }
    }
    let reason = refusal ?? ""
    if options.recorder == .process { throw RecordingError(kind: .unsupported, message: reason) }
    problems.append("\(reason): it is looked at from outside")
    return nil
  }

  /// A running program that has an agent, and where it was asked; nil where it is to be looked at from outside.
  private func asked(
    _ pid: Int32
  ) throws(RecordingError) -> (subject: AttachedProcess, door: AgentDoor, folder: PreloadFolder)? {
    do throws(RecordingError) {
      let subject = try AttachedProcess(pid: pid, takesChildren: options.takesChildren)
      let door = try AgentDoor(of: pid)
      return (subject, door, try PreloadFolder(options, for: door.user))
    } catch {
      // What another recorder records is its, and who may not look into it may not do so from outside either.
      guard options.recorder == .auto, error.kind == .unsupported else { throw error }
      problems.append("\(error.message): it is looked at from outside")
      return nil
    }
  }

  private func runByItself(
    _ process: AttachedProcess, _ door: AgentDoor, _ folder: PreloadFolder, before: Double
  ) throws(RecordingError) -> RecordingResult {
    do throws(RecordingError) {
      DescriptorLimit.raise()
      let events = EventSet(specs: [], cpus: SystemInfo.onlineCPUs())
      var threads = try process.arm(events)
      let own = [process.pid] + process.descendants.filter { door.isShared(with: $0) }
      let others = process.descendants.count + 1 - own.count
      if others > 0 {
        problems.append(
          "\(others) of the children that process \(process.pid) has run other programs, and are looked at from outside"
        )
      }
      door.strangers = Set(process.strangers)
      threads.formUnion(door.ask(own, into: folder))
      let recording = try Recording(
        options: options, subject: .process(process), events: eventsBesideLooks(), tracefs: nil,
        transfers: nil,
        unavailable: unavailable, threads: threads, folder: folder, door: door, outside: nil,
        signals: try StopSignals())
      return try recording.run(
        before: before, problems: problems, leftovers: Leftovers(tracefs: nil))
    } catch {
      door.end()
      folder.remove()
      throw error
    }
  }

  /// For programs that take no library, which are not there yet: none where the kernel refuses any of them.
  private func eventsBesideLooks() -> EventSet {
    let cpus = SystemInfo.onlineCPUs()
    let none = EventSet(specs: [], cpus: cpus)
    guard RecorderKind.hasSwitches else { return none }
    // Not all that the user may lock: few programs are of that kind.
    let events = EventSet(
      specs: EventPlan.besideLooks(options), cpus: cpus, ringBytes: RingShare.besideLooks)
    do { try events.openModels() } catch { return none }
    return events.events.allSatisfy { $0.failure == nil } ? events : none
  }

  private func runWithinProcess(
    _ folder: PreloadFolder, before: Double
  ) throws(RecordingError) -> RecordingResult {
    do throws(RecordingError) {
      let subject = try makeSubject(environment: folder.environment(adding: environment))
      let signals = try StopSignals()
      DescriptorLimit.raise()
      let recording = try Recording(
        options: options, subject: subject, events: eventsBesideLooks(), tracefs: nil,
        transfers: nil,
        unavailable: unavailable, threads: [subject.pid], folder: folder, outside: nil,
        signals: signals)
      return try recording.run(
        before: before, problems: problems, leftovers: Leftovers(tracefs: nil))
    } catch {
      folder.remove()
      throw error
    }
  }

  private func makeSubject(
    environment: [String: String]
  ) throws(RecordingError) -> RecordingSubject {
    switch options.target {
    case .command(let arguments):
      return .command(try WrappedCommand(arguments, environment: environment))
    case .pid(let pid):
      return .process(try AttachedProcess(pid: pid, takesChildren: options.takesChildren))
    }
  }

  private func locateTraceFS() -> TraceFS? {
    do {
      let tracefs = try TraceFS.locate()
      UprobeSet.removeStale(tracefs: tracefs)
      return tracefs
    } catch {
      for purpose in [Purpose.mainThread, .wakeups, .network, .disk] {
        unavailable.append(.init(purpose, "no tracepoints: \(error.message)"))
      }
      return nil
    }
  }

  private func installProbes(
    _ tracefs: TraceFS?, _ subject: RecordingSubject
  ) -> UprobeSet? {
    guard let tracefs else { return nil }
    var pid: Int32?
    if case .process(let process) = subject { pid = process.pid }
    func candidates(_ library: SwiftLibrary) -> [String] {
      library.candidates(of: options.target, path: environment["PATH"] ?? "")
    }
    do {
      return try UprobeSet.install(
        tracefs: tracefs,
        libraries: UprobeSet.libraryCandidates(pid: pid)
          + UprobeSet.staticProgram(of: options.target),
        runtimes: candidates(.concurrency), dispatchers: candidates(.dispatch), tests: runsTests)
    } catch {
      unavailable.append(
        .init(.fileNames, "no probes in the C library: \(error.message)"))
      return nil
    }
  }

  private var runsTests: Bool {
    switch options.target {
    case .command(let words): TestHost.isStarted(by: words)
    case .pid(let pid): TestHost.isRunning(pid: pid)
    }
  }

  /// Says when nothing but /proc is left, which is still a recording.
  private func noteReach(_ events: EventSet) {
    if events.attributes.isEmpty {
      problems.append("no event could be opened: only readings of /proc are recorded")
    }
  }

  /// CPU time of this process so far.
  static func usedCPUSeconds() -> Double {
    var usage = rusage()
    guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}

extension RecordingError {
  /// No recording in the kernel.
  init(_ absence: KernelPrograms.Absence) {
    let error = absence.error.map { ": \(String(cString: strerror($0)))" } ?? ""
    self.init(
      kind: .unsupported,
      message: "nothing can be recorded in the kernel: \(absence.cause)\(error)"
        + (absence.fix.map { "; \($0)" } ?? ""), errno: absence.error)
  }

  /// A failure to write the trace.
  init(_ error: PerfDataError) {
    self.init(kind: .io, message: error.description)
  }
}
