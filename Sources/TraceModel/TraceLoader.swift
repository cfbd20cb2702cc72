import PerfData

/// Everything that decoders fill in; one value, so that each event's decoder is a function over it.
struct LoaderState {
  var schedule = ScheduleTracker()
  var sockets = SocketTracker()
  var descriptors = DescriptorTracker()
  var stacks: StackTracker
  var processes = ProcessTracker()
  var wakeups: [Wakeup] = []
  var transfers: [Transfer] = []
  var operations: [PendingOperation] = []
  var footprints: [Footprint] = []
  var counters: [CounterEvent] = []
  var signals: [SignalDelivery] = []
  var processorSamples: [ProcessorSample] = []
  var capture: CaptureEvent?
  /// When each thread entered its present sync call.
  var syncStarts: [Int32: Timestamp] = [:]
  /// Paths given to open by the probe, until its return tells the descriptor.
  var openingPaths: [Int32: String] = [:]
}

/// A sample with the format of its tracepoint.
struct DecodingContext {
  var sample: Sample
  var time: Timestamp
  var attribute: EventAttribute
  var format: TracepointFormat?

  /// How many events this one stands for: above 1 where the recorder sampled.
  var weight: UInt64 { max(sample.period ?? attribute.samplePeriod, 1) }

  /// An integer field of the payload; nil when this kernel's format lacks it.
  func integer(_ field: String) -> Int64? {
    guard let raw = sample.raw else { return nil }
    return format?.field(field)?.integer(in: raw)
  }

  func string(_ field: String) -> String? {
    guard let raw = sample.raw else { return nil }
    return format?.field(field)?.string(in: raw)
  }

  /// The bytes of an array field.
  func bytes(_ field: String) -> [UInt8]? {
    guard let raw = sample.raw else { return nil }
    return format?.field(field)?.bytes(in: raw)
  }
}

typealias SampleDecoder = @Sendable (DecodingContext, inout LoaderState) -> Void

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

  /// One line for each event that is decoded.
  static let decoders: [String: SampleDecoder] = [
    "sched:sched_switch": SchedulerDecoder.schedSwitch,
    "sched:sched_waking": SchedulerDecoder.schedWaking,
    "sched:sched_wakeup_new": SchedulerDecoder.schedWakeupNew,
    "sched:sched_switch/stack/": SchedulerDecoder.blockedStack,
    "cpu-clock": SchedulerDecoder.processorSample,
    "cycles": SchedulerDecoder.processorSample,
    "raw_syscalls:sys_exit": SyscallDecoder.sysExit,
    "syscalls:sys_enter_fsync": SyscallDecoder.syncEnter,
    "syscalls:sys_enter_fdatasync": SyscallDecoder.syncEnter,
    "sock:sock_send_length": SocketDecoder.send,
    "sock:sock_recv_length": SocketDecoder.receive,
    "sock:inet_sock_set_state": SocketDecoder.setState,
    "signal:signal_generate": SignalDecoder.generate,
    SyntheticEvent.footprint.rawValue: SyntheticDecoder.footprint,
    SyntheticEvent.process.rawValue: SyntheticDecoder.process,
    SyntheticEvent.descriptor.rawValue: SyntheticDecoder.descriptor,
    SyntheticEvent.capture.rawValue: SyntheticDecoder.capture,
    SyntheticEvent.counter.rawValue: SyntheticDecoder.counter,
  ]

  /// Read before all else, wherever they stand in the file.
  static let names: [String: SampleDecoder] = [
    SyntheticEvent.kernelSymbol.rawValue: SyntheticDecoder.kernelSymbol,
    SyntheticEvent.symbol.rawValue: SyntheticDecoder.symbol,
    SyntheticEvent.stack.rawValue: SyntheticDecoder.stack,
  ]

  init(file: PerfDataFile, path: String, options: TraceOptions) {
    self.file = file
    self.path = path
    self.options = options
    state = LoaderState(stacks: StackTracker(fullNames: options.fullNames))
  }

  /// The names that loading found.
  var resolvedStacks: StackTracker { state.stacks }

  mutating func load() throws(TraceError) -> Trace {
    let records = file.orderedRecords()
    let decoders = file.attributes.map { Self.decoder(for: $0.name) }
    let nameDecoders = file.attributes.map { Self.names[$0.name] }
    let formats = file.attributes.map { attribute in
      // PERF_TYPE_TRACEPOINT is 2; the numbers of other types mean something else.
      attribute.type == 2
        ? Int(exactly: attribute.config).flatMap { file.features.tracepoints[$0] } : nil
    }

    for record in records where record.type == RecordType.sample && record.attribute >= 0 {
      if let decode = nameDecoders[Int(record.attribute)] { run(decode, record, nil) }
    }
    state.stacks.sortKernelSymbols()

    var first: UInt64?
    var last: UInt64 = 0
    for record in records {
      if record.time > 0, !Self.isAside(record, nameDecoders) {
        if first == nil { first = record.time }
        last = max(last, record.time)
      }
      if record.type == RecordType.sample {
        guard record.attribute >= 0 else {
          undecodable["sample of an unknown event", default: 0] += 1
          continue
        }
        let attribute = Int(record.attribute)
        if let decode = decoders[attribute] { run(decode, record, formats[attribute]) }
      } else {
        sideBand(record)
      }
    }
    guard let first else { throw TraceError("\(path): the trace holds no timed record") }
    return try finish(
      start: Timestamp(nanoseconds: first), end: Timestamp(nanoseconds: last))
  }

  private static func isAside(_ record: RecordEntry, _ names: [SampleDecoder?]) -> Bool {
    record.type == RecordType.sample && record.attribute >= 0
      && names[Int(record.attribute)] != nil
  }

  /// Probes carry the recorder's pid in their group's name, other events are known by their whole name.
  private static func decoder(for name: String) -> SampleDecoder? {
    if let known = decoders[name] { return known }
    guard name.hasPrefix("lull_"), let colon = name.firstIndex(of: ":") else { return nil }
    return ProbeDecoder.decoders[String(name[name.index(after: colon)...])]
  }

  private mutating func run(
    _ decode: SampleDecoder, _ record: RecordEntry, _ format: TracepointFormat?
  ) {
    do {
      let sample = try file.sample(record)
      decode(
        DecodingContext(
          sample: sample, time: Timestamp(nanoseconds: record.time),
          attribute: file.attributes[Int(record.attribute)], format: format), &state)
    } catch {
      undecodable["\(error)", default: 0] += 1
    }
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
      state.schedule.begin(tid: comm.tid, pid: comm.pid, name: comm.name, at: time)
      state.schedule.rename(tid: comm.tid, to: comm.name)
      state.processes.named(
        pid: comm.pid, tid: comm.tid, name: comm.name, isExec: comm.isExec, at: time)
      if comm.isExec { state.stacks.exec(comm.pid) }
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
    case RecordType.lost: lostEvents += file.lost(record) ?? 0
    case RecordType.lostSamples: lostSamples += file.lost(record) ?? 0
    case RecordType.throttle: throttled += 1
    default: break
    }
  }

  private mutating func finish(start: Timestamp, end: Timestamp) throws(TraceError) -> Trace {
    let threads = state.schedule.finish(at: end)
    var processes = state.processes.finish(threads: threads)
    guard !processes.isEmpty else {
      throw TraceError(
        "\(path): the trace names no process; it was cut off before the recording began, or was "
          + "recorded without task events")
    }
    let operations = state.operations.map { $0.resolved(by: state.descriptors) }
    ProcessTotals.fill(
      &processes, threads: threads, wakeups: state.wakeups, transfers: state.transfers,
      operations: operations, footprints: state.footprints)
    let subject = try SubjectChoice.choose(
      among: processes, capture: state.capture, asked: options.process)
    let wall = file.features.clockData.map {
      $0.wallNanoseconds &+ (start.nanoseconds &- $0.clockNanoseconds)
    }
    let note = truncationNote()
    return Trace(
      metadata: TraceMetadata(
        path: path, startWallNanoseconds: wall, durationSeconds: (end - start).seconds,
        hostname: file.features.hostname, kernel: file.features.osRelease,
        cpuCount: file.features.cpusOnline ?? 1, lostEvents: lostEvents,
        lostSamples: lostSamples, throttled: throttled, truncated: note != nil,
        truncationNote: note, unknownRecords: file.unknownRecords, undecodable: undecodable),
      capture: state.capture, start: start, end: end, processes: processes, threads: threads,
      stacks: state.stacks.table, wakeups: state.wakeups, transfers: state.transfers,
      connections: state.sockets.connections, fileOperations: operations,
      footprints: state.footprints, counters: state.counters, signals: state.signals,
      processorSamples: state.processorSamples,
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
