import Signals

/// What was measured of the subject, signal by signal; null where it was not.
package struct SignalsSection: Codable, Sendable, Equatable {
  @Nullable package var mainThread: MainThreadSection?
  package var threads: [ThreadSection]
  /// Threads on which others depend, the most blocked first.
  package var criticalThreads: [CriticalThreadSection]
  /// Serial dispatch queues other than the main one; left out where none is known.
  package var serialQueues: [SerialQueueSection]?
  @Nullable package var wakeups: WakeupSection?
  @Nullable package var network: NetworkSection?
  @Nullable package var disk: DiskSection?
  @Nullable package var memory: MemorySection?
  @Nullable package var cpu: CPUSection?
  @Nullable package var energy: EnergySection?
  package var counters: [CounterReading]
  /// Of a recording of three minutes or more, the minute in which each signal was worst.
  package var worstMinutes: [WorstMinute]
  @Nullable package var concurrency: ConcurrencySection?
  /// System calls by thread, those that took longest first; null where not all were recorded.
  @Nullable package var systemCalls: [SystemCallSection]?
}

/// How often a thread made a system call, and how long it took; times are null where beginnings were not recorded.
package struct SystemCallSection: Codable, Sendable, Equatable {
  package var tid: Int
  package var thread: String
  package var call: String
  /// Calls that came back, with an error or without.
  package var count: Int
  package var errors: Int
  @Nullable package var seconds: Double?
  @Nullable package var shortestSeconds: Double?
  @Nullable package var meanSeconds: Double?
  @Nullable package var longestSeconds: Double?
}

/// What Swift concurrency did: jobs, which are the stretches between two suspensions of a task.
package struct ConcurrencySection: Codable, Sendable, Equatable {
  package var jobs: Int
  package var mainActorJobs: Int
  package var mainActorSeconds: Double
  package var tasksCreated: Int
  /// The longest jobs, longest first.
  package var longestJobs: [JobSection]
  /// The jobs that waited longest for their executor, longest first.
  package var longestWaits: [JobSection]
  /// Why they were not recorded to the end.
  @Nullable package var stopped: String?
}

/// One job of Swift concurrency.
package struct JobSection: Codable, Sendable, Equatable {
  package var start: Double
  package var durationSeconds: Double
  @Nullable package var waitSeconds: Double?
  package var tid: Int
  package var isMainActor: Bool
  /// The function it went on with.
  @Nullable package var function: String?
  @Nullable package var module: String?
  @Nullable package var file: String?
  @Nullable package var line: Int?
}

/// One frame of a call stack, innermost first in a list.
package struct ReportFrame: Codable, Sendable, Equatable {
  package var function: String
  package var module: String
  @Nullable package var file: String?
  @Nullable package var line: Int?
  /// Whether it is the program's own code.
  package var isProgram: Bool
  /// Whether it left no frame, since calling the function above it was its last act; left out where it did.
  package var isTailCall: Bool?
}

extension ReportFrame: ShownFrame {}

/// What the thread that plays the main thread's part did.
package struct MainThreadSection: Codable, Sendable, Equatable {
  package var tid: Int
  package var name: String
  /// How the thread was told from the others.
  package var foundBy: String
  /// Null where what the thread waited for is not known.
  @Nullable package var hasEventLoop: Bool?
  package var turns: Int
  /// True where they were seen by looks from outside, between which short ones are over. Left out elsewhere.
  package var turnsAreLeast: Bool?
  /// How many hangs there are at least and at most, where turns near 100 ms may be on either side of it. Left out
  /// elsewhere.
  package var fewestHangs: Int?
  package var mostHangs: Int?
  /// True where workers drain the main queue: most turns under 1 ms are not among `turns`. Left out elsewhere.
  package var shortTurnsUntold: Bool?
  /// Work of serial queues that may be the main queue's, and is not in what follows; left out where that is too little
  /// for a hang.
  package var untoldSeconds: Double?
  package var runningSeconds: Double
  package var runnableSeconds: Double
  package var blockedSeconds: Double
  package var idleSeconds: Double
  package var blockedByCause: [String: Double]
  @Nullable package var launchSeconds: Double?
  /// What was taken as the end of the launch, or why there is none.
  @Nullable package var launchHow: String?
  @Nullable package var terminationSeconds: Double?
  package var hangs: [HangSection]
  /// Where the thread blocked, the longest first.
  package var blockings: [BlockingSection]
}

/// A turn of the main thread that took too long.
package struct HangSection: Codable, Sendable, Equatable {
  package var start: Double
  package var durationSeconds: Double
  package var severity: String
  package var runningSeconds: Double
  package var runnableSeconds: Double
  package var blockedByCause: [String: Double]
  /// The function of the program's own code that is to blame.
  @Nullable package var blamedFunction: String?
  package var stack: [ReportFrame]
}

/// Waits of one cause with one stack.
package struct BlockingSection: Codable, Sendable, Equatable {
  package var cause: String
  package var seconds: Double
  package var count: Int
  @Nullable package var waker: String?
  package var stack: [ReportFrame]
}

/// What one thread used.
package struct ThreadSection: Codable, Sendable, Equatable {
  package var tid: Int
  package var name: String
  package var role: String
  package var cpuSeconds: Double
  package var wakeups: Int
  package var idleWakeups: Int
  package var blockedSeconds: Double
}

/// How a thread on which others depend was kept from its work.
package struct CriticalThreadSection: Codable, Sendable, Equatable {
  package var tid: Int
  package var name: String
  /// "main", "event loop" or "cooperative pool".
  package var role: String
  package var turns: Int
  package var longestTurnSeconds: Double
  /// What half, 95 and 99 of a hundred of its turns did not exceed; null of the pool, and in reports of before.
  @Nullable package var turnMedianSeconds: Double? = nil
  @Nullable package var turnP95Seconds: Double? = nil
  @Nullable package var turnP99Seconds: Double? = nil
  package var runningSeconds: Double
  package var runnableSeconds: Double
  package var idleSeconds: Double
  package var blockedSeconds: Double
  package var blockedByCause: [String: Double]
  /// Where it blocked, the longest first.
  package var blockings: [BlockingSection]
}

/// A serial dispatch queue that is not the main one, and what its work waited for.
package struct SerialQueueSection: Codable, Sendable, Equatable {
  /// Null for all those together whose labels are not known.
  @Nullable package var label: String?
  package var blockedSeconds: Double
  package var longestSeconds: Double
  package var blockedByCause: [String: Double]
  /// By samples.
  @Nullable package var cpuSeconds: Double?
  /// Where its work blocked, the longest first.
  package var blockings: [BlockingSection]
}

/// How often the process's threads were woken.
package struct WakeupSection: Codable, Sendable, Equatable {
  package var total: Int
  /// There were more, which the recording does not tell; else left out.
  package var isLeast: Bool? = nil
  package var perSecond: Double
  package var idle: Int
  package var idlePerSecond: Double
  /// Idle wakeups that found their CPU idle; nil in reports of versions that did not count them.
  package var foundCPUIdle: Int?
  package var byCause: [String: Int]
  package var timers: [TimerSection]
}

/// A regular timed wait.
package struct TimerSection: Codable, Sendable, Equatable {
  package var tid: Int
  package var thread: String
  package var periodSeconds: Double
  package var jitterSeconds: Double
  package var count: Int
  package var expiredWithoutWork: Int
  package var stack: [ReportFrame]
}

/// What the process did on the CPU.
package struct CPUSection: Codable, Sendable, Equatable {
  package var totalSeconds: Double
  @Nullable package var userSeconds: Double?
  @Nullable package var systemSeconds: Double?
  /// Share of one core in the median second.
  package var medianShare: Double
  package var p95Share: Double
}

/// The last reading of a hardware or software counter.
package struct CounterReading: Codable, Sendable, Equatable {
  package var name: String
  package var value: Double
  @Nullable package var unit: String?
}
