import PerfData
import Quantities
import Rules
import Signals
import TraceModel

/// Makes the report of a trace from what was measured and how it was judged.
package enum ReportBuilder {
  /// The report; equal inputs give equal reports.
  package static func build(
    trace: Trace, signals: SignalSet, evaluation: Evaluation, generatorVersion: String
  ) -> Report {
    var report = Report(
      schema: Report.schema,
      generator: Generator(name: "lull", version: generatorVersion),
      trace: section(of: trace.metadata),
      process: section(of: trace.subject),
      processes: trace.processes.map {
        var totals = totals(
          of: $0, beside: trace.subject, trace.capture, start: trace.start, signals)
        if outlivesCommand($0, trace) { totals.outlivesCommand = true }
        return totals
      },
      capture: section(of: trace.capture, of: trace.subject, start: trace.start, signals),
      score: section(of: evaluation, on: trace.metadata),
      signals: SignalBuilding.build(signals, counters: trace.counters),
      blame: BlameBuilding.build(signals.blame),
      trigger: TriggerBuilding.section(of: trace, signals),
      phases: signals.phases.map(PhaseBuilding.phase),
      marks: signals.marks.map(PhaseBuilding.mark),
      intervals: signals.intervals.map(PhaseBuilding.interval),
      audits: evaluation.audits.map(AuditBuilding.audit),
      opportunities: evaluation.opportunities.map(AuditBuilding.opportunity),
      overview: OverviewBuilding.section(Overview.measure(trace, signals: signals)))
    report.trace.lostSeconds = signals.lost?.seconds?.finite
    report.processes = report.shownProcesses
    if let programStart = trace.subject.programStart, let earlier = trace.subject.earlier,
      let index = report.processes.firstIndex(where: { $0.pid == report.process.pid })
    {
      let own = report.processes[index]
      report.processes[index].earlier = EarlierPrograms(
        until: max(0, (programStart - trace.start).seconds).finite,
        cpuSeconds: own.cpuSeconds == nil ? nil : earlier.cpuSeconds.finite,
        bytesWritten: own.bytesWritten == nil ? nil : earlier.bytesWritten)
    }
    return report
  }

  static func section(of metadata: TraceMetadata) -> TraceSection {
    TraceSection(
      path: metadata.path,
      startTime: metadata.startWallNanoseconds.map(WallClock.text),
      durationSeconds: metadata.durationSeconds.finite,
      hostname: metadata.hostname,
      kernel: metadata.kernel,
      cpuCount: metadata.cpuCount > 0 ? metadata.cpuCount : nil,
      cpuModel: metadata.cpuModel,
      records: UInt64(clamping: metadata.records),
      lostEvents: metadata.lostEvents,
      lostSamples: metadata.lostSamples,
      throttled: UInt64(clamping: metadata.throttled),
      lossNote: metadata.lossNote,
      truncated: metadata.truncated,
      truncationNote: metadata.truncationNote,
      unknownRecords: metadata.unknownRecords,
      symbolProblems: metadata.symbolProblems,
      nameDoubts: metadata.nameDoubts.isEmpty ? nil : metadata.nameDoubts,
      lineProblems: metadata.lineProblems.isEmpty ? nil : metadata.lineProblems,
      untoldRuns: metadata.untoldRuns > 0 ? metadata.untoldRuns : nil,
      undecodable: metadata.undecodable,
      isSubjectByUse: metadata.isSubjectByUse ? true : nil)
  }

  static func section(of process: ProcessModel) -> ProcessSection {
    ProcessSection(
      pid: Int(process.pid), name: process.name, executable: process.executable,
      commandLine: process.commandLine, isSwift: process.isSwift,
      swiftVersion: process.swiftVersion, threadCount: process.threadCount,
      exitStatus: process.exitStatus, signal: process.signal,
      children: process.children.map(Int.init))
  }

  /// A daemon: the command that was to be recorded has ended, and its end is what the recording waited for.
  private static func outlivesCommand(_ process: ProcessModel, _ trace: Trace) -> Bool {
    guard let capture = trace.capture, capture.mode == .wrap, capture.complete,
      capture.processesRecorded?.contains(Int(process.pid)) != false, process.end == nil,
      process.unrecordedFrom == nil,
      let command = trace.processes.first(where: { Int($0.pid) == capture.rootPid })
    else { return false }
    return command.end != nil
  }

  static func totals(
    of process: ProcessModel, beside subject: ProcessModel, _ capture: CaptureEvent?,
    start: Timestamp, _ signals: SignalSet
  ) -> ProcessTotals {
    func isLookedAt(_ process: ProcessModel) -> Bool {
      capture?.looksBesideAt(process.pid) == true
    }
    // What ran a program that could not be recorded, and ended before it was looked at.
    let isUnseen =
      !isLookedAt(process)
      && capture?.processesRecorded?.contains(Int(process.pid)) == false
    let isSeen = !isLookedAt(process) && !isUnseen
    // That the scored process is only looked at says nothing of the others.
    let areOthersSeen = isLookedAt(subject)
    func known(_ signal: (some Any)?) -> Bool { isSeen && (signal != nil || areOthersSeen) }
    // What it wrote is among that of which the files are not known.
    let isUntold =
      process.pid == subject.pid && process.bytesWritten == 0 && signals.disk?.missing != nil
    // Of what is not recorded, as it has other rights, /proc goes on counting.
    let knowsTime = !isUnseen && (signals.cpu != nil || process.cpuSeconds > 0)
    return ProcessTotals(
      pid: Int(process.pid), parentPid: process.parentPid > 0 ? Int(process.parentPid) : nil,
      name: process.name, cpuSeconds: knowsTime ? process.cpuSeconds.finite : nil,
      wakeups: known(signals.wakeups) ? process.wakeups : nil,
      bytesWritten: known(signals.disk) && !isUntold ? process.bytesWritten : nil,
      bytesSent: known(signals.network) ? process.bytesSent : nil,
      bytesReceived: known(signals.network) ? process.bytesReceived : nil,
      peakFootprintBytes: process.peakFootprintBytes > 0
        && !process.outlivedReadings(every: capture?.intervalNs ?? 0)
        ? process.peakFootprintBytes : nil,
      unrecordedFrom: process.unrecordedFrom.map { max(0, ($0 - start).seconds) },
      isLookedAt: isLookedAt(process) ? true : nil)
  }

  static func section(
    of capture: CaptureEvent?, of subject: ProcessModel, start: Timestamp, _ signals: SignalSet
  ) -> CaptureSection {
    var unavailable =
      capture?.unavailable.map { UnavailableSignal(signal: $0.signal, reason: $0.reason) } ?? []
    for (kind, reason) in signals.unavailable.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    where !unavailable.contains(where: { $0.signal == kind.rawValue }) {
      unavailable.append(UnavailableSignal(signal: kind.rawValue, reason: reason))
    }
    let overhead = capture.flatMap { $0.complete ? $0.overheadCPUSeconds.finite : nil }
    return CaptureSection(
      mode: capture?.mode.rawValue, scope: capture?.scope.rawValue,
      privilege: capture?.privilege, unavailable: unavailable,
      overhead: Overhead(cpuSeconds: overhead),
      sampled: capture?.sampled.map { span in
        SampledSource(
          source: span.source, start: seconds(span.fromNs, from: start),
          end: seconds(span.toNs, from: start), period: Double(span.period))
      } ?? [],
      exactCounts: capture?.exactCounts.map {
        ExactCount(source: $0.source, count: Double($0.count))
      } ?? [],
      intervalSeconds: capture.map { Double($0.intervalNs) / 1e9 },
      recorder: capture?.lullVersion,
      rungs: RungBuilding.rungs(of: capture, of: subject.pid, signals))
  }

  private static func seconds(_ time: UInt64, from start: Timestamp) -> Double {
    max(0, (Timestamp(nanoseconds: time) - start).seconds)
  }

  static func section(of evaluation: Evaluation, on metadata: TraceMetadata) -> ScoreSection {
    ScoreSection(
      // What is missing may have been worse than what is there.
      overall: metadata.truncated ? nil : evaluation.overall?.finite,
      measuredShare: evaluation.measuredShare?.finite,
      low: evaluation.low?.finite,
      high: evaluation.high?.finite,
      note: metadata.truncated ? note(onPart: evaluation, metadata) : evaluation.note,
      narrow: evaluation.narrow.finite,
      categories: evaluation.categories.map {
        CategorySection(
          id: $0.id, title: $0.title, score: $0.score?.finite, low: $0.low?.finite,
          high: $0.high?.finite, weight: $0.weight.finite)
      },
      configuration: evaluation.configurationVersion,
      profile: evaluation.profile.rawValue, profileReason: evaluation.profileReason,
      batteryWattHours: evaluation.battery.wattHours.finite)
  }

  private static func note(onPart evaluation: Evaluation, _ metadata: TraceMetadata) -> String {
    let shown = ShownScore(
      score: evaluation.overall, low: evaluation.low, high: evaluation.high,
      narrow: evaluation.narrow)
    let rest = shown.text().map { "that part alone has \($0)" } ?? evaluation.note
    return "it breaks off after \(Figures.seconds(metadata.durationSeconds))"
      + (rest.map { "; \($0)" } ?? "")
  }
}

extension Double {
  /// The number, or zero in place of one that JSON cannot hold.
  var finite: Double { isFinite ? self : 0 }
}
