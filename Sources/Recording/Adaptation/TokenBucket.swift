/// How many may come at once, and a second; what is more is too much.
struct TokenBucket {
  struct Limit {
    var burst: Double
    var perSecond: Double
  }

  let limit: Limit
  private var tokens: Double

  init(_ limit: Limit) {
    self.limit = limit
    tokens = limit.burst
  }

  /// Takes what came in so many seconds; true where it was too much.
  mutating func take(_ count: Double, in seconds: Double) -> Bool {
    tokens = min(limit.burst, tokens + seconds * limit.perSecond) - count
    return tokens < 0
  }

  /// Whether so many may come now.
  func has(_ count: Double) -> Bool { tokens >= count }

  mutating func refill() { tokens = limit.burst }
}
