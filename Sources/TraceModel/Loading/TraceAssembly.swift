import Files
import PerfData
import Quantities
import Symbols

extension TraceLoader {
  /// The trace, of what decoders and trackers hold when all records are read.
  mutating func assemble(
    from start: Timestamp, to end: Timestamp, records: Int
  ) throws(TraceError) -> Trace {
    try fillTables(until: end)
    var subject = try SubjectChoice.choose(
      among: state.tables.processes, capture: state.capture, asked: options.process,
      trigger: state.trigger?.pid, recorded: file.features.commandLine,
      hosts: Set(state.tables.tests.map(\.pid)))
    if let programStart = subject.programStart {
      // `swift run` builds, and `sh -c exec` prepares, in the process that is the program later.
      let before = state.tables.lastCounts(of: subject.pid, before: programStart)
      state.tables.leaveOut(subject.pid, before: programStart)
      if let before {
        state.tables.count(subject.pid, from: before, at: programStart)
        // What a parent learns at the exit is of all that the process was.
        subject.peakResidentBytes = nil
      }
      state.tables.fillSampledTimes()
      subject.start = programStart
      subject.earlier = state.tables.leftOut(of: subject)
    }
    let calls = state.calls.finish(
      subject: subject.pid, ranAnother: subject.programStart != nil)
    let unseen = state.unseen.ways(of: subject, descriptors: state.descriptors)
    let isWithin = state.capture?.recorder == CaptureEvent.processRecorder
    state.capture?.unavailable += UnseenWrites.explanations(
      of: unseen.ways, mapped: unseen.mapped, isWithin: isWithin)
    if events.missesWakes { state.capture?.unavailable.append(FileEvents.wakesWereMissed) }
    var trace = Trace(
      metadata: metadata(of: subject, from: start, to: end, records: records),
      capture: state.capture, start: start, end: end, tables: state.tables,
      stacks: state.stacks.table, calls: calls, eventNames: events.names,
      architecture: file.features.architecture, subject: subject)
    trace.metadata.untoldWrites = state.operations.untold(
      of: subject.pid, from: subject.programStart ?? start, by: state.descriptors,
      state.weights)
    trace.metadata.unseenWays = unseen.ways
    trace.trigger = state.trigger
    trace.processorEvent = events.processorEvent
    trace.tellsRuns = events.tellsRuns
    return trace
  }

  /// Adds what trackers hold to what decoders put into the tables.
  private mutating func fillTables(until end: Timestamp) throws(TraceError) {
    state.tables.wakeups = state.wakeups.finish()
    state.weights.complete(&state.tables.wakeups)
    state.tables.threads = state.schedule.finish(at: end)
    var nested = NestedWaits(state.stacks.table)
    nested.tell(&state.tables.threads)
    state.tables.processes = state.processes.finish(threads: state.tables.threads)
    completeThreadNames()
    guard !state.tables.processes.isEmpty else {
      throw TraceError(
        "\(path): the trace names no process; it was cut off before the recording began, or was "
          + "recorded without task events")
    }
    state.tables.fileOperations = state.operations.resolved(
      by: state.descriptors, state.weights, sites: state.callSites.writes,
      waitsOf: state.tables.threads)
    state.tables.openFiles = state.descriptors.openFiles()
    state.tables.transfers.add(state.callSites.sends)
    state.tables.countedSpans = CountedSpan.all(of: state.capture)
    state.sockets.claim(state.tables.transfers.add(state.sockets.late))
    state.sockets.claimAccepted()
    state.sockets.endFinishes(
      at: state.tables.processes.reduce(into: [:]) { ends, process in
        ends[process.pid] = process.end
      })
    state.tables.connections = state.sockets.connections
    state.tables.listeners = state.sockets.listeners
    state.tables.jobs = state.jobs.finish(
      threads: state.tables.threads, at: end,
      isWhole: state.lostEvents == 0 && state.lostSamples == 0)
    state.tables.createdTasks = state.jobs.created
    state.tables.tests = TestTracker.hosted(state.tests.runs, state.tables.processes)
    if !events.tellsRuns, events.processorEvent?.isClock == true {
      for index in state.tables.threads.indices { state.tables.threads[index].sampledTime = .zero }
    }
    state.tables.fillProcessTotals()
  }

  private mutating func completeThreadNames() {
    let programs = Dictionary(
      state.tables.processes.map { ($0.pid, $0.name) }, uniquingKeysWith: { _, last in last })
    for index in state.tables.threads.indices {
      let thread = state.tables.threads[index]
      state.tables.threads[index].name = WholeName.ofThread(
        thread.name, program: programs[thread.pid])
    }
  }

  private func metadata(
    of subject: ProcessModel, from start: Timestamp, to end: Timestamp, records: Int
  ) -> TraceMetadata {
    let wall = file.features.clockData.map {
      $0.wallNanoseconds &+ (start.nanoseconds &- $0.clockNanoseconds)
    }
    let note = truncationNote()
    var undecodable = state.undecodable
    for event in events.decoded { undecodable.merge(event.undecodable) { $0 + $1 } }
    if file.implausibleTimes > 0 {
      undecodable["of a time that no clock can have had"] = file.implausibleTimes
    }
    return TraceMetadata(
      path: path, startWallNanoseconds: wall, durationSeconds: (end - start).seconds,
      hostname: file.features.hostname, kernel: file.features.osRelease,
      cpuCount: file.features.cpusOnline ?? 1, cpuModel: file.features.cpuDescription,
      records: records, lostEvents: state.lostEvents, lostSamples: state.lostSamples,
      throttled: state.throttled,
      lossNote: file.tellsLosses
        ? note.map { _ in "not known of the part that is missing" }
        : "not known: the text of perf script does not tell",
      truncated: note != nil, truncationNote: note,
      unknownRecords: file.unknownRecords, symbolProblems: state.stacks.problems,
      nameDoubts: endWall(wall, lasting: end - start).map(state.stacks.doubts) ?? [],
      lineProblems: state.stacks.linesProblems,
      untoldRuns: state.tables.threads.lazy.filter { $0.pid == subject.pid }
        .reduce(0) { $0 + $1.untoldRuns },
      undecodable: undecodable,
      isSubjectByUse: SubjectChoice.isByUse(
        among: state.tables.processes, capture: state.capture, asked: options.process,
        recorded: file.features.commandLine))
  }

  /// When the recording ended, in nanoseconds since 1970; where it does not tell, when its file was last written to.
  private func endWall(_ start: UInt64?, lasting length: TimeSpan) -> UInt64? {
    if let start { return start &+ UInt64(clamping: length.nanoseconds) }
    return FileIdentity(path)?.modified
  }

  private func truncationNote() -> String? {
    if options.isOngoing { return nil }
    if file.isTruncated { return "the file was not finished: its tail is missing" }
    if let capture = state.capture, !capture.complete {
      return "the recorder did not reach its end"
    }
    return nil
  }
}
