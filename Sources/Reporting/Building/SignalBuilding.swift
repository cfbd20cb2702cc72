import Signals
import TraceModel

/// Turns measured signals into the sections of a report.
enum SignalBuilding {
  static func build(_ signals: SignalSet, counters: [CounterSeries]) -> SignalsSection {
    SignalsSection(
      mainThread: signals.mainThread.map { mainThread($0, signals.lifecycle) },
      threads: signals.threads.map(thread),
      criticalThreads: signals.criticalThreads.map(criticalThread),
      serialQueues: signals.serialQueues.isEmpty ? nil : signals.serialQueues.map(serialQueue),
      wakeups: signals.wakeups.map(wakeups),
      network: signals.network.map(TransferBuilding.network),
      disk: signals.disk.map(TransferBuilding.disk),
      memory: signals.memory.map(memory),
      cpu: signals.cpu.map(cpu),
      energy: signals.energy.map { EnergyBuilding.section($0, of: signals) },
      counters: counters.sorted { $0.name < $1.name }.map {
        CounterReading(name: $0.name, value: $0.value.finite, unit: $0.unit)
      }, worstMinutes: signals.worstMinutes,
      concurrency: signals.concurrency.map(concurrency),
      systemCalls: signals.systemCalls?.map(systemCall))
  }

  private static func systemCall(_ signal: SystemCallSignal) -> SystemCallSection {
    SystemCallSection(
      tid: signal.tid, thread: signal.thread, call: signal.call, count: signal.count,
      errors: signal.errors, seconds: signal.seconds?.finite,
      shortestSeconds: signal.shortestSeconds?.finite, meanSeconds: signal.meanSeconds?.finite,
      longestSeconds: signal.longestSeconds?.finite)
  }

  private static func concurrency(_ signal: ConcurrencySignal) -> ConcurrencySection {
    ConcurrencySection(
      jobs: signal.jobs, mainActorJobs: signal.mainActorJobs,
      mainActorSeconds: signal.mainActorSeconds.finite, tasksCreated: signal.tasksCreated,
      longestJobs: signal.longestJobs.map(job), longestWaits: signal.longestWaits.map(job),
      stopped: signal.stopped)
  }

  private static func job(_ job: JobSignal) -> JobSection {
    JobSection(
      start: job.start.finite, durationSeconds: job.durationSeconds.finite,
      waitSeconds: job.waitSeconds?.finite, tid: job.tid, isMainActor: job.isMainActor,
      function: job.frame?.function, module: job.frame?.module, file: job.frame?.file,
      line: job.frame?.line)
  }

  static func frame(_ frame: StackFrame) -> ReportFrame {
    ReportFrame(
      function: frame.function, module: frame.module, file: frame.file, line: frame.line,
      isProgram: frame.isProgram, isTailCall: frame.isTailCall)
  }

  private static func mainThread(
    _ signal: MainThreadSignal, _ lifecycle: LifecycleSignal?
  ) -> MainThreadSection {
    MainThreadSection(
      tid: signal.threadID, name: signal.threadName, foundBy: signal.foundBy,
      hasEventLoop: signal.knownEventLoop, turns: signal.turns,
      turnsAreLeast: signal.turnsAreLeast ? true : nil,
      fewestHangs: signal.hangCounts?.lowerBound, mostHangs: signal.hangCounts?.upperBound,
      shortTurnsUntold: signal.shortTurnsUntold ? true : nil,
      untoldSeconds: signal.untold.doubt == nil ? nil : signal.untold.seconds.finite,
      runningSeconds: signal.runningSeconds.finite,
      runnableSeconds: signal.runnableSeconds.finite,
      blockedSeconds: signal.blockedSeconds.finite, idleSeconds: signal.idleSeconds.finite,
      blockedByCause: signal.blockedByCause.byName.mapValues(\.finite),
      launchSeconds: lifecycle?.launchSeconds?.finite,
      launchHow: lifecycle?.launchHow,
      terminationSeconds: lifecycle?.terminationSeconds?.finite,
      hangs: signal.hangs.map { hang in
        HangSection(
          start: hang.start.finite, durationSeconds: hang.durationSeconds.finite,
          severity: hang.severity.rawValue, runningSeconds: hang.runningSeconds.finite,
          runnableSeconds: hang.runnableSeconds.finite,
          blockedByCause: hang.blockedByCause.byName.mapValues(\.finite),
          blamedFunction: hang.blamedFunction, stack: hang.stack.map(frame))
      },
      blockings: signal.blockings.map(blocking))
  }

  private static func blocking(_ blocking: Blocking) -> BlockingSection {
    BlockingSection(
      cause: blocking.cause.rawValue, seconds: blocking.seconds.finite, count: blocking.count,
      waker: blocking.waker, stack: blocking.stack.map(frame))
  }

  private static func criticalThread(_ thread: CriticalThread) -> CriticalThreadSection {
    CriticalThreadSection(
      tid: thread.tid, name: thread.name, role: thread.role.rawValue, turns: thread.turns,
      longestTurnSeconds: thread.longestTurnSeconds.finite,
      turnMedianSeconds: thread.turnLengths?.median?.finite,
      turnP95Seconds: thread.turnLengths?.p95?.finite,
      turnP99Seconds: thread.turnLengths?.p99?.finite,
      runningSeconds: thread.runningSeconds.finite,
      runnableSeconds: thread.runnableSeconds.finite, idleSeconds: thread.idleSeconds.finite,
      blockedSeconds: thread.blockedSeconds.finite,
      blockedByCause: thread.blockedByCause.byName.mapValues(\.finite),
      blockings: thread.blockings.map(blocking))
  }

  private static func serialQueue(_ signal: SerialQueueSignal) -> SerialQueueSection {
    SerialQueueSection(
      label: signal.label.isEmpty ? nil : signal.label,
      blockedSeconds: signal.blockedSeconds.finite, longestSeconds: signal.longestSeconds.finite,
      blockedByCause: signal.blockedByCause.byName.mapValues(\.finite),
      cpuSeconds: signal.cpuSeconds?.finite, blockings: signal.blockings.map(blocking))
  }

  private static func thread(_ signal: ThreadSignal) -> ThreadSection {
    ThreadSection(
      tid: signal.tid, name: signal.name, role: signal.role.rawValue,
      cpuSeconds: signal.cpuSeconds.finite,
      wakeups: signal.wakeups, idleWakeups: signal.idleWakeups,
      blockedSeconds: signal.blockedSeconds.finite)
  }

  private static func wakeups(_ signal: WakeupSignal) -> WakeupSection {
    // A report lists them all, be they zero.
    let causes = WakeupCause.allCases.map { ($0.rawValue, signal.byCause[$0] ?? 0) }
    return WakeupSection(
      total: signal.total, isLeast: signal.isLeast ? true : nil,
      perSecond: signal.perSecond.finite, idle: signal.idle,
      idlePerSecond: signal.idlePerSecond.finite, foundCPUIdle: signal.foundCPUIdle,
      byCause: Dictionary(uniqueKeysWithValues: causes),
      timers: signal.timers.map { timer in
        TimerSection(
          tid: timer.tid, thread: timer.thread, periodSeconds: timer.periodSeconds.finite,
          jitterSeconds: timer.jitterSeconds.finite, count: timer.count,
          expiredWithoutWork: timer.expiredWithoutWork, stack: timer.stack.map(frame))
      })
  }

  private static func memory(_ signal: MemorySignal) -> MemorySection {
    MemorySection(
      peakFootprintBytes: signal.peakFootprintBytes,
      leastPeakFootprintBytes: signal.leastPeakFootprintBytes < signal.peakFootprintBytes
        ? signal.leastPeakFootprintBytes : nil,
      peakIsLeast: signal.peakIsLeast ? true : nil,
      endFootprintBytes: signal.endFootprintBytes,
      unreadSecondsAtEnd: signal.unreadSecondsAtEnd?.finite,
      peakResidentBytes: signal.peakResidentBytes,
      growthBytesPerMinute: signal.growthBytesPerMinute?.finite,
      growthInterval: signal.growthInterval?.map(\.finite),
      majorFaults: UInt64(clamping: signal.majorFaults),
      minorFaults: UInt64(clamping: signal.minorFaults),
      samples: signal.samples.map { sample in
        MemorySampleSection(
          time: sample.time.finite, footprintBytes: sample.footprintBytes,
          residentBytes: sample.residentBytes)
      })
  }

  private static func cpu(_ signal: CPUSignal) -> CPUSection {
    CPUSection(
      totalSeconds: signal.totalSeconds.finite, userSeconds: signal.userSeconds?.finite,
      systemSeconds: signal.systemSeconds?.finite, medianShare: signal.medianShare.finite,
      p95Share: signal.p95Share.finite)
  }
}

extension Dictionary where Key: RawRepresentable<String> {
  /// Keyed as a report is.
  fileprivate var byName: [String: Value] {
    [String: Value](uniqueKeysWithValues: map { ($0.key.rawValue, $0.value) })
  }
}
