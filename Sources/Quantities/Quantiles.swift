/// Order statistics: figures that stand for many.
package enum Quantiles {
  /// The middle value, or the mean of the two in the middle; nil of nothing.
  package static func median(_ values: [Double]) -> Double? { quantile(0.5, of: values) }

  /// The value below which a share of the values lies, linear between neighbours (Hyndman and Fan's type 7).
  package static func quantile(_ share: Double, of values: [Double]) -> Double? {
    quantile(share, ofSorted: values.sorted())
  }

  /// The same of values that are in order already.
  package static func quantile(_ share: Double, ofSorted sorted: [Double]) -> Double? {
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let position = share * Double(sorted.count - 1)
    guard position > 0 else { return first }
    guard position < Double(sorted.count - 1) else { return last }
    let below = Int(position)
    return sorted[below] + (position - Double(below)) * (sorted[below + 1] - sorted[below])
  }
}
