/// The things that are measured, by which a rule says what it needs.
public enum SignalKind: String, Sendable, Hashable, Codable, CaseIterable {
  case mainThread, wakeups, network, disk, memory, cpu, lifecycle, counters
}

/// Everything that was measured in one recording, as the rules read it.
///
/// A signal that could not be recorded is nil, with the reason in `unavailable`; it is never zero.
public struct SignalSet: Sendable, Hashable {
  /// Length of the recording.
  public var durationSeconds: Double
  /// The main thread.
  public var mainThread: MainThreadSignal?
  /// All threads.
  public var threads: [ThreadSignal]
  /// Threads on which others depend, the most blocked first.
  public var criticalThreads: [CriticalThread]
  /// Wakeups.
  public var wakeups: WakeupSignal?
  /// Network and radio.
  public var network: NetworkSignal?
  /// Disk.
  public var disk: DiskSignal?
  /// Memory.
  public var memory: MemorySignal?
  /// CPU.
  public var cpu: CPUSignal?
  /// Energy.
  public var energy: EnergySignal?
  /// Launch and termination.
  public var lifecycle: LifecycleSignal?
  /// Swift concurrency; nil where its runtime was not recorded.
  public var concurrency: ConcurrencySignal?
  /// Which functions caused what was measured.
  public var blame: BlameTables
  /// Of a long recording, the minute in which each signal was worst.
  public var worstMinutes: [WorstMinute] = []
  /// Why a signal is missing.
  public var unavailable: [SignalKind: String]
  /// Energy priors that savings are computed with.
  public var priors: EnergyPriors
  /// Threads made and ended.
  public var churn: ThreadChurnSignal?
  /// Busy waiting.
  public var spins: SpinSignal?
  /// System calls by thread, those that took longest first; nil where not all were recorded.
  public var systemCalls: [SystemCallSignal]?
  /// Phases of the program's life, in order.
  public var phases: [Phase]
  /// Moments with names, in order of time.
  public var marks: [Mark]
  /// Spans with names, in order of their beginning.
  public var intervals: [Interval]
  /// Path of the program.
  public var executable: String?
  /// Devices, sockets and other special paths that were opened or connected to.
  public var openedPaths: [String]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    durationSeconds: Double,
    mainThread: MainThreadSignal? = nil,
    threads: [ThreadSignal] = [],
    criticalThreads: [CriticalThread] = [],
    wakeups: WakeupSignal? = nil,
    network: NetworkSignal? = nil,
    disk: DiskSignal? = nil,
    memory: MemorySignal? = nil,
    cpu: CPUSignal? = nil,
    energy: EnergySignal? = nil,
    lifecycle: LifecycleSignal? = nil,
    concurrency: ConcurrencySignal? = nil,
    blame: BlameTables = BlameTables(),
    unavailable: [SignalKind: String] = [:],
    priors: EnergyPriors = EnergyPriors(),
    churn: ThreadChurnSignal? = nil,
    spins: SpinSignal? = nil,
    phases: [Phase] = [],
    marks: [Mark] = [],
    intervals: [Interval] = [],
    executable: String? = nil,
    openedPaths: [String] = []
  ) {
    self.durationSeconds = durationSeconds
    self.mainThread = mainThread
    self.threads = threads
    self.criticalThreads = criticalThreads
    self.wakeups = wakeups
    self.network = network
    self.disk = disk
    self.memory = memory
    self.cpu = cpu
    self.energy = energy
    self.lifecycle = lifecycle
    self.concurrency = concurrency
    self.blame = blame
    self.unavailable = unavailable
    self.priors = priors
    self.churn = churn
    self.spins = spins
    self.phases = phases
    self.marks = marks
    self.intervals = intervals
    self.executable = executable
    self.openedPaths = openedPaths
  }
}

extension SignalSet {
  /// Joules of so many of the idle wakeups: those that found their CPU awake cost nothing of their own.
  public func joules(ofIdleWakeups count: Int) -> Double {
    guard let wakeups, wakeups.idle > 0 else { return 0 }
    let share = Double(wakeups.foundCPUIdle) / Double(wakeups.idle)
    return Double(count) * min(1, share) * priors.joulesPerWakeup
  }
}
