/// Order statistics of samples.
public enum Quantiles {
  /// Middle value, or the mean of the two middle ones; nil without samples.
  public static func median(_ values: [Double]) -> Double? { percentile(50, of: values) }

  /// Value below which this per cent of the samples lie, interpolated between neighbours.
  public static func percentile(_ percent: Double, of values: [Double]) -> Double? {
    percentile(percent, ofSorted: values.sorted())
  }

  /// The same for samples in ascending order.
  public static func percentile(_ percent: Double, ofSorted sorted: [Double]) -> Double? {
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let position = percent / 100 * Double(sorted.count - 1)
    guard position > 0 else { return first }
    guard position < Double(sorted.count - 1) else { return last }
    let below = Int(position)
    let fraction = position - Double(below)
    return sorted[below] + (sorted[below + 1] - sorted[below]) * fraction
  }

  /// Median of the amounts in each tenth of a duration, per second.
  ///
  /// The rate of something steady; zero for what happens once or in one place.
  public static func steadyRate(
    _ events: [(time: Double, amount: Double)], durationSeconds: Double
  ) -> Double {
    guard durationSeconds > 0 else { return 0 }
    var windows = [Double](repeating: 0, count: 10)
    for event in events where event.time >= 0 && event.time <= durationSeconds {
      windows[min(Int(event.time / durationSeconds * 10), 9)] += event.amount
    }
    return (median(windows) ?? 0) / (durationSeconds / 10)
  }
}
