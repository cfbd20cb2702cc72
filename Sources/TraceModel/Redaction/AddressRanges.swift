import Quantities

/// Addresses where something is, as ranges that do not touch, in order.
struct AddressRanges {
  private var ranges: [Range<UInt64>] = []

  mutating func insert(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    let first = ranges.partitioningIndex { $0.upperBound >= range.lowerBound }
    let last = ranges.partitioningIndex { $0.lowerBound > range.upperBound }
    // What is mapped is told for each process again.
    if last == first + 1, ranges[first].lowerBound <= range.lowerBound,
      ranges[first].upperBound >= range.upperBound
    {
      return
    }
    let touched = ranges[first..<last]
    let joined =
      min(
        touched.first?.lowerBound ?? range.lowerBound, range.lowerBound)..<max(
        touched.last?.upperBound ?? range.upperBound, range.upperBound)
    ranges.replaceSubrange(first..<last, with: [joined])
  }

  func contains(_ address: UInt64) -> Bool {
    let index = ranges.partitioningIndex { $0.upperBound > address }
    return index < ranges.count && ranges[index].lowerBound <= address
  }
}
