import PerfData

/// One event to ask the kernel for, on each CPU.
struct EventSpec {
  enum Kind {
    case software, tracepoint
    /// A tracepoint of Lull's own, at a function of a program.
    case uprobe

    /// PERF_TYPE_SOFTWARE or PERF_TYPE_TRACEPOINT.
    var type: UInt32 { self == .software ? 1 : 2 }
  }

  /// Whose events it gives.
  enum Visibility: Equatable {
    /// Those of the target's threads and what they create.
    case target
    /// Those of a CPU; the drain keeps only the target's.
    case machine(by: Owner)
  }

  /// By what a record of the machine is told to be one of the target's.
  enum Owner {
    /// By the thread that made the event.
    case maker
    /// By the thread id in the field `pid`, or by who made the event.
    case threadField
    /// By its socket: see `SocketFilter`.
    case socket
  }

  /// How it is kept from slowing the target down.
  enum Cost: Equatable {
    /// Too rare to matter.
    case rare
    /// Comes with each request or wait: recorded in slices of time while these are very many; see `SliceClock`.
    case frequent
    /// So many a second of each thread, sliced too.
    case paced(perSecond: UInt64)
    /// Every event of a source, while its rate is low.
    case whole(AdaptiveSource)
    /// One of many, while its rate is high.
    case sampled(AdaptiveSource)

    var isSliced: Bool {
      switch self {
      case .rare: false
      case .frequent, .paced: true
      case .whole(let source), .sampled(let source): source.isSliced
      }
    }
  }

  /// In which part of a recording its records count.
  enum Phase: Equatable {
    case always
    /// Of the task, until it switches so often that what its switches cost more is too much.
    case untilBusy
    /// The clock of each task, until the CPUs' own takes its place.
    case taskClock
    /// The clock of each CPU, from then on.
    case cpuClock
    /// Of the task, until events of the CPUs take over; see `CPUWideTakeover`.
    case untilTakeover
    /// Of the CPUs, in the place of the task's event with this number in the plan from then on.
    case afterTakeover(from: Int)
  }

  /// What the recorder itself reads in a record, besides whose it is.
  enum Payload {
    case nothing
    /// A system call's number and result, and its arguments in the registers.
    case systemCall
    /// A descriptor that is about to be written to, in the field `fd`.
    case descriptor
    /// The path that is about to be opened, in the field `path`.
    case path
    /// The thread that its maker has just created, in the field `pid`.
    case newThread
  }

  var name: String
  var kind: Kind
  var config: UInt64
  /// Which of its tracepoint's uses it is for; part of the name.
  var variant = Tracepoint.Variant.plain
  /// What a report misses when this cannot be opened.
  var purpose: Purpose
  var visibility = Visibility.target
  var cost = Cost.rare
  var phase = Phase.always
  var payload = Payload.nothing
  var fields: SampleFields = .base
  var period: UInt64 = 1
  var flags: UInt64 = 0
  var registers: UInt64 = 0
  var stackBytes: UInt32 = 0
  var filter: String?
  /// Wakes the recorder at each record; such events have a small ring of their own.
  var wakesAtOnce = false
  /// Happens in the kernel alone, so that who may see the program only gets none; its lack is told by nobody.
  var isKernels = false
  /// The tracepoint's format text, for the trace and for the drain.
  var format: String?
  var system = ""

  /// The task's event whose place it can take.
  var replaced: Int? { if case .afterTakeover(let index) = phase { index } else { nil } }

  /// Whether it is switched on later, by the rate governor.
  var startsDisabled: Bool {
    switch (phase, cost) {
    case (.afterTakeover, _), (.cpuClock, _): true
    case (_, .sampled(let source)): !source.isCountedAlways
    case (_, .whole(let source)): source == .eventWaits
    default: false
    }
  }

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
    /// New threads inherit it, new processes do not (Linux 5.13).
    static let inheritThread: UInt64 = 1 << 35
    static let base = EventAttribute.sampleIDAllFlag | EventAttribute.useClockIDFlag | watermark
  }

  /// Counts nothing; leads the group of a thread's sliced events, or of a CPU's, which begins switched off.
  static func gate(_ visibility: Visibility) -> EventSpec {
    var spec = EventSpec(name: "slices", kind: .software, config: dummy, purpose: .processes)
    spec.visibility = visibility
    spec.phase = visibility == .target ? .always : .afterTakeover(from: 0)
    spec.fields = []
    spec.period = 0
    return spec
  }

  /// PERF_COUNT_SW_DUMMY.
  static let dummy: UInt64 = 9
}
