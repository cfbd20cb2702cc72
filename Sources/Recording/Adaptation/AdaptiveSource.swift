/// A source of events whose rate may become too high to record each of them.
enum AdaptiveSource: Int, CaseIterable {
  case systemCalls, sends, receives, stacks, spins, jobs, eventWaits

  /// A recorded system call costs up to 1 µs and a socket transfer as much, and a server makes
  /// all three for a request: 5,000 a second of each are 1.5 % of a CPU. A stack of 3 KB costs
  /// about 4 µs with its copying: 2,000 are 0.8 %. A burst of 10,000 takes 10 ms once, and keeps
  /// short programs exact; one of 1,600 stacks takes 5 MB of a ring.
  var limit: TokenBucket.Limit {
    switch self {
    case .systemCalls, .sends, .receives: .init(burst: 10_000, perSecond: 5_000)
    case .stacks: .init(burst: 1_600, perSecond: 2_000)
    case .spins: .init(burst: 4_000, perSecond: 2_000)
    // A burst is a twentieth of a second at the start of a program.
    case .jobs: .init(burst: 10_000, perSecond: Self.largestJobShare / Self.jobSeconds)
    // A burst is told whole at up to a thousand event waits a second; a busier loop is told by its samples.
    case .eventWaits: .init(burst: 4_000, perSecond: 1_000)
    }
  }

  /// What the probes of one job cost: entry, return, its creation and its handing over, 5 µs in a loop of nothing but
  /// jobs.
  private static let jobSeconds = 5e-6
  /// Of a CPU; where jobs would take more, they are not recorded any longer.
  private static let largestJobShare = 0.02

  /// Whether one of many events tells enough: a job is told from its beginning and its end, an event wait only beside
  /// samples.
  var canBeSampled: Bool { self != .jobs && self != .eventWaits }

  /// Whether the event that samples it is on all the time and so counts exactly; the others are on only while it is
  /// sampled.
  var isCountedAlways: Bool {
    switch self {
    case .systemCalls, .sends, .receives: true
    case .stacks, .spins, .jobs, .eventWaits: false
    }
  }

  /// Whether it is recorded in slices of time while the target is very busy; see `SliceClock`.
  ///
  /// What comes with each request or wait is. But a transfer in a hundred milliseconds is what the radio's model asks
  /// for: sampled, they are told all the time.
  var isSliced: Bool {
    switch self {
    case .systemCalls, .stacks, .spins: true
    case .sends, .receives, .jobs, .eventWaits: false
    }
  }

  /// What of it is counted by `TransferCounter`.
  var direction: TransferCounter.Direction? {
    switch self {
    case .sends: .send
    case .receives: .receive
    default: nil
    }
  }
}
