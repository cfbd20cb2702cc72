import Quantities
import TraceModel

/// What the thread that plays the main thread's part did with its time.
///
/// A turn lasts from leaving an event wait to the next; its time splits exactly into running,
/// runnable and blocked by cause. Times are in seconds.
package struct MainThreadSignal: Sendable, Equatable {
  /// Kernel thread id.
  package var threadID: Int
  /// Thread name at the end of the recording.
  package var threadName: String
  /// How the thread was recognised as the main one.
  package var foundBy: String
  /// The first thread is parked by libdispatch, and no work of the main queue or MainActor was seen.
  package var isParked: Bool
  /// Whether the thread ever waited for events; a tool never does.
  package var hasEventLoop: Bool
  /// Number of turns.
  package var turns: Int
  /// It was looked at from outside, which short turns go on between.
  package var turnsAreLeast = false
  /// Between what the number of hangs lies, where turns are known to the distance of two looks only; nil where each is
  /// known to be one or none.
  package var hangCounts: ClosedRange<Int>?
  /// Workers drain the main queue, and of turns that are too short to show whose work they are most are not among
  /// `turns`, nor their time among what it ran.
  package var shortTurnsUntold = false
  /// On a CPU, in turns.
  package var runningSeconds: Double
  /// Waiting for a CPU, in turns.
  package var runnableSeconds: Double
  /// Blocked, in turns.
  package var blockedSeconds: Double
  /// In event waits.
  package var idleSeconds: Double
  /// Blocked seconds by cause.
  package var blockedByCause: [WaitCause: Double]
  /// Those of them before it was ready for events, which rules of their own are about.
  package var launchBlockedByCause: [WaitCause: Double] = [:]
  /// Turns of 100 ms and more, in order of time.
  package var hangs: [Hang]
  /// Turns by length.
  package var turnsOver: TurnCounts
  /// Running time in turns of 50 ms and more; without an event loop all running time.
  package var computingSeconds50ms: Double
  /// The part of `computingSeconds50ms` in which another CPU was idle.
  package var computingWhileIdleCPUs: Double
  /// Blocked time grouped by cause and stack, worst first.
  package var blockings: [Blocking]
  /// How many of its waits were recorded.
  package var waitSampling: WaitSampling

  /// What else it may have done, where workers play its part.
  package var untold = UntoldQueueWork()

  /// What it did to files after the launch; nil where that was not recorded.
  package var fileAccess: FileAccess?

  /// Most of what was seen of it is a wait that began before the recording: it may have an event loop to come back to.
  package var beganInWait = false

  /// Whether the thread ever waited for events; nil where that cannot be told.
  package var knownEventLoop: Bool? {
    hasEventLoop || (areWaitsKnown && !beganInWait) ? hasEventLoop : nil
  }

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    threadID: Int = 0,
    threadName: String = "",
    foundBy: String = "",
    isParked: Bool = false,
    hasEventLoop: Bool = true,
    turns: Int = 0,
    runningSeconds: Double = 0,
    runnableSeconds: Double = 0,
    blockedSeconds: Double = 0,
    idleSeconds: Double = 0,
    blockedByCause: [WaitCause: Double] = [:],
    hangs: [Hang] = [],
    turnsOver: TurnCounts = TurnCounts(),
    computingSeconds50ms: Double = 0,
    computingWhileIdleCPUs: Double = 0,
    blockings: [Blocking] = [],
    waitSampling: WaitSampling = .whole
  ) {
    self.threadID = threadID
    self.threadName = threadName
    self.foundBy = foundBy
    self.isParked = isParked
    self.hasEventLoop = hasEventLoop
    self.turns = turns
    self.runningSeconds = runningSeconds
    self.runnableSeconds = runnableSeconds
    self.blockedSeconds = blockedSeconds
    self.idleSeconds = idleSeconds
    self.blockedByCause = blockedByCause
    self.hangs = hangs
    self.turnsOver = turnsOver
    self.computingSeconds50ms = computingSeconds50ms
    self.computingWhileIdleCPUs = computingWhileIdleCPUs
    self.blockings = blockings
    self.waitSampling = waitSampling
  }
}

/// What serial queues did of which it is not known which they were, so that it may be the main queue's work.
package struct UntoldQueueWork: Sendable, Hashable, Codable {
  /// Seconds that it waited, by what for.
  package var blockedByCause: [WaitCause: Double] = [:]
  /// Seconds that it computed.
  package var runningSeconds = 0.0

  /// In less there is no hang, even if all of it was the main queue's.
  static let least = 0.05

  /// Nothing.
  package init() {}

  /// All of it.
  package var seconds: Double { blockedByCause.values.reduce(runningSeconds, +) }

  /// What is to be said of it; nil where it is too little to matter.
  package var doubt: String? {
    guard seconds >= Self.least else { return nil }
    return
      "of \(Figures.seconds(seconds)) of work of serial queues it is not known whether it was the main queue's"
  }

  mutating func add(_ seconds: Double, waitingFor cause: WaitCause?) {
    if let cause { blockedByCause[cause, default: 0] += seconds } else { runningSeconds += seconds }
  }
}

/// How many turns were at least so long.
package struct TurnCounts: Sendable, Equatable {
  /// Turns of 50 ms and more.
  package var over50ms: Int
  /// Turns of 100 ms and more.
  package var over100ms: Int
  /// Turns of 250 ms and more.
  package var over250ms: Int
  /// Turns of 500 ms and more.
  package var over500ms: Int
  /// Turns of 2 s and more.
  package var over2s: Int

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    over50ms: Int = 0,
    over100ms: Int = 0,
    over250ms: Int = 0,
    over500ms: Int = 0,
    over2s: Int = 0
  ) {
    self.over50ms = over50ms
    self.over100ms = over100ms
    self.over250ms = over250ms
    self.over500ms = over500ms
    self.over2s = over2s
  }
}

/// Time a thread spent blocked for one cause at one place.
package struct Blocking: Sendable, Equatable {
  /// What was waited for.
  package var cause: WaitCause
  /// Total blocked time.
  package var seconds: Double
  /// Number of waits.
  package var count: Int
  /// Where it waited, innermost frame first.
  package var stack: [StackFrame]
  /// Name of the threads that most often ended the wait.
  package var waker: String?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    cause: WaitCause,
    seconds: Double = 0,
    count: Int = 0,
    stack: [StackFrame] = [],
    waker: String? = nil
  ) {
    self.cause = cause
    self.seconds = seconds
    self.count = count
    self.stack = stack
    self.waker = waker
  }
}
