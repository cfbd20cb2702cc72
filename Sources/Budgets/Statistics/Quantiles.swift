/// Figures that stand for many.
package enum Quantiles {
  /// The middle value, or the mean of the two in the middle; zero of nothing.
  package static func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

  /// The value below which a share of the values lies, linear between neighbours (Hyndman and Fan's type 7).
  package static func quantile(_ values: [Double], _ share: Double) -> Double {
    sortedQuantile(values.sorted(), share)
  }

  /// The same of values that are in order already.
  package static func sortedQuantile(_ sorted: [Double], _ share: Double) -> Double {
    guard let first = sorted.first, let last = sorted.last else { return 0 }
    let position = min(max(share, 0), 1) * Double(sorted.count - 1)
    let index = Int(position)
    guard index + 1 < sorted.count else { return last }
    guard index >= 0 else { return first }
    return sorted[index] + (position - Double(index)) * (sorted[index + 1] - sorted[index])
  }

  /// The arithmetic mean; zero of nothing.
  package static func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }
}

extension Aggregation {
  /// The one figure that stands for the runs'.
  public func value(of values: [Double]) -> Double {
    switch self {
    case .median: Quantiles.median(values)
    case .mean: Quantiles.mean(values)
    case .min: values.min() ?? 0
    case .max: values.max() ?? 0
    case .p75: Quantiles.quantile(values, 0.75)
    case .p90: Quantiles.quantile(values, 0.9)
    case .p95: Quantiles.quantile(values, 0.95)
    case .p99: Quantiles.quantile(values, 0.99)
    }
  }
}
