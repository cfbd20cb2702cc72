import PerfData
import Quantities

extension ThreadHistory {
  /// Sums of the intervals' lengths and counts.
  public struct Totals: Sendable {
    public var running = TimeSpan.zero
    /// How often it got a CPU.
    public var runs = 0
    public var runnable = TimeSpan.zero
    /// By the rank of the cause in `WaitCause.allCases`.
    private var blocked = [TimeSpan](repeating: .zero, count: WaitCause.allCases.count)
    /// Waits of no known cause and without a stack.
    public var unknownWaits = 0
    /// Waits of a known cause.
    public var knownWaits = 0
    public var eventWaits = 0
    /// Event waits that have no stack: the end of their call told them.
    public var toldEventWaits = 0
    /// Waits by the rank of the cause.
    private var waits = [Int](repeating: 0, count: WaitCause.allCases.count)
    /// The stacks that any interval has.
    public var stacks: Set<Int> = []
    /// Time on a CPU while another CPU was idle, as far as the recording knows; nil where that was not followed.
    public var runningBesideIdle: TimeSpan?
  }
}

extension ThreadHistory.Totals {
  mutating func add(_ kind: IntervalKinds.Kind, _ tally: IntervalKinds.Tally) {
    switch kind.state {
    case .running:
      running += tally.time
      runs += tally.count
    case .runnable: runnable += tally.time
    case .blocked(let cause):
      blocked[cause.rank] += tally.time
      waits[cause.rank] += tally.count
      if kind.isUnknown { unknownWaits += tally.count }
      if cause != .unknown { knownWaits += tally.count }
      if cause == .eventWait {
        eventWaits += tally.count
        if kind.stack == nil { toldEventWaits += tally.count }
      }
    }
    if let stack = kind.stack { stacks.insert(stack) }
  }

  /// How many waits of one cause there were.
  public func waits(by cause: WaitCause) -> Int { waits[cause.rank] }

  /// Time in waits of one cause.
  public func blocked(by cause: WaitCause) -> TimeSpan { blocked[cause.rank] }
}
