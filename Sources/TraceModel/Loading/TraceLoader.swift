import PerfData
import Quantities

/// Reads a trace's records in time order and hands each to the tracker of what it concerns.
struct TraceLoader: ~Copyable {
  private let file: PerfDataFile
  private let path: String
  private let options: TraceOptions
  private var state: LoaderState
  private var undecodable: [String: Int] = [:]
  private var lostEvents: UInt64 = 0
  private var lostSamples: UInt64 = 0
  private var throttled = 0
  private var times = PassTimes()
  private var hasStarted = false
  private let events: ContiguousArray<DecodedEvent>
  private let decoders: ContiguousArray<SampleDecoder?>
  private let treatments: ContiguousArray<Treatment>
  private let demands: [SampleDemand]
  private let nameDecoders: ContiguousArray<SampleDecoder?>
  /// What a record takes here is a tenth of what memory takes to answer.
  private static let lookahead = 16

  /// What is made of the samples of one attribute, in few bytes, since every sample asks.
  private struct Treatment {
    var frequent: FrequentEvent.Kind?
    /// Of samples that show that their threads run, where no other record would: whether they are a tracepoint's.
    var showsRuns: Bool?
  }

  /// One line for each event that is decoded.
  static let known: [String: SampleDecoder] = [
    "sched:sched_switch": SchedulerDecoder.schedSwitch,
    "sched:sched_waking": SchedulerDecoder.schedWaking,
    "sched:sched_wakeup_new": SchedulerDecoder.schedWakeupNew,
    "sched:sched_switch/stack/": SchedulerDecoder.blockedStack,
    "cpu-clock": SchedulerDecoder.processorSample,
    "cycles": SchedulerDecoder.processorSample,
    "raw_syscalls:sys_enter": SystemCallDecoder.sysEnter,
    "raw_syscalls:sys_exit": SystemCallDecoder.sysExit,
    "raw_syscalls:sys_exit/spin/": SpinCallDecoder.sysExit,
    "raw_syscalls:sys_exit/wait/": SchedulerDecoder.leftEventWait,
    "syscalls:sys_enter_fsync": SystemCallDecoder.syncEnter,
    "syscalls:sys_enter_fdatasync": SystemCallDecoder.syncEnter,
    "syscalls:sys_enter_mmap": IOUringDecoder.mapped,
    "io_uring:io_uring_submit_req": IOUringDecoder.submitted,
    "io_uring:io_uring_file_get": IOUringDecoder.fileFound,
    "io_uring:io_uring_complete": IOUringDecoder.completed,
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
    let names = Set(file.attributes.map(\.name))
    let infersRuns =
      names.contains("sched:sched_switch") && !file.attributes.contains(where: \.tellsSwitches)
    // Of PERF_TYPE_HARDWARE, _SOFTWARE (but BPF's output) and _TRACEPOINT; a switch tells more itself.
    let showsRuns = file.attributes.map {
      infersRuns && $0.type <= 2 && !($0.type == 1 && $0.config == 10)
        && !$0.name.hasPrefix("sched:sched_switch") ? $0.type == 2 : nil
    }
    // Lull's own recordings have the exits of some calls alone.
    let countsCalls = !names.contains(SyntheticEvent.capture.rawValue)
    events = ContiguousArray(
      file.attributes.map { attribute in
        // PERF_TYPE_TRACEPOINT is 2; the numbers of other types mean something else.
        let id = attribute.type == 2 ? Int(exactly: attribute.config) : nil
        return DecodedEvent(
          attribute: attribute, format: id.flatMap { file.features.tracepoints[$0] })
      })
    let frequent = events.indices.map { [events] in
      FrequentEvent(
        events[$0].attribute, payload: file.fixedPayload(ofAttribute: $0),
        format: events[$0].format, countsCalls: countsCalls)
    }
    treatments = ContiguousArray(
      events.indices.map { Treatment(frequent: frequent[$0]?.kind, showsRuns: showsRuns[$0]) })
    demands = events.indices.map { [decoders, nameDecoders] index in
      if let event = frequent[index] {
        var demand = event.demand
        if event.kind == .scheduleSwitch, infersRuns { demand.tells = .switch }
        if showsRuns[index] == true { demand.tells = .run }
        return demand
      }
      if decoders[index] != nil { return SampleDemand(.name) }
      if let byTracepoint = showsRuns[index] { return SampleDemand(byTracepoint ? .run : .values) }
      return SampleDemand(nameDecoders[index] != nil ? .ignore : .count)
    }
    state.schedule.processors.count = file.features.cpusOnline ?? 1
    state.hasWakeups = names.contains("sched:sched_waking")
    state.infersRuns = infersRuns
    state.countsCalls = countsCalls
  }

  /// The names that loading found.
  var resolvedStacks: StackTracker { state.stacks }

  mutating func load() throws(TraceError) -> Trace {
    let isOrdered = file.isOrderKnown
    readNames()
    readRecords()
    if !isOrdered, file.lateRecords > 0 {
      // The file broke its own order, which is known only now: what was made of it is made again.
      self = TraceLoader(file: file, path: path, options: options)
      readNames()
      readRecords()
    }
    guard times.count > 0 else { throw TraceError("\(path): the trace holds no timed record") }
    return try finish(
      start: Timestamp(nanoseconds: times.earliest), end: Timestamp(nanoseconds: times.latest))
  }

  private mutating func readRecords() {
    let treatments = treatments
    let file = file
    let packing = state.wakeups.packing
    times = file.forEachPartAhead(demands, beside: packing.pack) { part in
      treatments.withUnsafeBufferPointer { treatments in
        var lookedAt = OffsetSpan()
        guard let base = part.records.baseAddress else { return lookedAt }
        let count = part.records.count
        for place in 0..<count {
          if part.mayName {
            let later = base + min(place + Self.lookahead, count - 1)
            if let offset = later.pointee.offset { file.fetch(offset) }
          }
          if !hasStarted, base[place].time > 0 {
            begin(at: Timestamp(nanoseconds: part.earliest))
          }
          if let offset = base[place].offset {
            lookedAt.note(offset)
            consume(file.record(at: offset))
          } else {
            consume(base + place, treatments)
          }
        }
        return lookedAt
      }
    }
  }

  /// Traces of Lull's own end with the names of what stands before.
  private mutating func readNames() {
    guard nameDecoders.contains(where: { $0 != nil }) else { return }
    file.forEachSample(ofAttributes: nameDecoders.map { $0 != nil }) { record in
      if let decode = nameDecoders[Int(record.attribute)] { run(decode, record) }
    }
    state.stacks.sortNames()
  }

  @inline(__always)
  private mutating func consume(
    _ record: UnsafePointer<OrderedRecord>, _ treatments: UnsafeBufferPointer<Treatment>
  ) {
    let treatment = treatments[record.pointee.attribute]
    if let byTracepoint = treatment.showsRuns, !record.pointee.isShown {
      SchedulerDecoder.foundRunning(
        record.pointee.tid, byTracepoint: byTracepoint, at: record.pointee.timestamp, &state)
    }
    treatment.frequent?.pass(record.pointee, &state)
  }

  private mutating func consume(_ record: RecordEntry) {
    guard record.type == RecordType.sample else { return sideBand(record) }
    let attribute = Int(record.attribute)
    guard attribute >= 0 else {
      undecodable["sample of an unknown event", default: 0] += 1
      return
    }
    if let byTracepoint = treatments[attribute].showsRuns {
      SchedulerDecoder.foundRunning(
        record.tid, byTracepoint: byTracepoint, at: record.timestamp, &state)
    }
    if let decode = decoders[attribute] { run(decode, record) }
  }

  private mutating func begin(at start: Timestamp) {
    hasStarted = true
    state.schedule.starts(at: start)
    if let window = options.window { state.calls.window = window.range(from: start) }
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
    return PathProbeDecoder.decoders[probe] ?? JobDecoder.decoders[probe]
      ?? TestRunnerDecoder.decoders[probe]
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
        state.calls.exec(pid: comm.pid)
        state.descriptors.exec(comm.pid, at: time)
      }
    case RecordType.fork:
      guard let task = file.task(record) else { return }
      let name = state.schedule.name(of: task.parentTid) ?? ""
      state.schedule.begin(tid: task.tid, pid: task.pid, name: name, at: time)
      state.processes.forked(pid: task.pid, from: task.parentPid, name: name, at: time)
      state.descriptors.forked(task.pid, from: task.parentPid)
      state.calls.begin(tid: task.tid)
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
    var wakeups = state.wakeups.finish()
    state.weights.complete(&wakeups)
    let threads = state.schedule.finish(at: end)
    var processes = state.processes.finish(threads: threads)
    guard !processes.isEmpty else {
      throw TraceError(
        "\(path): the trace names no process; it was cut off before the recording began, or was "
          + "recorded without task events")
    }
    let operations = state.operations.resolved(by: state.descriptors, sites: state.writeSites)
    let sends = CallSiteDecoder.nearest(
      state.sendSites, state.transfers.lazy.map { (tid: $0.tid, time: $0.time) })
    if !sends.isEmpty {
      state.transfers = TransferLog(
        state.transfers.enumerated().lazy.map { index, transfer in
          var told = transfer
          told.stack = sends[index] ?? transfer.stack
          return told
        })
    }
    let countedSpans = CountedSpan.all(of: state.capture)
    ProcessTotals.fill(
      &processes, threads: threads, wakeups: wakeups,
      transfers: TransferTotals.byProcess(state.transfers, counted: countedSpans),
      operations: operations, footprints: state.footprints)
    let tests = TestTracker.hosted(state.tests.runs, processes)
    var subject = try SubjectChoice.choose(
      among: processes, capture: state.capture, asked: options.process,
      recorded: file.features.commandLine, hosts: Set(tests.map(\.pid)))
    var activity = Activity(
      threads: threads, wakeups: wakeups, transfers: state.transfers,
      countedSpans: countedSpans, transferFailures: state.transferFailures,
      spinCalls: state.spinCalls,
      operations: operations, footprints: state.footprints, signals: state.signals,
      samples: state.processorSamples, jobs: state.jobs.runs, createdTasks: state.jobs.created)
    if let programStart = subject.programStart {
      // `swift run` builds, and `sh -c exec` prepares, in the process that is the program later.
      activity.leaveOut(subject.pid, before: programStart)
      subject.start = programStart
    }
    let calls = state.calls.finish(
      subject: subject.pid, ranAnother: subject.programStart != nil)
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
        records: times.count, lostEvents: lostEvents,
        lostSamples: lostSamples, throttled: throttled, truncated: note != nil,
        truncationNote: note, unknownRecords: file.unknownRecords,
        symbolProblems: state.stacks.problems,
        untoldRuns: activity.threads.lazy.filter { $0.pid == subject.pid }
          .reduce(0) { $0 + $1.untoldRuns }, undecodable: undecodable),
      capture: state.capture, start: start, end: end, processes: processes,
      threads: activity.threads, stacks: state.stacks.table, wakeups: activity.wakeups,
      transfers: activity.transfers, countedSpans: activity.countedSpans,
      connections: state.sockets.connections,
      listeners: state.sockets.listeners, transferFailures: activity.transferFailures,
      spinCalls: activity.spinCalls, marks: state.marks, contents: state.contents,
      tests: tests,
      fileOperations: activity.operations, calls: calls, footprints: activity.footprints,
      counters: state.counters, signals: activity.signals,
      processorSamples: activity.samples, jobs: activity.jobs,
      createdTasks: activity.createdTasks,
      eventNames: Set(file.attributes.map(\.name)), architecture: file.features.architecture,
      subject: subject)
  }

  private func truncationNote() -> String? {
    if file.isTruncated { return "the file was not finished: its tail is missing" }
    if let capture = state.capture, !capture.complete {
      return "the recorder did not reach its end"
    }
    return nil
  }
}
