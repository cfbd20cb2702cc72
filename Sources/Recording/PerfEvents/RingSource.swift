import PerfData

/// Perf events as a source: what the kernel writes to their rings.
final class RingSource: RecordingSource {
  let events: EventSet
  let drain: RingDrain
  private let governor: RateGovernor
  private let tracingData: TracingData?
  private let pid: Int32
  /// Processes that have run another program since they began.
  private var executed: Set<Int32> = []
  private var strangerWakes = StrangerWakes()

  init(
    events: EventSet, governor: RateGovernor, tracefs: TraceFS?, pid: Int32,
    tellsProcesses: Bool = true
  ) {
    self.events = events
    self.governor = governor
    tracingData = tracefs.map {
      TracingData(
        headerPage: $0.headerPage, headerEvent: $0.headerEvent, formats: events.formats)
    }
    self.pid = pid
    drain = RingDrain(events: events, governor: governor, tellsProcesses: tellsProcesses)
  }

  var attributes: [EventAttribute] { events.attributes }

  var unavailable: [CaptureEvent.Unavailable] { events.unavailable }

  var lostRecords: UInt64 { drain.lostRecords }

  func takeLossBeginning() -> UInt64? { drain.takeLossBeginning() }

  func descriptors(now: UInt64) -> [Int32] {
    let areHeard = strangerWakes.areHeard(now: now)
    return events.rings.lazy.filter { areHeard || !$0.wakesAtOnce }.map(\.descriptor)
  }

  func collect(_ round: Round) throws(PerfDataError) {
    round.tell(try drain.drain(into: round.sink, now: round.now))
    strangerWakes.note(drain.takeStrangers(), now: round.now)
    let learnt = drain.kernelThreadIDs.takeFresh()
    if !learnt.isEmpty {
      try round.sink.append(ThreadIDsEvent(threads: learnt), pid: pid, time: round.now)
    }
    if !round.isLast, !governor.isBetweenSlices { events.refreshFrequencies(now: round.now) }
  }

  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    switch observation {
    case .processBegan(let pid, _, _):
      strangerWakes.targetBegan()
      executed.remove(pid)
    case .processExecuted(let pid, _, _):
      strangerWakes.targetBegan()
      // What was started by fork has a single thread at its first exec, whose events are its own.
      if !executed.insert(pid).inserted { events.keepProbes(in: pid) }
    default: break
    }
  }

  func endPart(_ round: Round) throws(PerfDataError) { try writeLosses(round) }

  func beginPart(_ round: Round) throws(PerfDataError) {
    if drain.isNamespaced {
      try round.sink.append(
        ThreadIDsEvent(threads: drain.kernelThreadIDs.all), pid: pid, time: round.now)
    }
    guard let id = events.attributes.first?.ids.first else { return }
    for record in drain.standingWaits?.records(at: round.now, id: id) ?? [] {
      try round.sink.append(record)
    }
  }

  func stop() { events.disable() }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    try writeLosses(round)
  }

  /// The kernel tells a loss with the next record that fits; after the last one none does.
  private func writeLosses(_ round: Round) throws(PerfDataError) {
    var total: UInt64 = 0
    for index in events.events.indices { total += events.count(index).lost }
    let untold = drain.noteUntold(total)
    guard untold > 0, let id = events.attributes.first?.ids.first else { return }
    try round.sink.append(
      RecordBuilder.lost(records: untold, time: round.now, pid: pid, tid: pid, id: id))
  }

  func describe(_ summary: inout RecordingSummary) {
    summary.features.tracingData = tracingData
    summary.features.buildIDs = drain.buildIDs.entries.sorted { $0.key < $1.key }
      .map { BuildIDEntry(path: $0.key, buildID: $0.value) }
    if drain.lastTime > 0, drain.tellsProcesses {
      summary.features.sampleTime = SampleTimeRange(first: drain.firstTime, last: drain.lastTime)
    }
    summary.capture.recordsLargeReads = events.events.contains {
      $0.spec.payload == .systemCall && !$0.ids.isEmpty
    }
  }
}
