import Quantities
import TraceModel

/// Where a thread's time went; the parts add up to the whole, to the nanosecond.
struct TimeParts {
  var running = TimeSpan.zero
  var runnable = TimeSpan.zero
  var idle = TimeSpan.zero
  var blocked: [WaitCause: TimeSpan] = [:]

  init(_ intervals: some Sequence<ThreadInterval>) {
    for interval in intervals {
      switch interval.state {
      case .running: running += interval.length
      case .runnable: runnable += interval.length
      case .blocked(let cause) where cause.isIdle: idle += interval.length
      case .blocked(let cause): blocked[cause, default: .zero] += interval.length
      }
    }
  }

  /// Of a whole life, without walking through it.
  init(_ totals: ThreadHistory.Totals) {
    running = totals.running
    runnable = totals.runnable
    for cause in WaitCause.allCases {
      let time = totals.blocked(by: cause)
      if cause.isIdle {
        idle += time
      } else if time > .zero {
        blocked[cause] = time
      }
    }
  }

  var blockedTotal: TimeSpan { blocked.values.reduce(.zero, +) }
  var blockedByCause: [WaitCause: Double] { blocked.mapValues(\.seconds) }
}
