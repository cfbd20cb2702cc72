/// How often the target's threads take and leave CPUs, by their SWITCH records.
///
/// What a switch costs grows with the events that the thread has, by 0.3 µs each for both ways, and a program that
/// switches this often waits for requests, of which each makes a dozen more events.
struct SwitchRate {
  enum Verdict { case high, calm, undecided }

  /// Up to so many at once, as when a program starts.
  private static let burst = 4_000.0
  private static let limit = 6_000.0
  private static let calmNanoseconds: UInt64 = 1_000_000_000
  private static let windowNanoseconds: UInt64 = 100_000_000

  var records = 0.0
  private(set) var perSecond = 0.0
  private var tokens = SwitchRate.burst
  private var windowStart: UInt64 = 0
  private var lastHigh: UInt64 = 0

  /// Looks at the records since the last window; `isHigh` is what was found before.
  mutating func judge(now: UInt64, isHigh: Bool) -> Verdict {
    guard windowStart > 0 else {
      windowStart = now
      return .undecided
    }
    guard now &- windowStart >= Self.windowNanoseconds else { return .undecided }
    let seconds = Double(now &- windowStart) / 1e9
    perSecond = records / seconds
    tokens = min(Self.burst, tokens + seconds * Self.limit) - records
    windowStart = now
    records = 0
    if perSecond > Self.limit / 2 { lastHigh = now }
    if isHigh { return now &- lastHigh >= Self.calmNanoseconds ? .calm : .undecided }
    guard tokens < 0 else { return .undecided }
    tokens = Self.burst
    return .high
  }
}
