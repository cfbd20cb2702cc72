import PerfData

/// A source of events that may turn to sampling when its rate is high.
enum AdaptiveSource: Int, CaseIterable {
  case systemCalls, sends, receives, stacks, spins, jobs, eventWaits

  /// What of it is counted by `TransferCounter`.
  var direction: TransferCounter.Direction? {
    switch self {
    case .sends: .send
    case .receives: .receive
    default: nil
    }
  }
}

/// One event to ask the kernel for, on each CPU.
struct EventSpec {
  /// Whose events it gives.
  enum Reach {
    /// The target's threads and what they create.
    case task
    /// All of a CPU; the drain keeps only the target's.
    case system
  }

  /// How the drain tells the target's records from others.
  enum Keep {
    case always
    /// By the thread id in the field `pid`, or by who made the event.
    case threadField
    /// By who made the event.
    case maker
    /// By socket: see `SocketFilter`.
    case socketState
  }

  /// What part it has in a source that may be sampled.
  enum Role: Equatable {
    case plain
    /// Records every event while the rate is low.
    case full(AdaptiveSource)
    /// Records one of `period` events; its count is exact.
    case sampled(AdaptiveSource)
  }

  /// When it is wanted; see `RateGovernor`.
  enum Season {
    case always
    /// Of the task, until it switches so often that what its switches cost more is too much.
    case calm
    /// Of the machine, in the place of one of the task from then on.
    case hectic
    /// Of the task, until `StandIns` take over.
    case beforeStandIns
    /// One of those.
    case standIn
  }

  var name: String
  var type: UInt32
  var config: UInt64
  var fields: SampleFields = .base
  var period: UInt64 = 1
  var flags: UInt64 = 0
  var registers: UInt64 = 0
  var stackBytes: UInt32 = 0
  var filter: String?
  var reach = Reach.task
  var keep = Keep.always
  var role = Role.plain
  var season = Season.always
  /// Recorded in slices of time while the target switches very often; see `SliceClock`.
  var isSliced = false
  /// The task's event in whose place it can be recorded, by its number in the plan.
  var standsInFor: Int?
  /// Set where events are enabled later, by the rate governor.
  var startsDisabled = false
  /// Wakes the recorder at each record; such events have a small ring of their own.
  var wakesAtOnce = false
  /// What a report misses when this cannot be opened.
  var signal: String
  /// The tracepoint's format text, for the trace and for the drain.
  var format: String?
  var system = ""

  /// A uprobe of Lull's own.
  var isProbe: Bool { system.hasPrefix(UprobeSet.groupPrefix) }

  /// Bits of perf_event_attr's bit field.
  enum Flag {
    static let disabled: UInt64 = 1 << 0
    static let inherit: UInt64 = 1 << 1
    static let excludeKernel: UInt64 = 1 << 5
    static let excludeIdle: UInt64 = 1 << 7
    static let mmap: UInt64 = 1 << 8
    static let comm: UInt64 = 1 << 9
    /// The period is a frequency, to which the kernel adapts.
    static let frequency: UInt64 = 1 << 10
    static let task: UInt64 = 1 << 13
    static let watermark: UInt64 = 1 << 14
    static let excludeKernelCallchain: UInt64 = 1 << 21
    static let mmap2: UInt64 = 1 << 23
    static let commExec: UInt64 = 1 << 24
    static let contextSwitch: UInt64 = 1 << 26
    static let buildID: UInt64 = 1 << 34
    static let base = EventAttribute.sampleIDAllFlag | EventAttribute.useClockIDFlag | watermark
  }

  /// Counts nothing; leads the group of a thread's sliced events.
  static let gate = EventSpec(
    name: "slices", type: software, config: dummy, fields: [], period: 0, signal: "")

  /// PERF_COUNT_SW_DUMMY.
  static let dummy: UInt64 = 9

  /// The signal of the stacks of writes and sends.
  static let callSites = "call sites"
  /// The signal of the probes on the C library's calls that take paths.
  static let fileNames = "file names"
  /// The signal of the probes in the runtime of Swift concurrency.
  static let concurrency = "concurrency"

  /// PERF_TYPE_SOFTWARE and PERF_TYPE_TRACEPOINT.
  static let software: UInt32 = 1
  static let tracepoint: UInt32 = 2
}
