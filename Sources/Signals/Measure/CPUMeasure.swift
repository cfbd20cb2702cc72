import PerfData
import Quantities
import TraceModel

/// Measures the subject's CPU time, by the scheduler's events, or else by /proc, or by the samples of a clock.
enum CPUMeasure {
  static func measure(_ subject: SubjectView) -> CPUSignal {
    let samples = subject.trace.footprints.filter { $0.pid == subject.pid }
    let attached = subject.trace.startsLate
    let first = attached ? samples.first?.sample : nil
    let last = samples.last?.sample
    func fromProc(_ field: KeyPath<FootprintSample, UInt64>) -> Double? {
      last.map { Double($0[keyPath: field] &- (first?[keyPath: field] ?? 0)) / 1e9 }
    }
    var user = fromProc(\.userTimeNs)
    var system = fromProc(\.systemTimeNs)
    let scheduled = subject.threads.reduce(TimeSpan.zero) { $0 + $1.runningTime }
    let told = (user ?? 0) + (system ?? 0)
    let isOfThreads = subject.readings == nil && (subject.trace.tellsRuns || last == nil)
    let total = isOfThreads ? scheduled.seconds : told
    if isOfThreads, told > 0 {
      // /proc was read a little before and after the events, so only its proportion is taken.
      user = user.map { $0 * total / told }
      system = system.map { $0 * total / told }
    } else if isOfThreads, total > 0 {
      // Less than a tick of it tells no proportion.
      (user, system) = (nil, nil)
    }
    let width = windowSeconds(subject.seconds)
    let windows = shares(subject, width: width)
    return CPUSignal(
      totalSeconds: total, userSeconds: user,
      systemSeconds: system, medianShare: Quantiles.median(windows) ?? 0,
      p95Share: Quantiles.quantile(0.95, of: windows) ?? 0,
      shareOver60s: longShare(windows, width: width),
      majorFaultSeconds: subject.threads.reduce(0) {
        $0 + $1.intervals.totals.blocked(by: .pageFault).seconds
      })
  }

  /// More windows than seconds of a day are not looked at one by one.
  private static let mostWindows = 86400.0

  /// Length of a window: a second, or so many that a very long recording has no more than `mostWindows`.
  static func windowSeconds(_ length: Double) -> Double {
    max(1, (length / mostWindows).rounded(.up))
  }

  /// Share of one core in each window; a last one of under half its length is left out.
  private static func shares(_ subject: SubjectView, width: Double) -> [Double] {
    let length = subject.seconds
    guard length > 0 else { return [] }
    let count = max(1, Int((length / width + 0.5).rounded(.down)))
    var busy = [Double](repeating: 0, count: count)
    let origin = subject.start
    if let readings = subject.readings {
      var before = TimeSpan.zero
      for window in 0..<count {
        let until =
          window == count - 1
          ? Timestamp(nanoseconds: .max) : origin + TimeSpan(seconds: Double(window + 1) * width)
        let used = readings.used(before: until)
        busy[window] = (used - before).seconds
        before = used
      }
      return perSecond(busy, width: width, length: length)
    }
    for (time, sampled) in subject.sampledTimes {
      busy[min(max(0, Int((time - origin).seconds / width)), count - 1)] += sampled.seconds
    }
    for thread in subject.threads where thread.sampledTime == nil {
      let first = Int((thread.start - origin).seconds / width)
      var walk = ThreadHistory.Walk(thread.intervals)
      var before = TimeSpan.zero
      for window in min(max(0, first), count - 1)..<count where before < thread.runningTime {
        let until =
          window == count - 1
          ? thread.runningTime
          : walk.times(before: origin + TimeSpan(seconds: Double(window + 1) * width)).running
        busy[window] += (until - before).seconds
        before = until
      }
    }
    return perSecond(busy, width: width, length: length)
  }

  /// Seconds of CPU time in each window as shares of one core; the last window ends with the recording.
  private static func perSecond(_ busy: [Double], width: Double, length: Double) -> [Double] {
    busy.enumerated().map { index, seconds in
      let width = index == busy.count - 1 ? length - Double(index) * width : width
      return seconds / max(width, .ulpOfOne)
    }
  }

  private static func longShare(_ windows: [Double], width: Double) -> Double {
    let span = max(1, Int((60 / width).rounded(.up)))
    guard windows.count >= span, width * Double(windows.count) >= 60 else { return 0 }
    var sum = windows[..<span].reduce(0, +)
    var best = sum
    for index in span..<windows.count {
      sum += windows[index] - windows[index - span]
      best = max(best, sum)
    }
    return best / Double(span)
  }
}
