import CPerfEvent
import Glibc
import OutputFiles
import PerfData

/// A recording whose events are armed: its file, its beginning, its end.
final class Recording {
  private let options: RecordingOptions
  private let subject: RecordingSession.Subject
  private let events: EventSet
  private let writer: PerfDataWriter
  private let sink: TraceSink
  private let governor: RateGovernor
  private let session: RecordingSession
  private let drain: RingDrain
  private let book: ProcessBook
  private let tracefs: TraceFS?
  /// When all its events were on, by the monotonic clock, in nanoseconds.
  private let armed = SystemInfo.monotonicNanoseconds()
  private var features: WrittenFeatures
  private var unavailable: [CaptureEvent.Unavailable]
  private var problems: [String] = []
  private var truncation: String?

  /// Event ids that the kernel, which counts up from 1, will not reach.
  private static let syntheticIDs: UInt64 = 0x4c55_4c4c << 32

  init(
    options: RecordingOptions, subject: RecordingSession.Subject, events: EventSet,
    tracefs: TraceFS?, transfers: TransferCounter?, unavailable: [CaptureEvent.Unavailable],
    threads: Set<Int32>
  ) throws(RecordingError) {
    self.options = options
    self.subject = subject
    self.events = events
    self.unavailable = unavailable
    self.tracefs = tracefs
    features = SystemInfo.features()
    features.perfVersion = "lull \(options.version)"
    features.commandLine = options.ownCommandLine
    if let tracefs {
      features.tracingData = TracingData(
        headerPage: tracefs.headerPage, headerEvent: tracefs.headerEvent,
        formats: events.formats)
    }
    let synthetic = SyntheticEvent.allCases.enumerated().map { index, event in
      event.attribute(ids: [Self.syntheticIDs + UInt64(index)])
    }
    do throws(PerfDataError) {
      writer = try PerfDataWriter(
        path: options.outputPath, attributes: events.attributes + synthetic, features: features)
    } catch { throw RecordingError(error) }
    InvokingUser.own(options.outputPath)
    sink = TraceSink(writer: writer, synthetic: synthetic)
    let writes = WriteCalls()
    governor = RateGovernor(events: events, writes: writes, transfers: transfers)
    drain = RingDrain(events: events, governor: governor, sink: sink)
    for thread in threads { drain.threads.begin(thread) }
    book = ProcessBook(sink: sink, interval: options.footprintInterval)
    session = RecordingSession(
      subject: subject, events: events, governor: governor, drain: drain, sink: sink, book: book,
      signals: try StopSignals(), writes: writes)
  }

  /// Tells in the trace at once when a source turns to sampling, for a recording that is killed.
  private func noteChanges() {
    let pid = subject.pid
    governor.onChange = { [sink] source, isSampled, time in
      let text = "{\"sampled\":\(isSampled),\"source\":\"\(source)\"}"
      // The sink keeps a failure and throws it again at the next flush.
      try? sink.append(.source, raw: Array(text.utf8), pid: pid, time: time)
    }
  }

  func run(before: Double, problems: [String]) throws(RecordingError) -> RecordingResult {
    self.problems = problems
    openCounters()
    openMarks(tracefs)
    openContents()
    defer { session.markProbes?.remove() }
    noteChanges()
    do throws(PerfDataError) { try begin() } catch { throw RecordingError(error) }
    options.onReady?(subject.pid)
    if case .command(let command) = subject, case .command(let arguments) = options.target,
      let failure = command.release(program: arguments.first ?? "")
    {
      _ = command.reap(waiting: true)
      unlink(options.outputPath)
      throw failure
    }
    let started = earliest
    let ending = session.run(duration: options.duration, since: started)
    let seconds = Double(SystemInfo.monotonicNanoseconds() - started) / 1e9
    let overhead = { Recorder.usedCPUSeconds() - before }
    end(ending, overhead: overhead)
    let status = exitStatus(ending)
    return RecordingResult(
      tracePath: options.outputPath, exitStatus: status.status, childSignal: status.signal,
      lostRecords: drain.lostRecords, overheadCPUSeconds: overhead(), rootPid: subject.pid,
      durationSeconds: seconds, problems: self.problems, truncation: truncation)
  }

  private func openCounters() {
    guard options.counters?.isEmpty != true else { return }
    var onExec = false
    if case .command = subject { onExec = true }
    let set = CounterSet.open(
      names: options.counters, pid: subject.pid, enableOnExec: onExec)
    for (name, reason) in set.unavailable {
      unavailable.append(.init(.counters, "\(name): \(reason)"))
    }
    if !set.names.isEmpty { session.counters = set }
  }

  private func openContents() {
    session.contents = ContentWatcher()
    guard session.contents == nil else { return }
    let reason = String(cString: strerror(errno))
    unavailable.append(
      .init(
        .fileContents,
        "whether rewrites change a file is not known: fanotify cannot be used (\(reason))"))
  }

  /// Marks by socket always, marks by probes where probes can be made.
  private func openMarks(_ tracefs: TraceFS?) {
    session.markSocket = MarkSocket(pid: subject.pid, owner: ProgramFile.owner(pid: subject.pid))
    guard let tracefs else { return }
    let probes = MarkProbes(tracefs: tracefs, cpus: SystemInfo.onlineCPUs())
    // Before the command runs, so that its first mark is seen; others are found as they are mapped.
    switch subject {
    case .command:
      if case .command(let arguments) = options.target, let name = arguments.first,
        let path = ProgramFile.path(of: name)
      {
        probes.consider(path)
      }
    case .process(let process):
      for path in Set(ProcessProbe.mappedPaths(pid: process.pid)) { probes.consider(path) }
    }
    session.markProbes = probes
  }

  private var mode: CaptureEvent.Mode {
    if case .command = subject { .wrap } else { .attach }
  }

  /// A running process is recorded from the moment its events were on; a command waits until it is released.
  private var earliest: UInt64 {
    mode == .attach ? armed : SystemInfo.monotonicNanoseconds()
  }

  private func capture(complete: Bool, overhead: Double) -> CaptureEvent {
    var commandLine: [String] = []
    if case .command(let arguments) = options.target { commandLine = arguments }
    return CaptureEvent(
      mode: mode, scope: options.scope == .system ? .system : .process,
      privilege: geteuid() == 0 ? "root" : "user", commandLine: commandLine,
      rootPid: Int(subject.pid), subjectHint: options.processHint,
      intervalNs: UInt64(clamping: options.footprintInterval.nanoseconds),
      unavailable: unavailable, overheadCPUSeconds: overhead, complete: complete,
      sampled: complete ? governor.spans : [],
      exactCounts: complete ? governor.exactCounts : [],
      slices: complete && !governor.sliceSpans.isEmpty ? governor.sliceSpans : nil,
      lullVersion: options.version,
      recordsLargeReads: events.attributes.contains { $0.name == "raw_syscalls:sys_exit" })
  }

  /// What the trace says before the first event.
  private func begin() throws(PerfDataError) {
    let now = earliest
    try sink.append(capture(complete: false, overhead: 0), pid: subject.pid, time: now)
    switch subject {
    case .command(let command):
      try beginCommand(command, now)
    case .process(let process):
      try beginProcess(process, now)
    }
    try sink.flushWhole()
  }

  private func beginCommand(_ command: WrappedCommand, _ now: UInt64) throws(PerfDataError) {
    if let id = events.attributes.first?.ids.first {
      try sink.append(
        RecordBuilder.comm(
          pid: command.pid, tid: command.pid, name: "lull", time: now, id: id))
      // What it runs until it is another program: an exec that waits for the disk is blamed by name.
      for mapping in ProcessMaps.executable(pid: command.pid)
      where mapping.path.split(separator: "/").last?.hasPrefix("libc.so") == true {
        try sink.append(RecordBuilder.mmap2(mapping, time: now, id: id))
      }
    }
    try book.begin(command.pid, parentPid: getpid(), kind: .start, time: now)
    // What it inherits, such as an output that is a file; whether it is looked up later would be chance.
    for event in DescriptorTable.all(pid: command.pid)
    where (event.flags ?? 0) & Int(O_CLOEXEC) == 0 {
      try sink.append(event, pid: command.pid, time: now)
    }
  }

  private func beginProcess(_ process: AttachedProcess, _ now: UInt64) throws(PerfDataError) {
    if let id = events.attributes.first?.ids.first {
      let known = process.synthesize(id: id, time: now)
      for record in known.records { try sink.append(record) }
      drain.know(known.buildIDs)
    }
    let description = ProcessProbe.describe(pid: process.pid, kind: .attach)
    try book.begin(
      process.pid, parentPid: Int32(clamping: description?.parentPid ?? 0), kind: .attach,
      time: now, description: description)
    let open = DescriptorTable.all(pid: process.pid)
    for event in open { try sink.append(event, pid: process.pid, time: now) }
    session.know(open)
    drain.sockets = SocketFilter(ports: SocketFilter.listeningPorts(pid: process.pid))
  }

  /// What the trace says after the last event; failing to write it is a problem, not an error.
  private func end(_ ending: RecordingSession.Ending, overhead: () -> Double) {
    do throws(PerfDataError) {
      try session.finish(ending)
      if let failure = session.writeFailure { throw failure }
      let now = SystemInfo.monotonicNanoseconds()
      try writeLosses(now)
      try writeKernelSymbols(now)
      for (purpose, reason) in governor.stopped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        unavailable.append(.init(purpose, reason))
      }
      if let reason = session.markProbes?.problem {
        unavailable.append(.init(.marks, reason))
      }
      try sink.append(
        capture(complete: true, overhead: overhead()), pid: subject.pid, time: now)
      try sink.append(RecordBuilder.finishedRound())
      try sink.flushWhole()
      features.buildIDs = drain.buildIDs.sorted { $0.key < $1.key }
        .map { BuildIDEntry(path: $0.key, buildID: $0.value) }
      if drain.lastTime > 0 {
        features.sampleTime = SampleTimeRange(first: drain.firstTime, last: drain.lastTime)
      }
      try writer.finish(features: features)
    } catch {
      truncation =
        "the trace is cut short, what was written before stays readable: \(error.description)"
    }
    if drain.lostRecords > 0 {
      problems.append("\(drain.lostRecords) records were lost: the ring buffers were full")
    }
  }

  /// The kernel tells a loss with the next record that fits; after the last one none does.
  private func writeLosses(_ now: UInt64) throws(PerfDataError) {
    var total: UInt64 = 0
    for index in events.events.indices { total += events.count(index).lost }
    let untold = drain.noteUntold(total)
    guard untold > 0, let id = events.attributes.first?.ids.first else { return }
    try sink.append(
      RecordBuilder.lost(
        records: untold, time: now, pid: subject.pid, tid: subject.pid, id: id))
  }

  private func writeKernelSymbols(_ now: UInt64) throws(PerfDataError) {
    guard !drain.kernelAddresses.isEmpty else { return }
    let symbols = KernelSymbols()
    var named: Set<UInt64> = []
    for address in drain.kernelAddresses.sorted() {
      guard let symbol = symbols.name(for: address), named.insert(symbol.start).inserted
      else { continue }
      try sink.append(
        KernelSymbolEvent(address: symbol.start, name: symbol.name), pid: subject.pid, time: now)
    }
    if let reason = symbols.unavailableReason {
      unavailable.append(.init(.kernelSymbols, reason))
    }
  }

  /// What to exit with; a command that still runs after its time is asked to end.
  private func exitStatus(_ ending: RecordingSession.Ending) -> (status: Int32, signal: Int32?) {
    guard case .command(let command) = subject else { return (0, nil) }
    var end: WrappedCommand.End?
    switch ending {
    case .targetEnded(let known): end = known
    case .duration: end = stop(command, SIGTERM)
    case .terminated(let number): end = stop(command, number)
    case .interrupted: end = command.reap()
    }
    if let end { return (end.exitStatus, end.signal) }
    problems.append("process \(command.pid) still runs: recording ended before it")
    if case .terminated(let number) = ending { return (128 + number, nil) }
    if case .interrupted = ending { return (128 + SIGINT, nil) }
    return (128 + SIGTERM, nil)
  }

  /// Two seconds are what a service manager's shortest stop gives.
  private func stop(_ command: WrappedCommand, _ number: Int32) -> WrappedCommand.End? {
    command.signal(number)
    for _ in 0..<200 {
      if let end = command.reap() { return end }
      usleep(10_000)
    }
    return nil
  }
}
