import Histogram

/// The values of one figure in many reports, to three significant digits; two of them add up.
struct FigureHistogram: Sendable {
  /// Parts of the figure's unit that are told apart: counts are whole, the rest has nine digits.
  let scale: Double
  private(set) var count: UInt64 = 0
  private(set) var sum = 0.0
  private(set) var least = Double.infinity
  private(set) var most = -Double.infinity
  private var positive = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
  /// Growth can be negative, which a histogram cannot.
  private var negative = Histogram<UInt64>(numberOfSignificantValueDigits: .three)

  /// The most that a histogram can hold.
  private static let largest = Double(UInt64(1) << 62)

  init(scale: Double) { self.scale = scale }

  mutating func record(_ value: Double) {
    guard value.isFinite else { return }
    count += 1
    sum += value
    least = min(least, value)
    most = max(most, value)
    let scaled = UInt64(min((value.magnitude * scale).rounded(), Self.largest))
    if value < 0 { negative.record(scaled) } else { positive.record(scaled) }
  }

  mutating func add(_ other: FigureHistogram) {
    count += other.count
    sum += other.sum
    least = min(least, other.least)
    most = max(most, other.most)
    positive.add(other.positive)
    negative.add(other.negative)
  }

  /// The value that this share of the reports does not exceed.
  func percentile(_ share: Double) -> Double {
    guard count > 0 else { return 0 }
    let rank = max(1, (share * Double(count)).rounded(.up))
    let below = Double(negative.totalCount)
    let value: Double
    if rank <= below {
      value = -Double(negative.valueAtPercentile(100 * (below - rank + 1) / below)) / scale
    } else {
      let above = Double(positive.totalCount)
      value = Double(positive.valueAtPercentile(100 * (rank - below) / above)) / scale
    }
    // A histogram answers with the upper end of its step, which may be past what was seen.
    return min(max(value, least), most)
  }

  /// The steps that hold values: the value, scaled, and how often.
  var steps: (positive: [[UInt64]], negative: [[UInt64]]) {
    (Self.steps(positive), Self.steps(negative))
  }

  private static func steps(_ histogram: Histogram<UInt64>) -> [[UInt64]] {
    guard histogram.totalCount > 0 else { return [] }
    return histogram.recordedValues().map { [$0.value, $0.count] }
  }

  /// A histogram from what `steps` gave, and what a histogram does not keep.
  init?(
    scale: Double, sum: Double, least: Double, most: Double, positive: [[UInt64]],
    negative: [[UInt64]]
  ) {
    self.init(scale: scale)
    self.sum = sum
    self.least = least
    self.most = most
    for (steps, isNegative) in [(positive, false), (negative, true)] {
      for step in steps {
        guard step.count == 2, step[0] <= UInt64(Self.largest) else { return nil }
        let (total, overflow) = count.addingReportingOverflow(step[1])
        guard !overflow else { return nil }
        count = total
        if isNegative {
          self.negative.record(step[0], count: step[1])
        } else {
          self.positive.record(step[0], count: step[1])
        }
      }
    }
  }
}
