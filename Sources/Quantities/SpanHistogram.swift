/// How long many things took, in some memory whatever their number: quantiles are right to a thirty-second part.
package struct SpanHistogram: Sendable, Hashable {
  /// Steps in which a length is counted between two powers of two.
  private static let steps: UInt64 = 32
  private var counts: [UInt32] = []
  package private(set) var count = 0

  package init() {}

  /// Counts a length, in nanoseconds.
  package mutating func add(_ nanoseconds: Int64) {
    let place = Self.place(of: UInt64(max(0, nanoseconds)))
    if place >= counts.count {
      counts.append(contentsOf: repeatElement(0, count: place + 1 - counts.count))
    }
    counts[place] &+= 1
    count += 1
  }

  /// The length that a share of them does not exceed, in seconds: the middle of its step. Nil of nothing.
  package func quantile(_ share: Double) -> Double? {
    guard count > 0 else { return nil }
    let wanted = max(1, Int((share * Double(count)).rounded(.up)))
    var seen = 0
    for (place, number) in counts.enumerated() {
      seen += Int(number)
      if seen >= wanted { return Self.middle(of: place) / 1e9 }
    }
    return nil
  }

  private static func place(of value: UInt64) -> Int {
    guard value >= steps else { return Int(value) }
    let shift = 63 - value.leadingZeroBitCount - 5
    return (shift + 1) * Int(steps) + Int((value >> UInt64(shift)) - steps)
  }

  private static func middle(of place: Int) -> Double {
    guard place >= Int(steps) else { return Double(place) }
    let shift = place / Int(steps) - 1
    let low = (steps + UInt64(place % Int(steps))) << UInt64(shift)
    return Double(low) + (Double(UInt64(1) << UInt64(shift)) - 1) / 2
  }
}
