import Quantities

/// The rate of something steady; zero for what happens once or in one place.
package enum SteadyRate {
  /// Median of the amounts in each tenth of a duration, per second.
  package static func perSecond(
    _ events: [(time: Double, amount: Double)], durationSeconds: Double
  ) -> Double {
    guard durationSeconds > 0 else { return 0 }
    var windows = [Double](repeating: 0, count: 10)
    for event in events where event.time >= 0 && event.time <= durationSeconds {
      windows[min(Int(event.time / durationSeconds * 10), 9)] += event.amount
    }
    return (Quantiles.median(windows) ?? 0) / (durationSeconds / 10)
  }
}
