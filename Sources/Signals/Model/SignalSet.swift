/// The things that are measured, by which a rule says what it needs.
package enum SignalKind: String, Sendable, CaseIterable {
  case mainThread, wakeups, network, disk, memory, cpu, lifecycle, counters
}

/// Everything that was measured in one recording, as the rules read it.
///
/// A signal that could not be recorded is nil, with the reason in `unavailable`; it is never zero.
package struct SignalSet: Sendable, Equatable {
  /// Length of the recording.
  package var durationSeconds: Double
  /// Whether the process was recorded from its start on: else what it did before is not known.
  package var isSeenStarting = true
  /// Whether it was recorded from its start to its end.
  package var isWholeRun = false
  /// The main thread.
  package var mainThread: MainThreadSignal?
  /// All threads.
  package var threads: [ThreadSignal]
  /// Threads on which others depend, the most blocked first.
  package var criticalThreads: [CriticalThread]
  /// What else may have been tasks'.
  package var untoldTaskWaits = UntoldTaskWaits()
  /// Serial queues other than the main one, those that took longest first.
  package var serialQueues: [SerialQueueSignal] = []
  /// Wakeups.
  package var wakeups: WakeupSignal?
  /// Network and radio.
  package var network: NetworkSignal?
  /// Disk.
  package var disk: DiskSignal?
  /// Memory.
  package var memory: MemorySignal?
  /// CPU.
  package var cpu: CPUSignal?
  /// Energy.
  package var energy: EnergySignal?
  /// Launch and termination.
  package var lifecycle: LifecycleSignal?
  /// Swift concurrency; nil where its runtime was not recorded.
  package var concurrency: ConcurrencySignal?
  /// Which functions caused what was measured.
  package var blame: BlameTables
  /// Of a long recording, the minute in which each signal was worst.
  package var worstMinutes: [WorstMinute] = []
  /// Nil where nothing was lost.
  package var lost: LostRecords?
  /// Why a signal is missing.
  package var unavailable: [SignalKind: String]
  /// Why it is not known what threads did, whichever the main one is; nil where it is.
  package var threadsUnavailable: String?
  /// Energy priors that savings are computed with.
  package var priors: EnergyPriors
  /// Threads made and ended.
  package var churn: ThreadChurnSignal?
  /// Busy waiting.
  package var spins: SpinSignal?
  /// System calls by thread, those that took longest first; nil where not all were recorded.
  package var systemCalls: [SystemCallSignal]?
  /// Phases of the program's life, in order.
  package var phases: [Phase]
  /// Moments with names, in order of time.
  package var marks: [Mark]
  /// Spans with names, in order of their beginning.
  package var intervals: [Interval]
  /// Path of the program.
  package var executable: String?
  /// Devices, sockets and other special paths that were opened or connected to.
  package var openedPaths: [String]

  /// How much of the executable is code, in bytes.
  package var codeBytes: UInt64?
  /// Whether signals to the program were recorded: else it is not known whether it was told to end.
  package var signalsMeasured = true
  /// Locks and inhibitors; nil where the recorder did not look for them.
  package var held: [HeldSignal]?
  /// Nil where the program was neither moved to the background nor told to end, or wrote nothing.
  package var lateSaves: LateSaves?
  /// Nil where the end of the process, or what it did to files, was not recorded.
  package var temporaryFiles: TemporaryFiles?
  /// Nil where no write said where it went and no rewrite was compared.
  package var writeLocality: WriteLocality?
  /// Devices that cost energy while they are held.
  package var accessories: [AccessoryUse] = []
  /// Property lists that were opened.
  package var propertyLists: [PropertyListUse] = []
  /// Nil where the program was not launched in the background.
  package var backgroundLaunch: BackgroundLaunch?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
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
  package func joules(ofIdleWakeups count: Int) -> Double {
    guard let wakeups, wakeups.idle > 0 else { return 0 }
    let share = Double(wakeups.foundCPUIdle) / Double(wakeups.idle)
    return Double(count) * min(1, share) * priors.joulesPerWakeup
  }
}
