import PerfData
import Quantities
import Symbols

/// Reads a trace's records in time order and hands each to the decoder of its event.
struct TraceLoader: ~Copyable {
  let file: PerfDataFile
  let path: String
  let options: TraceOptions
  let events: FileEvents
  var state: LoaderState
  private let purpose: LoadingPurpose
  /// Of samples that hold a copy of a stack those that have no names.
  private var unnamed = UnnamedSamples()
  private var times = RecordTimes()
  private var hasStarted = false
  /// What a record takes here is a tenth of what memory takes to answer.
  private static let lookahead = 16

  init(
    file: PerfDataFile, path: String, options: TraceOptions, modules: ModuleCache = ModuleCache(),
    for purpose: LoadingPurpose = .trace
  ) {
    self.purpose = purpose
    self.file = file
    self.path = path
    self.options = options
    events = FileEvents(file, for: purpose)
    state = LoaderState(stacks: StackTracker(fullNames: options.fullNames, modules: modules))
    state.schedule.processors.count = file.features.cpusOnline ?? 1
    state.hasWakeups = events.names.contains("sched:sched_waking")
    state.stacks.lacksStacks = events.missesWakes
    state.stacks.judgesModules = !events.isOwn
    if !events.isOwn {
      state.stacks.kernelNames = KernelNames(file.features)
      // perf tells them at the end of its file, unless it was asked for them in each mapping.
      state.stacks.buildIDs = Dictionary(
        file.features.buildIDs.map { ($0.path, $0.buildID) },
        uniquingKeysWith: { first, _ in first })
    }
    if events.isNamespaced { state.kernelThreadIDs = KernelThreadIDs() }
    state.infersRuns = events.infersRuns
    state.schedule.tellsRuns = events.tellsRuns
    state.countsCalls = events.countsCalls
    if events.countsCalls, events.names.contains("raw_syscalls:sys_exit"),
      events.names.contains("sched:sched_switch")
    {
      state.callWaits = CallWaits(architecture: file.features.architecture)
      state.schedule.learnsCauses = true
    }
  }

  mutating func load() throws(TraceError) -> Trace {
    try read()
    var trace = try assemble(
      from: Timestamp(nanoseconds: times.earliest), to: Timestamp(nanoseconds: times.latest),
      records: times.count)
    trace.startsLate = trace.capture?.mode == .attach
    trace.ageAtStart = Self.age(of: trace)
    return trace
  }

  private static func age(of trace: Trace) -> TimeSpan? {
    guard trace.startsLate else { return TimeSpan(nanoseconds: 0) }
    guard let capture = trace.capture, capture.rootPid == Int(trace.subject.pid),
      let began = capture.processStartNs
    else { return nil }
    return trace.start - Timestamp(nanoseconds: min(began, trace.start.nanoseconds))
  }

  /// The names that loading found; call it once.
  mutating func names() throws(TraceError) -> FoundNames {
    if !purpose.wantsTrace { try read() }
    return FoundNames(
      stacks: state.stacks, unnamed: unnamed.moments, part: state.capture?.part ?? 0,
      times: times.earliest...times.latest)
  }

  private mutating func read() throws(TraceError) {
    var isOrdered = file.isOrderKnown
    readNames()
    readRecords()
    if file.leaveOutImplausibleTimes(times) {
      self = startedAgain
      isOrdered = false
      readNames()
      readRecords()
    }
    if !isOrdered, file.lateRecords > 0 {
      // The file broke its own order, which is known only now: what was made of it is made again.
      self = startedAgain
      readNames()
      readRecords()
    }
    state.stacks.modules.keep()
    guard times.count > 0 else { throw TraceError("\(path): the trace holds no timed record") }
  }

  /// The same file from its beginning, with the modules that were read.
  private var startedAgain: TraceLoader {
    TraceLoader(
      file: file, path: path, options: options, modules: state.stacks.modules, for: purpose)
  }

  private mutating func readRecords() {
    if purpose.wantsTrace {
      let packing = state.wakeups.packing
      times = file.forEachBatchAhead(events.demands, beside: packing.pack) { take($0) }
    } else {
      // Nobody waits for it, and a core that reads ahead takes memory.
      times = file.forEachBatch(events.demands, isSmall: true) { take($0) }
    }
  }

  /// Takes in some records, and tells which places of the file were looked at.
  private mutating func take(_ batch: OrderedBatch) -> OffsetSpan {
    events.treatments.withUnsafeBufferPointer { treatments in
      var lookedAt = OffsetSpan()
      guard let base = batch.records.baseAddress else { return lookedAt }
      let count = batch.records.count
      for place in 0..<count {
        if batch.mayName {
          let later = base + min(place + Self.lookahead, count - 1)
          if let offset = later.pointee.offset { file.fetch(offset) }
        }
        if !hasStarted, base[place].time > 0 {
          begin(at: Timestamp(nanoseconds: batch.earliest))
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

  /// Traces of Lull's own end with the names of what stands before.
  private mutating func readNames() {
    let isFirst = events.handlers.map { $0?.first != nil }
    if isFirst.contains(true) {
      file.forEachSample(ofAttributes: isFirst) { record in
        if let decode = events.handlers[Int(record.attribute)]?.first { run(decode, record) }
      }
      // Parts before the newest one have told theirs.
      state.stacks.sortNames(
        areWhole: state.capture?.complete != false || state.partsBefore != nil)
    }
    // The newest part of a recording may not have its names yet.
    if state.capture?.part != nil { state.stacks.lacksStacks = true }
    // Other recorders tell of no ids, but their samples do.
    if state.kernelThreadIDs?.isEmpty == true {
      state.kernelThreadIDs = NamespaceCheck(file).threadIDs()
    }
  }

  @inline(__always)
  private mutating func consume(
    _ record: UnsafePointer<OrderedRecord>, _ treatments: UnsafeBufferPointer<EventTreatment>
  ) {
    let treatment = treatments[record.pointee.attribute]
    if let byTracepoint = treatment.showsRuns, !record.pointee.isShown {
      SchedulerDecoder.foundRunning(
        record.pointee.tid, byTracepoint: byTracepoint, at: record.pointee.timestamp, &state)
    }
    treatment.frequent?.pass(record.pointee, &state)
  }

  private mutating func consume(_ record: RecordEntry) {
    guard record.type == RecordType.sample else {
      return purpose.wantsTrace
        ? SideBandDecoder.decode(record, of: file, &state)
        : NameDecoder.sideBand(record, of: file, &state)
    }
    let attribute = Int(record.attribute)
    guard attribute >= 0 else {
      state.undecodable["sample of an unknown event", default: 0] += 1
      return
    }
    if let byTracepoint = events.treatments[attribute].showsRuns {
      SchedulerDecoder.foundRunning(
        record.tid, byTracepoint: byTracepoint, at: record.timestamp, &state)
    }
    let named = state.stacks.seen.count
    if let decode = events.handlers[attribute]?.inPlace { run(decode, record) }
    if purpose.findsNames {
      unnamed.note(
        SampleMoment(time: record.time, tid: record.tid), isCopy: events.areCopies[attribute],
        isNamed: state.stacks.seen.count > named)
    }
  }

  private mutating func begin(at start: Timestamp) {
    hasStarted = true
    state.schedule.starts(at: start)
    if let window = options.window ?? state.trigger?.window(from: start) {
      state.calls.window = window.range(from: start)
    }
  }

  @inline(__always)
  private mutating func run(_ decode: SampleDecoder, _ record: RecordEntry) {
    let event = events.decoded[Int(record.attribute)]
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
}
