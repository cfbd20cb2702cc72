import Signals

/// What was measured of the subject, signal by signal; null where it was not.
public struct SignalsSection: Codable, Sendable, Equatable {
  @Nullable public var mainThread: MainThreadSection?
  public var threads: [ThreadSection]
  /// Threads on which others depend, the most blocked first.
  public var criticalThreads: [CriticalThreadSection]
  @Nullable public var wakeups: WakeupSection?
  @Nullable public var network: NetworkSection?
  @Nullable public var disk: DiskSection?
  @Nullable public var memory: MemorySection?
  @Nullable public var cpu: CPUSection?
  @Nullable public var energy: EnergySection?
  public var counters: [CounterReading]
  /// Of a recording of three minutes or more, the minute in which each signal was worst.
  public var worstMinutes: [WorstMinute]
  @Nullable public var concurrency: ConcurrencySection?
  /// System calls by thread, those that took longest first; null where not all were recorded.
  @Nullable public var systemCalls: [SystemCallSection]?
}

/// How often a thread made a system call, and how long it took; times are null where beginnings were not recorded.
public struct SystemCallSection: Codable, Sendable, Equatable {
  public var tid: Int
  public var thread: String
  public var call: String
  /// Calls that came back, with an error or without.
  public var count: Int
  public var errors: Int
  @Nullable public var seconds: Double?
  @Nullable public var shortestSeconds: Double?
  @Nullable public var meanSeconds: Double?
  @Nullable public var longestSeconds: Double?
}

/// What Swift concurrency did: jobs, which are the stretches between two suspensions of a task.
public struct ConcurrencySection: Codable, Sendable, Equatable {
  public var jobs: Int
  public var mainActorJobs: Int
  public var mainActorSeconds: Double
  public var tasksCreated: Int
  /// The longest jobs, longest first.
  public var longestJobs: [JobSection]
  /// The jobs that waited longest for their executor, longest first.
  public var longestWaits: [JobSection]
  /// Why they were not recorded to the end.
  @Nullable public var stopped: String?
}

/// One job of Swift concurrency.
public struct JobSection: Codable, Sendable, Equatable {
  public var start: Double
  public var durationSeconds: Double
  @Nullable public var waitSeconds: Double?
  public var tid: Int
  public var isMainActor: Bool
  /// The function it went on with.
  @Nullable public var function: String?
  @Nullable public var module: String?
  @Nullable public var file: String?
  @Nullable public var line: Int?
}

/// One frame of a call stack, innermost first in a list.
public struct ReportFrame: Codable, Sendable, Equatable {
  public var function: String
  public var module: String
  @Nullable public var file: String?
  @Nullable public var line: Int?
  /// Whether it is the program's own code.
  public var isProgram: Bool
}

extension ReportFrame: ShownFrame {}

/// What the thread that plays the main thread's part did.
public struct MainThreadSection: Codable, Sendable, Equatable {
  public var tid: Int
  public var name: String
  /// How the thread was told from the others.
  public var foundBy: String
  public var hasEventLoop: Bool
  public var turns: Int
  public var runningSeconds: Double
  public var runnableSeconds: Double
  public var blockedSeconds: Double
  public var idleSeconds: Double
  public var blockedByCause: [String: Double]
  @Nullable public var launchSeconds: Double?
  /// What was taken as the end of the launch, or why there is none.
  @Nullable public var launchHow: String?
  @Nullable public var terminationSeconds: Double?
  public var hangs: [HangSection]
  /// Where the thread blocked, the longest first.
  public var blockings: [BlockingSection]
}

/// A turn of the main thread that took too long.
public struct HangSection: Codable, Sendable, Equatable {
  public var start: Double
  public var durationSeconds: Double
  public var severity: String
  public var runningSeconds: Double
  public var runnableSeconds: Double
  public var blockedByCause: [String: Double]
  /// The function of the program's own code that is to blame.
  @Nullable public var blamedFunction: String?
  public var stack: [ReportFrame]
}

/// Waits of one cause with one stack.
public struct BlockingSection: Codable, Sendable, Equatable {
  public var cause: String
  public var seconds: Double
  public var count: Int
  @Nullable public var waker: String?
  public var stack: [ReportFrame]
}

/// What one thread used.
public struct ThreadSection: Codable, Sendable, Equatable {
  public var tid: Int
  public var name: String
  public var role: String
  public var cpuSeconds: Double
  public var wakeups: Int
  public var idleWakeups: Int
  public var blockedSeconds: Double
}

/// How a thread on which others depend was kept from its work.
public struct CriticalThreadSection: Codable, Sendable, Equatable {
  public var tid: Int
  public var name: String
  /// "main", "event loop" or "cooperative pool".
  public var role: String
  public var turns: Int
  public var longestTurnSeconds: Double
  public var runningSeconds: Double
  public var runnableSeconds: Double
  public var idleSeconds: Double
  public var blockedSeconds: Double
  public var blockedByCause: [String: Double]
  /// Where it blocked, the longest first.
  public var blockings: [BlockingSection]
}

/// How often the process's threads were woken.
public struct WakeupSection: Codable, Sendable, Equatable {
  public var total: Int
  public var perSecond: Double
  public var idle: Int
  public var idlePerSecond: Double
  /// Idle wakeups that found their CPU idle; nil in reports of versions that did not count them.
  public var foundCPUIdle: Int?
  public var byCause: [String: Int]
  public var timers: [TimerSection]
}

/// A regular timed wait.
public struct TimerSection: Codable, Sendable, Equatable {
  public var tid: Int
  public var thread: String
  public var periodSeconds: Double
  public var jitterSeconds: Double
  public var count: Int
  public var expiredWithoutWork: Int
  public var stack: [ReportFrame]
}

/// What the process did on the CPU.
public struct CPUSection: Codable, Sendable, Equatable {
  public var totalSeconds: Double
  @Nullable public var userSeconds: Double?
  @Nullable public var systemSeconds: Double?
  /// Share of one core in the median second.
  public var medianShare: Double
  public var p95Share: Double
}

/// The energy the models give, or that was measured.
public struct EnergySection: Codable, Sendable, Equatable {
  public var totalJoules: Double
  public var cpuJoules: Double
  public var wakeupJoules: Double
  public var radioJoules: Double
  public var diskJoules: Double
  /// "modelled" or "measured".
  public var kind: String
  /// What the radio model that gives least and the one that gives most make of the total.
  @Nullable public var low: Double?
  @Nullable public var high: Double?
  /// What the machine's own counter gave, for all its processes together.
  @Nullable public var measuredJoules: Double?
  @Nullable public var measuredBy: String?
  @Elements public var byThread: [ThreadEnergySection] = []
  @Elements public var byFunction: [FunctionEnergySection] = []
}

/// Modelled energy of one thread.
public struct ThreadEnergySection: Codable, Sendable, Equatable {
  public var tid: Int
  public var name: String
  public var cpuJoules: Double
  public var wakeupJoules: Double
}

/// Modelled energy of one function of the program.
public struct FunctionEnergySection: Codable, Sendable, Equatable {
  public var function: String
  public var cpuJoules: Double
  public var radioJoules: Double
}

/// The last reading of a hardware or software counter.
public struct CounterReading: Codable, Sendable, Equatable {
  public var name: String
  public var value: Double
  @Nullable public var unit: String?
}
