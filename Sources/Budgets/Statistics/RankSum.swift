import Glibc
import Synchronization

/// The test of Mann, Whitney and Wilcoxon: whether one of two samples tends to be larger.
package enum RankSum {
  /// Up to this many values in both samples together the distribution is computed, not approximated.
  private static let exactLimit = 60

  /// The chance, were both samples of one kind, of ranks at least as uneven as these; two-sided.
  ///
  /// Exact for small samples, given the ties that there are; else the normal approximation with
  /// corrections for ties and for continuity.
  package static func pValue(_ left: [Double], _ right: [Double]) -> Double {
    guard !left.isEmpty, !right.isEmpty else { return 1 }
    let (ranks, ties) = doubledRanks(left, right)
    let sum = ranks.prefix(left.count).reduce(0, +)
    // Twice the rank sum that is expected, in doubled ranks.
    let expected = left.count * (left.count + right.count + 1)
    let distance = abs(sum - expected)
    guard distance > 0 else { return 1 }
    if left.count + right.count > exactLimit {
      return normal(distance, left.count, right.count, ties)
    }
    let counts =
      ties.isEmpty
      ? untied(left.count, right.count) : distribution(ranks: ranks, chosen: left.count)
    var extreme = 0.0
    var all = 0.0
    for (value, count) in counts.enumerated() where count > 0 {
      all += count
      if abs(value - expected) >= distance { extreme += count }
    }
    return min(1, extreme / all)
  }

  /// Twice the mean ranks, first those of the left sample; and the sizes of the groups of equals.
  private static func doubledRanks(
    _ left: [Double], _ right: [Double]
  ) -> (ranks: [Int], ties: [Int]) {
    let values = left + right
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = [Int](repeating: 0, count: values.count)
    var ties: [Int] = []
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
      for index in order[start..<end] { ranks[index] = start + 1 + end }
      if end - start > 1 { ties.append(end - start) }
      start = end
    }
    return (ranks, ties)
  }

  private struct Sizes: Hashable {
    var left: Int
    var right: Int
  }

  private static let known = Mutex<[Sizes: [Double]]>([:])

  /// The distribution without ties, which depends on the sizes only.
  private static func untied(_ left: Int, _ right: Int) -> [Double] {
    let sizes = Sizes(left: left, right: right)
    if let counts = known.withLock({ $0[sizes] }) { return counts }
    let counts = distribution(ranks: (1...(left + right)).map { 2 * $0 }, chosen: left)
    known.withLock { $0[sizes] = counts }
    return counts
  }

  /// In how many ways so many of the ranks add up to each sum.
  private static func distribution(ranks: [Int], chosen: Int) -> [Double] {
    let most = ranks.sorted(by: >).prefix(chosen).reduce(0, +)
    var ways = [[Double]](
      repeating: [Double](repeating: 0, count: most + 1), count: chosen + 1)
    ways[0][0] = 1
    for rank in ranks {
      for size in stride(from: chosen, to: 0, by: -1) {
        for sum in stride(from: most, through: rank, by: -1) where ways[size - 1][sum - rank] > 0 {
          ways[size][sum] += ways[size - 1][sum - rank]
        }
      }
    }
    return ways[chosen]
  }

  private static func normal(_ distance: Int, _ left: Int, _ right: Int, _ ties: [Int]) -> Double {
    let (n, m) = (Double(left), Double(right))
    let all = n + m
    let tied = ties.reduce(0.0) { $0 + Double($1 * $1 * $1 - $1) }
    let variance = n * m / 12 * (all + 1 - tied / (all * (all - 1)))
    guard variance > 0 else { return 1 }
    let deviation = max(0, Double(distance) / 2 - 0.5) / variance.squareRoot()
    return erfc(deviation / 2.0.squareRoot())
  }
}
