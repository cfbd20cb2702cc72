import Foundation
import PerfData
import Quantities

@testable import TraceModel

/// Runs of threads as `perf sched timehist` tells them, and as a trace does: microseconds, cut off.
struct Departure: Hashable {
  var tid: Int32
  /// When the thread left the CPU.
  var time: UInt64
  var wait: UInt64
  var delay: UInt64
  var run: UInt64

  /// A thread that was woken in the nanosecond in which it left is kept as one that was preempted, which nobody woke.
  init(tid: Int32, time: UInt64, wait: UInt64, delay: UInt64, run: UInt64) {
    self.tid = tid
    self.time = time
    self.wait = wait
    self.delay = delay == wait ? 0 : delay
    self.run = run
  }
}

/// What `perf sched timehist --next --state` prints.
struct Timehist {
  var departures: [Departure] = []
  /// Those of which all times are known: the thread was seen to leave a CPU before, and to get this one.
  var complete: Set<Departure> = []

  init(_ text: String) {
    var nextOfCPU: [Int: Int32] = [:]
    var seen: Set<Int32> = []
    var wasPreempted: Set<Int32> = []
    for line in text.split(separator: "\n") {
      guard let mark = line.range(of: " next: "), let next = Self.tid(line[mark.upperBound...])
      else { continue }
      let head = line[..<mark.lowerBound]
      guard let tid = Self.tid(head), let close = head.lastIndex(of: "]") else { continue }
      let words = head.split(separator: " ")
      let columns = head[head.index(after: close)...].split(separator: " ")
      let figures = columns.compactMap(Self.micro)
      guard words.count > 2, let time = Self.micro(words[0]), figures.count == 3,
        let cpu = Int(words[1].dropFirst().dropLast())
      else { continue }
      let last = nextOfCPU.updateValue(next, forKey: cpu)
      let arrived = last == tid
      // The record of who had the CPU leaving it was dropped: of its next run not all times are known.
      if let last, !arrived { seen.remove(last) }
      guard tid > 0 else { continue }
      // A thread that was preempted on its way to sleep may be woken in the queue, which it never left: perf takes that
      // for the beginning of its delay. It is of state R, in which later kernels set a bit that perf calls W.
      let delay = wasPreempted.contains(tid) ? 0 : figures[1]
      if columns.last == "R" || columns.last == "W" {
        wasPreempted.insert(tid)
      } else {
        wasPreempted.remove(tid)
      }
      let departure = Departure(
        tid: tid, time: time, wait: figures[0], delay: delay, run: figures[2])
      departures.append(departure)
      if !seen.insert(tid).inserted, arrived { complete.insert(departure) }
    }
  }

  /// Of the last `[tid]` or `[tid/pid]`.
  private static func tid(_ text: Substring) -> Int32? {
    guard let open = text.lastIndex(of: "["), let close = text.lastIndex(of: "]"), open < close
    else { return nil }
    return text[text.index(after: open)..<close].split(separator: "/").first.flatMap { Int32($0) }
  }

  /// Of a number with three or six places after the point.
  private static func micro(_ text: Substring) -> UInt64? {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let whole = UInt64(parts[0]), let rest = UInt64(parts[1]) else {
      return nil
    }
    return parts[1].count == 6 ? whole * 1_000_000 + rest : whole * 1000 + rest
  }
}

extension ThreadModel {
  /// The thread's departures from CPUs; of the first the wait before is not known.
  func departures() -> [(departure: Departure, isBlocked: Bool)] {
    var result: [(departure: Departure, isBlocked: Bool)] = []
    var lastEnd: Timestamp?
    var previous: [ThreadInterval] = []
    for interval in intervals {
      if previous.last?.state == .running, interval.state != .running {
        let run = previous[previous.count - 1]
        let queue = previous.dropLast().suffix(2)
        var delay = TimeSpan.zero
        // After a preemption nobody woke it.
        if queue.count == 2, queue.last?.state == .runnable, case .blocked? = queue.first?.state {
          delay = queue.last?.length ?? .zero
        }
        let isBlocked = interval.state != .runnable
        result.append(
          (
            Departure(
              tid: tid, time: run.end.nanoseconds / 1000,
              wait: lastEnd.map { Self.micro(run.start - $0) } ?? 0, delay: Self.micro(delay),
              run: Self.micro(run.length)), isBlocked
          ))
        lastEnd = run.end
      }
      previous = previous.suffix(2) + [interval]
    }
    return result
  }

  private static func micro(_ span: TimeSpan) -> UInt64 { UInt64(span.nanoseconds) / 1000 }

  /// Whether a moment is in the thread's life, its ends left out.
  func lives(at microsecond: UInt64) -> Bool {
    start.nanoseconds / 1000 < microsecond
      && end.map { microsecond < $0.nanoseconds / 1000 } ?? true
  }
}
