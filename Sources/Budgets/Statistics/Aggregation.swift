import Quantities

extension Aggregation {
  /// The one figure that stands for the runs'.
  package func value(of values: [Double]) -> Double {
    switch self {
    case .median: Quantiles.median(values) ?? 0
    case .mean: values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    case .min: values.min() ?? 0
    case .max: values.max() ?? 0
    case .p75: Quantiles.quantile(0.75, of: values) ?? 0
    case .p90: Quantiles.quantile(0.9, of: values) ?? 0
    case .p95: Quantiles.quantile(0.95, of: values) ?? 0
    case .p99: Quantiles.quantile(0.99, of: values) ?? 0
    }
  }
}
