/// Correction for asking many questions at once (Holm, 1979).
package enum Holm {
  /// The p-values as they count together: below a bound, their family is wrong no more often than it.
  package static func adjusted(_ values: [Double]) -> [Double] {
    var result = values
    var largest = 0.0
    for (place, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
      largest = max(largest, min(1, values[index] * Double(values.count - place)))
      result[index] = largest
    }
    return result
  }
}
