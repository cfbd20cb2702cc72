import PerfData

/// Everything that decoders fill in; one value, so that each event's decoder is a function over it.
struct LoaderState {
  var schedule = ScheduleTracker()
  var sockets = SocketTracker()
  var descriptors = DescriptorTracker()
  var stacks: StackTracker
  var processes = ProcessTracker()
  var wakeups = WakeupLog()
  /// Wakes were recorded, so that one which is not there was missed.
  var hasWakeups = false
  var transfers: [Transfer] = []
  var operations: [PendingOperation] = []
  var footprints: [Footprint] = []
  var counters: [CounterEvent] = []
  var signals: [SignalDelivery] = []
  var transferFailures: [TransferFailure] = []
  var spinCalls: [SpinCall] = []
  var marks: [MarkRecord] = []
  var contents: [ContentReading] = []
  var processorSamples: [ProcessorSample] = []
  var jobs = JobTracker()
  var tests = TestTracker()
  var writeSites: [CallSiteSample] = []
  var sendSites: [CallSiteSample] = []
  var capture: CaptureEvent?
  var slices = SliceWeights()
  /// When each thread entered its present sync call.
  var syncStarts: [Int32: Timestamp] = [:]
  /// Requests to io_uring that are under way, by the kernel's address.
  var ringRequests: [Int64: RingDecoder.Request] = [:]
  var unseen = UnseenWrites()
  /// Paths given to open by the probe, until its return tells the descriptor.
  var openingPaths: [Int32: String] = [:]
}

/// Reads a trace's records in time order and hands each to the tracker of what it concerns.
struct TraceLoader {
  private let file: PerfDataFile
  private let path: String
  private let options: TraceOptions
  private var state: LoaderState
  private var undecodable: [String: Int] = [:]
  private var lostEvents: UInt64 = 0
  private var lostSamples: UInt64 = 0
  private var throttled = 0
  private var timedRecords = 0
  private var first: UInt64?
  private var last: UInt64 = 0
  private let events: ContiguousArray<DecodedEvent>
  private let decoders: ContiguousArray<SampleDecoder?>
  private let frequent: ContiguousArray<FrequentEvent?>
  private let isName: ContiguousArray<Bool>
  private let nameDecoders: ContiguousArray<SampleDecoder?>

  /// One line for each event that is decoded.
  static let known: [String: SampleDecoder] = [
    "sched:sched_switch": SchedulerDecoder.schedSwitch,
    "sched:sched_waking": SchedulerDecoder.schedWaking,
    "sched:sched_wakeup_new": SchedulerDecoder.schedWakeupNew,
    "sched:sched_switch/stack/": SchedulerDecoder.blockedStack,
    "cpu-clock": SchedulerDecoder.processorSample,
    "cycles": SchedulerDecoder.processorSample,
    "raw_syscalls:sys_exit": SyscallDecoder.sysExit,
    "raw_syscalls:sys_exit/spin/": SpinDecoder.sysExit,
    "raw_syscalls:sys_exit/wait/": SchedulerDecoder.leftEventWait,
    "syscalls:sys_enter_fsync": SyscallDecoder.syncEnter,
    "syscalls:sys_enter_fdatasync": SyscallDecoder.syncEnter,
    "syscalls:sys_enter_mmap": RingDecoder.mapped,
    "io_uring:io_uring_submit_req": RingDecoder.submitted,
    "io_uring:io_uring_file_get": RingDecoder.fileFound,
    "io_uring:io_uring_complete": RingDecoder.completed,
    "sock:sock_send_length": SocketDecoder.send,
    "raw_syscalls:sys_exit/stack/": CallSiteDecoder.write,
    "sock:sock_send_length/stack/": CallSiteDecoder.send,
    "sock:sock_recv_length": SocketDecoder.receive,
    "sock:inet_sock_set_state": SocketDecoder.setState,
    "signal:signal_generate": SignalDecoder.generate,
    SyntheticEvent.footprint.rawValue: SyntheticDecoder.footprint,
    SyntheticEvent.process.rawValue: SyntheticDecoder.process,
    SyntheticEvent.descriptor.rawValue: SyntheticDecoder.descriptor,
    SyntheticEvent.capture.rawValue: SyntheticDecoder.capture,
    SyntheticEvent.counter.rawValue: SyntheticDecoder.counter,
    SyntheticEvent.mark.rawValue: SyntheticDecoder.mark,
    SyntheticEvent.content.rawValue: SyntheticDecoder.content,
  ]

  /// Read before all else, wherever they stand in the file.
  static let names: [String: SampleDecoder] = [
    // The one at the end tells the slices of time that were recorded.
    SyntheticEvent.capture.rawValue: SyntheticDecoder.capture,
    SyntheticEvent.kernelSymbol.rawValue: SyntheticDecoder.kernelSymbol,
    SyntheticEvent.symbol.rawValue: SyntheticDecoder.symbol,
    SyntheticEvent.stack.rawValue: SyntheticDecoder.stack,
  ]

  init(file: PerfDataFile, path: String, options: TraceOptions) {
    self.file = file
    self.path = path
    self.options = options
    state = LoaderState(stacks: StackTracker(fullNames: options.fullNames))
    decoders = ContiguousArray(file.attributes.map { Self.decoder(for: $0) })
    nameDecoders = ContiguousArray(file.attributes.map { Self.names[$0.name] })
    events = ContiguousArray(
      file.attributes.map { attribute in
        // PERF_TYPE_TRACEPOINT is 2; the numbers of other types mean something else.
        let id = attribute.type == 2 ? Int(exactly: attribute.config) : nil
        return DecodedEvent(
          attribute: attribute, format: id.flatMap { file.features.tracepoints[$0] })
      })
    isName = ContiguousArray(
      zip(nameDecoders, decoders).map { name, decoder in name != nil && decoder == nil })
    let events = events
    frequent = ContiguousArray(
      events.indices.map {
        FrequentEvent(
          events[$0].attribute, payload: file.fixedPayload(ofAttribute: $0),
          format: events[$0].format)
      })
    state.schedule.processors.count = file.features.cpusOnline ?? 1
    state.hasWakeups = file.attributes.contains { $0.name == "sched:sched_waking" }
  }

  /// The names that loading found.
  var resolvedStacks: StackTracker { state.stacks }

  mutating func load() throws(TraceError) -> Trace {
    let blank = self
    readNames()
    let isOrdered = file.isOrderKnown
    file.forEachRoundAhead { round in
      for record in round { consume(record) }
    }
    if !isOrdered, file.lateRecords > 0 {
      // The file broke its own order, which is known only now: what was made of it is made again.
      self = blank
      for event in events { event.undecodable = [:] }
      file.forEachRoundAhead { round in
        for record in round { consume(record) }
      }
    }
    guard let first else { throw TraceError("\(path): the trace holds no timed record") }
    return try finish(
      start: Timestamp(nanoseconds: first), end: Timestamp(nanoseconds: last))
  }

  /// Traces of Lull's own end with the names of what stands before.
  private mutating func readNames() {
    guard nameDecoders.contains(where: { $0 != nil }) else { return }
    file.forEachRecord { record in
      guard record.type == RecordType.sample, record.attribute >= 0,
        let decode = nameDecoders[Int(record.attribute)]
      else { return }
      run(decode, record)
    }
    state.stacks.sortKernelSymbols()
  }

  @inline(__always)
  private mutating func consume(_ record: RecordEntry) {
    let attribute = Int(record.attribute)
    if record.type == RecordType.sample {
      guard attribute >= 0 else {
        undecodable["sample of an unknown event", default: 0] += 1
        return
      }
      guard !isName[attribute] else { return }
      passed(record.time)
      if let event = frequent[attribute], event.read(record, in: file.bytes, &state) { return }
      if let decode = decoders[attribute] { run(decode, record) }
    } else {
      passed(record.time)
      sideBand(record)
    }
  }

  @inline(__always)
  private mutating func passed(_ time: UInt64) {
    guard time > 0 else { return }
    if first == nil {
      first = time
      state.schedule.starts(at: Timestamp(nanoseconds: time))
    }
    if time > last { last = time }
    timedRecords &+= 1
  }

  /// Probes carry the recorder's pid in their group's name, other events are known by their whole name.
  private static func decoder(for event: EventAttribute) -> SampleDecoder? {
    let name = event.name
    // PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_SW_CPU_CLOCK and _TASK_CLOCK, whatever modifiers perf has in their names.
    if (event.type == 0 && event.config == 0) || (event.type == 1 && event.config <= 1) {
      return SchedulerDecoder.processorSample
    }
    if let known = known[name] { return known }
    guard name.hasPrefix("lull_"), let colon = name.firstIndex(of: ":") else { return nil }
    let probe = String(name[name.index(after: colon)...])
    return ProbeDecoder.decoders[probe] ?? JobDecoder.decoders[probe]
      ?? TestDecoder.decoders[probe]
  }

  @inline(__always)
  private mutating func run(_ decode: SampleDecoder, _ record: RecordEntry) {
    let event = events[Int(record.attribute)]
    guard let payload = file.payload(of: record) else {
      if event.attribute.sampleType.contains(.raw) { return explain(record, event) }
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      return decode(
        DecodingContext(file: file, event: event, record: record, payload: none), &state)
    }
    decode(DecodingContext(file: file, event: event, record: record, payload: payload), &state)
  }

  /// Counts a sample that is too short for its fields, with the reason.
  private func explain(_ record: RecordEntry, _ event: DecodedEvent) {
    do { _ = try file.sample(record) } catch { event.undecodable["\(error)", default: 0] += 1 }
  }

  private mutating func sideBand(_ record: RecordEntry) {
    let time = Timestamp(nanoseconds: record.time)
    switch record.type {
    case RecordType.mmap, RecordType.mmap2:
      guard let mapping = file.mmap2(record) else { return }
      state.stacks.map(mapping)
      state.processes.mapped(mapping)
    case RecordType.comm:
      guard let comm = file.comm(record) else { return }
      if comm.isExec { state.schedule.exec(pid: comm.pid, at: time) }
      state.schedule.begin(tid: comm.tid, pid: comm.pid, name: comm.name, at: time)
      state.schedule.rename(tid: comm.tid, to: comm.name)
      state.processes.named(
        pid: comm.pid, tid: comm.tid, name: comm.name, isExec: comm.isExec, at: time)
      if comm.isExec {
        state.stacks.exec(comm.pid)
        state.descriptors.exec(comm.pid, at: time)
      }
    case RecordType.fork:
      guard let task = file.task(record) else { return }
      let name = state.schedule.name(of: task.parentTid) ?? ""
      state.schedule.begin(tid: task.tid, pid: task.pid, name: name, at: time)
      state.processes.forked(pid: task.pid, from: task.parentPid, name: name, at: time)
      state.descriptors.forked(task.pid, from: task.parentPid)
      state.stacks.forked(task.pid, from: task.parentPid)
    case RecordType.exit:
      guard let task = file.task(record) else { return }
      state.schedule.end(tid: task.tid, at: time)
      if task.tid == task.pid { state.processes.ended(pid: task.pid, at: time) }
    case RecordType.contextSwitch, RecordType.contextSwitchCPUWide:
      guard let what = file.contextSwitch(record) else { return }
      SchedulerDecoder.contextSwitch(what, tid: record.tid, at: time, &state)
    case RecordType.lost: lostEvents &+= file.lost(record) ?? 0
    case RecordType.lostSamples: lostSamples &+= file.lost(record) ?? 0
    case RecordType.throttle: throttled += 1
    default: break
    }
  }

  private mutating func finish(start: Timestamp, end: Timestamp) throws(TraceError) -> Trace {
    state.slices.complete(&state.wakeups)
    let threads = state.schedule.finish(at: end)
    var processes = state.processes.finish(threads: threads)
    guard !processes.isEmpty else {
      throw TraceError(
        "\(path): the trace names no process; it was cut off before the recording began, or was "
          + "recorded without task events")
    }
    var operations = state.operations.map { $0.resolved(by: state.descriptors) }
    CallSiteDecoder.join(
      state.writeSites, to: &operations, time: \.time, tid: \.tid, stack: \.stack)
    CallSiteDecoder.join(
      state.sendSites, to: &state.transfers, time: \.time, tid: \.tid, stack: \.stack)
    ProcessTotals.fill(
      &processes, threads: threads, wakeups: state.wakeups, transfers: state.transfers,
      operations: operations, footprints: state.footprints)
    var subject = try SubjectChoice.choose(
      among: processes, capture: state.capture, asked: options.process,
      recorded: file.features.commandLine)
    var activity = Activity(
      threads: threads, wakeups: state.wakeups, transfers: state.transfers,
      operations: operations, footprints: state.footprints, signals: state.signals,
      samples: state.processorSamples)
    if let programStart = subject.programStart {
      // `swift run` builds, and `sh -c exec` prepares, in the process that is the program later.
      activity.leaveOut(subject.pid, before: programStart)
      subject.start = programStart
    }
    state.capture?.unavailable += state.unseen.explanations(
      of: subject, descriptors: state.descriptors)
    let wall = file.features.clockData.map {
      $0.wallNanoseconds &+ (start.nanoseconds &- $0.clockNanoseconds)
    }
    let note = truncationNote()
    for event in events { undecodable.merge(event.undecodable) { $0 + $1 } }
    return Trace(
      metadata: TraceMetadata(
        path: path, startWallNanoseconds: wall, durationSeconds: (end - start).seconds,
        hostname: file.features.hostname, kernel: file.features.osRelease,
        cpuCount: file.features.cpusOnline ?? 1,
        cpuModel: file.features.cpuDescription,
        records: timedRecords, lostEvents: lostEvents,
        lostSamples: lostSamples, throttled: throttled, truncated: note != nil,
        truncationNote: note, unknownRecords: file.unknownRecords,
        symbolProblems: state.stacks.problems, undecodable: undecodable),
      capture: state.capture, start: start, end: end, processes: processes,
      threads: activity.threads, stacks: state.stacks.table, wakeups: activity.wakeups,
      transfers: activity.transfers, connections: state.sockets.connections,
      listeners: state.sockets.listeners, transferFailures: state.transferFailures,
      spinCalls: state.spinCalls, marks: state.marks, contents: state.contents,
      tests: TestTracker.hosted(state.tests.runs, processes),
      fileOperations: activity.operations, footprints: activity.footprints,
      counters: state.counters, signals: activity.signals,
      processorSamples: activity.samples, jobs: state.jobs.runs,
      createdTasks: state.jobs.created,
      eventNames: Set(file.attributes.map(\.name)), subject: subject)
  }

  private func truncationNote() -> String? {
    if file.isTruncated { return "the file was not finished: its tail is missing" }
    if let capture = state.capture, !capture.complete {
      return "the recorder did not reach its end"
    }
    return nil
  }
}
