import Quantities

/// Amounts at times, summed up so that the sum between two times is found at once.
struct CumulativeSeries {
  private let times: [UInt64]
  /// Sum of the amounts before each time; one more than there are times.
  private let sums: [Double]

  init(_ entries: some Sequence<(time: UInt64, amount: Double)>) {
    let sorted = entries.sorted { $0.time < $1.time }
    times = sorted.map(\.time)
    var sum = 0.0
    var sums = [0.0]
    sums.reserveCapacity(sorted.count + 1)
    for entry in sorted {
      sum += entry.amount
      sums.append(sum)
    }
    self.sums = sums
  }

  /// Number and sum of the amounts before a time.
  func before(_ time: UInt64) -> (count: Int, sum: Double) {
    let count = times.partitioningIndex { $0 >= time }
    return (count, sums[count])
  }

  /// Sum of the amounts from one time to before another.
  func sum(from start: UInt64, to end: UInt64) -> Double { before(end).sum - before(start).sum }
}
