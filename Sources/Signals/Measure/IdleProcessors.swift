import Quantities
import TraceModel

/// How much of a thread's running time other CPUs stood idle, as far as the recording knows.
enum IdleProcessors {
  /// Only the recorded processes' own use is known, so the rest counts as idle.
  ///
  /// Of a thread's whole life the loader has counted it.
  static func overlap(ofAll intervals: ThreadHistory, in subject: SubjectView) -> Double {
    guard subject.trace.metadata.cpuCount > 1 else { return 0 }
    return intervals.totals.runningBesideIdle?.seconds ?? overlap(of: [intervals], in: subject)
  }

  static func overlap(of spans: [ThreadHistory], in subject: SubjectView) -> Double {
    let cpus = subject.trace.metadata.cpuCount
    guard cpus > 1 else { return 0 }
    var total = TimeSpan.zero
    for span in spans {
      guard let start = span.first?.start, let end = span.last?.end else { continue }
      var others = RunningThreads(subject.trace.threads, from: start, to: end)
      for interval in span where interval.state == .running {
        var from = interval.start
        while from < interval.end {
          let (busy, until) = others.state(at: from)
          let next = min(until, interval.end)
          if busy < cpus { total += next - from }
          from = next
        }
      }
    }
    return total.seconds
  }
}

/// Walks through all threads' histories at once, in time order: how many run.
private struct RunningThreads {
  /// The next moment at which a thread begins or ends to run, the earliest first: a heap.
  private var changes: [(time: Timestamp, thread: Int)] = []
  private var histories: [IteratorSequence<ThreadHistory.Iterator>] = []
  private let from: Timestamp
  private let to: Timestamp
  /// The end of the run that a thread is in; nil between two runs.
  private var ends: [Timestamp?] = []
  private var count = 0

  init(_ threads: [ThreadModel], from: Timestamp, to: Timestamp) {
    self.from = from
    self.to = to
    for thread in threads where thread.start < to && (thread.end ?? to) >= from {
      histories.append(thread.intervals.from(from))
      ends.append(nil)
      advance(histories.count - 1)
    }
  }

  /// How many threads run at a moment, and until when; moments must be asked for in order.
  mutating func state(at time: Timestamp) -> (count: Int, until: Timestamp) {
    while let change = changes.first, change.time <= time {
      removeFirst()
      if ends[change.thread] == nil {
        count += 1
        ends[change.thread] = nextEnds[change.thread]
        insert(nextEnds[change.thread], change.thread)
      } else {
        count -= 1
        ends[change.thread] = nil
        advance(change.thread)
      }
    }
    return (count, changes.first?.time ?? Timestamp(nanoseconds: .max))
  }

  /// Where the run that comes next ends.
  private var nextEnds: [Timestamp] = []

  private mutating func advance(_ thread: Int) {
    if nextEnds.count <= thread { nextEnds.append(Timestamp(nanoseconds: 0)) }
    while let interval = histories[thread].next(), interval.start < to {
      guard interval.state == .running, interval.end > max(interval.start, from) else { continue }
      nextEnds[thread] = interval.end
      insert(interval.start, thread)
      return
    }
  }

  private mutating func insert(_ time: Timestamp, _ thread: Int) {
    changes.append((time, thread))
    var place = changes.count - 1
    while place > 0, changes[place].time < changes[(place - 1) / 2].time {
      changes.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func removeFirst() {
    let last = changes.removeLast()
    guard !changes.isEmpty else { return }
    changes[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < changes.count && changes[child].time < changes[least].time {
        least = child
      }
      guard least != place else { return }
      changes.swapAt(place, least)
      place = least
    }
  }
}
