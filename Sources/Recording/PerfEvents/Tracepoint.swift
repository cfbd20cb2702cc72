import PerfData

/// A tracepoint that Lull records, with all that it is recorded for: a row of the catalogue.
///
/// The catalogue is what `EventPlan` opens, what `doctor` asks for, and what the command line of stock perf names.
struct Tracepoint {
  /// One thing that it is recorded for: an event of its own.
  struct Use {
    var variant = Variant.plain
    var purpose: Purpose
    var reach = Reach.target
    var cost = EventSpec.Cost.rare
    var contents = Contents.raw
    var filter: String?
    var payload = EventSpec.Payload.nothing
    var wakesAtOnce = false
    /// Programs in the kernel record it instead, where these run (`KernelSource`).
    var isOfPrograms = false
  }

  /// What is written behind the name of an event, where a tracepoint has several.
  enum Variant: String {
    case plain = ""
    case wait = "/wait/"
    case spin = "/spin/"
    case stack = "/stack/"
  }

  enum Reach {
    /// Events of the target's threads.
    case target
    /// Events of the machine; with `--scope process` there are none.
    case machine(by: EventSpec.Owner)
    /// So rare that they are cheaper as events of the machine, where these may be: one of the task costs at every
    /// switch.
    case cheapest

    func visibility(_ scope: RecordingOptions.Scope) -> EventSpec.Visibility? {
      switch (self, scope) {
      case (.machine(let owner), .system): .machine(by: owner)
      case (.machine, .process): nil
      case (.cheapest, .system): .machine(by: .maker)
      case (.target, _), (.cheapest, .process): .target
      }
    }
  }

  /// What a record holds.
  enum Contents {
    case raw
    /// With the registers that still hold the arguments when a system call returns.
    case arguments
    /// With the call chain, and registers and stack of the program.
    case stack
  }

  /// How stock perf is asked for it.
  ///
  /// Events of the target alone, as Lull's own: those of the machine have perf's own in them too, and more of others.
  enum StockPerf {
    case asked
    /// With the filter of its first use, and the stacks that Lull takes too.
    case withStacks
    /// With a filter, where unfiltered it would tell of much that no report uses.
    case filtered(String? = nil)
    /// Not at all, and why not.
    case omitted(String)
  }

  var system: String
  var name: String
  /// The kernel that had it first, where some in use do not.
  var since: KernelVersion?
  /// The line of `doctor` that tells whether it can be recorded.
  var line: CapabilityLine
  /// Without it the whole line is unavailable.
  var isEssential = false
  /// What a report lacks without it.
  var lack: String
  var stockPerf = StockPerf.asked
  var uses: [Use]

  /// As perf writes it.
  var fullName: String { "\(system):\(name)" }
}
