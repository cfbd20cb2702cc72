import Quantities

/// A regular period found in a series of times, in which some occurrences may be missing.
package struct Periodicity: Sendable, Equatable {
  /// Mean period, with misses accounted for.
  package var periodSeconds: Double
  /// Typical deviation of an interval from the period (1.4826 × median absolute deviation).
  package var jitterSeconds: Double
  /// Number of times that follow the period.
  package var count: Int
  /// Number of periods in which nothing came.
  package var missed: Int

  /// Deviation, as a share of the period, up to which an interval fits it.
  package static let tolerance = 0.1
  /// Share of the intervals that must fit.
  package static let fewestFitting = 0.75

  /// Finds the period of ascending times; nil when they are not regular.
  ///
  /// Each interval must be near a small multiple of the period; the longest period of which that
  /// is true for three quarters of the intervals wins. `slack` is an absolute deviation that is
  /// always allowed, for periods as short as a scheduler's delays.
  package static func detect(
    _ times: [Double], fewest: Int = 4, slack: Double = 0.0005
  ) -> Periodicity? {
    let intervals = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }
    guard times.count >= fewest, intervals.count >= 2 else { return nil }
    let sorted = intervals.sorted()
    let seeds = [0.5, 0.25, 0.1, 0.75].compactMap { Quantiles.quantile($0, ofSorted: sorted) }
    let fits = Set(seeds).sorted(by: >).compactMap { fit(intervals, period: $0, slack: slack) }
    guard let best = fits.first, best.count >= fewest else { return nil }
    return best
  }

  private static func fit(_ intervals: [Double], period: Double, slack: Double) -> Periodicity? {
    guard period > 0 else { return nil }
    var total = 0.0
    var periods = 0.0
    var fitting: [(interval: Double, multiple: Double)] = []
    for interval in intervals {
      let multiple = (interval / period).rounded()
      guard multiple >= 1, multiple <= 8 else { continue }
      guard abs(interval - multiple * period) <= max(tolerance * period, slack) else { continue }
      fitting.append((interval, multiple))
      total += interval
      periods += multiple
    }
    let share = Double(fitting.count) / Double(intervals.count)
    guard share >= fewestFitting, periods > 0 else { return nil }
    // Most intervals must be one period long, or half of any jumble would fit a short period.
    let single = fitting.filter { $0.multiple == 1 }.count
    guard 2 * single >= fitting.count else { return nil }
    let mean = total / periods
    let deviations = fitting.map { abs($0.interval - $0.multiple * mean) }
    return Periodicity(
      periodSeconds: mean, jitterSeconds: 1.4826 * (Quantiles.median(deviations) ?? 0),
      count: fitting.count + 1, missed: Int(periods) - fitting.count)
  }
}
