/// Whether something happens too often to be recorded whole, and when it has calmed down.
struct EventRate {
  /// SWITCH records, of which a wait makes two. What a switch costs grows with the events that the thread has, by 0.3
  /// µs each for both ways, and a program that switches this often waits for requests, of which each makes a dozen more
  /// events. The burst is that of a program's start.
  static let switches = TokenBucket.Limit(burst: 4_000, perSecond: 6_000)

  /// System calls of the kinds that are recorded. An event that counts them makes each, and those of other kinds too,
  /// by 0.2 to 0.4 µs longer, whether it is sampled or not: so many are 2 to 4 % of a CPU.
  static let systemCalls = TokenBucket.Limit(burst: 100_000, perSecond: 100_000)

  static let calmNanoseconds: UInt64 = 1_000_000_000
  private static let windowNanoseconds: UInt64 = 100_000_000
  /// Of the limit: a window with less is a pause, and what comes after that is something else, of which the beginning
  /// is to be recorded.
  private static let pauseShare = 0.02

  /// How many there were since the last window, and how long it was listened for.
  var events = 0.0
  var heard: UInt64 = 0
  private(set) var isHigh = false
  private(set) var perSecond = 0.0
  /// Whether it is high, and was in the last window.
  var isHighNow: Bool { isHigh && perSecond > tokens.limit.perSecond / 2 }
  private var tokens: TokenBucket
  private var windowStart: UInt64 = 0
  private var lastHigh: UInt64 = 0

  init(_ limit: TokenBucket.Limit) { tokens = TokenBucket(limit) }

  /// Looks at the events since the last window.
  mutating func judge(now: UInt64) {
    guard windowStart > 0 else {
      // What came while the recorder got ready came in nobody knows how long.
      events = 0
      heard = 0
      windowStart = now
      return
    }
    guard now &- windowStart >= Self.windowNanoseconds, heard > 0 else { return }
    let seconds = Double(heard) / 1e9
    perSecond = events / seconds
    // Between two slices it will have been no different.
    let elapsed = Double(now &- windowStart) / 1e9
    let wasHeard = heard >= Self.windowNanoseconds
    windowStart = now
    events = 0
    heard = 0
    if perSecond > tokens.limit.perSecond / 2 { lastHigh = now }
    if isHigh {
      let isPause = wasHeard && perSecond < tokens.limit.perSecond * Self.pauseShare
      isHigh = !isPause && now &- lastHigh < Self.calmNanoseconds
      // What comes next begins anew.
      if !isHigh { tokens.refill() }
    } else {
      isHigh = tokens.take(perSecond * elapsed, in: elapsed)
    }
  }
}
