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
  /// Why a signal is missing.
  public var unavailable: [SignalKind: String]
  /// Energy priors that savings are computed with.
  public var priors: EnergyPriors

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
    priors: EnergyPriors = EnergyPriors()
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
  }
}
