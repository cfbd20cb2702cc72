/// Parts of a whole number that are whole numbers themselves and add up to it.
enum WholeShares {
  /// The shares by weights: what is left over by rounding down goes where the most was lost, of equals to the first.
  static func of(_ total: Double, by weights: [Double]) -> [Double] {
    let all = weights.reduce(0, +)
    guard all > 0 else { return weights.map { _ in 0 } }
    let exact = weights.map { total * ($0 / all) }
    var shares = exact.map { $0.rounded(.down) }
    let left = total - shares.reduce(0, +)
    let byLoss = exact.indices.sorted {
      (exact[$1] - shares[$1], $0) < (exact[$0] - shares[$0], $1)
    }
    for index in byLoss.prefix(Int(left.rounded())) { shares[index] += 1 }
    return shares
  }
}
