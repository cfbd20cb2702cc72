import PerfData
import Quantities
import Rules
import Signals

@testable import Reporting
@testable import TraceModel

/// Signals of an invented program whose figures are easy to recognise in a report.
enum SampleReport {
  static let frame = StackFrame(
    function: "Loader.loadAll()", module: "server", file: "/build/Sources/Loader.swift", line: 42,
    isProgram: true)

  static func signals() -> SignalSet {
    var signals = SignalSet(durationSeconds: 60)
    signals.mainThread = MainThreadSignal(
      threadID: 100, threadName: "server", foundBy: "first thread, in a run loop",
      hasEventLoop: true, turns: 1200, runningSeconds: 3.5, runnableSeconds: 0.25,
      blockedSeconds: 2.25, idleSeconds: 54, blockedByCause: [.file: 1.5, .lock: 0.75],
      hangs: [
        Hang(
          start: 3.25, durationSeconds: 2.125, severity: .critical, runningSeconds: 0.125,
          runnableSeconds: 0, blockedByCause: [.file: 2], stack: [frame])
      ],
      blockings: [Blocking(cause: .file, seconds: 1.5, count: 3, stack: [frame])])
    signals.threads = [
      ThreadSignal(tid: 100, name: "server", role: .main, cpuSeconds: 3.5, wakeups: 700)
    ]
    signals.wakeups = WakeupSignal(
      total: 6000, perSecond: 100, idle: 1800, idlePerSecond: 30,
      byCause: [.timer: 4000, .network: 2000],
      timers: [TimerSignal(tid: 100, thread: "server", periodSeconds: 0.01, count: 4000)])
    signals.network = NetworkSignal(
      sends: 12, receives: 14, bytesSent: 12_000, bytesReceived: 140_000,
      connections: [
        ConnectionSignal(
          protocol: "tcp", local: "10.0.0.1:5000", remote: "192.0.2.1:443", opened: 1)
      ],
      bursts: [
        Burst(
          start: 1, bytesSent: 12_000, bytesReceived: 140_000, class: .application,
          remotes: ["192.0.2.1"], energyJoules: 12.5, tailEnergyJoules: 12)
      ],
      radio: RadioUse(
        profile: "lte-2012", stateSeconds: ["tail": 11.5, "idle": 48.5], energyJoules: 12.5,
        tailEnergyJoules: 12, dutyCycle: 0.2))
    signals.disk = DiskSignal(
      writes: 40, bytesWritten: 4_000_000, smallWrites: 30, syncs: 4, syncSeconds: 0.5,
      writesPerMinute: 40, writeBursts: 5, deviceBytesWritten: 4_100_000,
      files: [FileUse(path: "/var/lib/app/state.db", writes: 40, bytesWritten: 4_000_000)])
    signals.memory = MemorySignal(
      peakFootprintBytes: 120_000_000, endFootprintBytes: 100_000_000,
      peakResidentBytes: 150_000_000, growthBytesPerMinute: 1000, growthInterval: [-500, 2500],
      majorFaults: 2, minorFaults: 40_000,
      samples: [MemorySample(time: 0, footprintBytes: 1, residentBytes: 2)])
    signals.cpu = CPUSignal(
      totalSeconds: 6, userSeconds: 5, systemSeconds: 1, medianShare: 0.1, p95Share: 0.4)
    signals.energy = EnergySignal(totalJoules: 40, cpuJoules: 10, radioJoules: 12.5)
    signals.lifecycle = LifecycleSignal(launchSeconds: 0.35, launchHow: "first event wait")
    return signals
  }

  static func report(
    signals: SignalSet = signals(), process: ProcessModel = process(),
    capture: CaptureEvent? = capture()
  ) -> Report {
    let evaluation = Evaluator.evaluate(signals)
    return Report(
      schema: Report.schema, generator: Generator(name: "lull", version: "0.0.0"),
      trace: ReportBuilder.section(of: metadata()),
      process: ReportBuilder.section(of: process),
      processes: [
        ReportBuilder.totals(
          of: process, beside: process, capture, start: process.start, signals)
      ],
      capture: ReportBuilder.section(
        of: capture, of: process, start: Timestamp(nanoseconds: 0), signals),
      score: ReportBuilder.section(of: evaluation, on: metadata()),
      signals: SignalBuilding.build(
        signals, counters: [CounterSeries(name: "instructions", value: 123_456_789)]),
      blame: BlameBuilding.build(signals.blame),
      audits: evaluation.audits.map(AuditBuilding.audit),
      opportunities: evaluation.opportunities.map(AuditBuilding.opportunity),
      overview: OverviewSection(
        secondsPerColumn: 1, mainThreadBusy: [0, 0.5, 1], cores: [0.1, 0, 1.5], wakeups: [4, 8, 0],
        networkBytes: [0, 0, 0], diskBytes: [], footprintBytes: [1, 2, 3]))
  }

  static func metadata() -> TraceMetadata {
    TraceMetadata(
      path: "server.perf.data", startWallNanoseconds: 1_795_271_825_250_000_000,
      durationSeconds: 60, hostname: "host", kernel: "6.18.0", cpuCount: 2,
      cpuModel: "Imagined CPU", records: 10_000, lostEvents: 0,
      lostSamples: 0, throttled: 0, truncated: false, truncationNote: nil, unknownRecords: 0,
      undecodable: [:])
  }

  static func process(name: String = "server", isSwift: Bool = true) -> ProcessModel {
    ProcessModel(
      pid: 100, parentPid: 99, name: name, executable: "/build/.build/release/server",
      commandLine: ["server", "--port", "8080"], isSwift: isSwift,
      swiftVersion: isSwift ? "Swift 6.3.1" : nil, exitStatus: 0, signal: nil,
      start: Timestamp(nanoseconds: 0), end: nil, threadCount: 4, children: [101],
      peakResidentBytes: nil, cpuSeconds: 6, wakeups: 6000, bytesWritten: 4_000_000,
      bytesSent: 12_000, bytesReceived: 140_000, peakFootprintBytes: 120_000_000)
  }

  static func capture() -> CaptureEvent {
    CaptureEvent(
      mode: .wrap, scope: .system, privilege: "root", commandLine: ["server"], rootPid: 100,
      intervalNs: 100_000_000,
      unavailable: [.init(signal: "counters", reason: "no PMU in this virtual machine")],
      overheadCPUSeconds: 0.6, complete: true,
      sampled: [
        .init(source: "raw_syscalls:sys_exit", fromNs: 0, toNs: 2_000_000_000, period: 8)
      ], exactCounts: [.init(source: "raw_syscalls:sys_exit", count: 123_456)],
      lullVersion: "0.0.0")
  }
}
