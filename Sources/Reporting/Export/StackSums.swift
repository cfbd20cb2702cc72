import Quantities
import TraceModel

/// What the subject's threads did in each stack: samples with the CPU time that they stand for, and waits.
struct StackSums {
  /// A stack of a thread.
  struct Place: Hashable, Comparable {
    var tid: Int32
    var stack: Int

    static func < (left: Place, right: Place) -> Bool {
      (left.tid, left.stack) < (right.tid, right.stack)
    }
  }

  /// How many samples, and what they stand for: nanoseconds of CPU time, or events where samples tell shares alone.
  private(set) var running: [Place: (samples: Int64, value: Int64)] = [:]
  /// Nanoseconds by what was waited for; waits for events are none.
  private(set) var blocked: [Place: [WaitCause: Int64]] = [:]
  let names: [Int32: String]

  init(_ trace: Trace) {
    let threads = trace.threads(of: trace.subject.pid)
    names = Dictionary(threads.map { ($0.tid, $0.name) }, uniquingKeysWith: { $1 })
    let samples = trace.processorSamples.filter {
      $0.pid == trace.subject.pid && $0.stack != nil
    }
    let time = threads.reduce(TimeSpan.zero) { $0 + $1.runningTime }.nanoseconds
    let even = samples.isEmpty ? 0 : time / Int64(samples.count)
    let each = min(even, trace.periodInProgram(of: trace.subject.pid)?.nanoseconds ?? .max)
    let isSampled = threads.contains { $0.sampledTime != nil }
    for sample in samples {
      let value =
        trace.sharesEvent != nil
        ? Int64(clamping: sample.period) : isSampled ? sample.clockTime.nanoseconds : each
      let place = Place(tid: sample.tid, stack: sample.stack ?? 0)
      let old = running[place] ?? (0, 0)
      running[place] = (old.samples + 1, old.value &+ value)
    }
    for thread in threads {
      for interval in thread.intervals {
        guard case .blocked(let cause) = interval.state, !cause.isIdle,
          let stack = interval.stack
        else { continue }
        let place = Place(tid: thread.tid, stack: stack)
        blocked[place, default: [:]][cause, default: 0] &+= interval.length.nanoseconds
      }
    }
  }

  var isEmpty: Bool { running.isEmpty && blocked.isEmpty }
}
