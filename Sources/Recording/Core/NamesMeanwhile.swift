/// When the processes that are recorded are told of while it goes on: of a recording that is killed it would be known
/// of none, not even of the first, whether they were.
struct NamesMeanwhile {
  private var told = 0
  private var next: UInt64 = 0

  /// A trace grows by some kilobytes each time.
  private static let interval: UInt64 = 250_000_000

  /// Whether so many are to be told now; many more seldom, since all are told each time.
  mutating func areDue(_ count: Int, now: UInt64) -> Bool {
    guard count != told, now >= next else { return false }
    told = count
    next = now + Self.interval * (1 + UInt64(count) / 16)
    return true
  }
}
