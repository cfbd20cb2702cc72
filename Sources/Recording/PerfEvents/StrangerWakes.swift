/// How often programs that are not the target's may wake the recorder.
///
/// A program that ends within a millisecond is looked at only if its beginning wakes the recorder at once. The event
/// that tells it is the machine's: beside a build, others' programs would wake it a hundred times a second.
struct StrangerWakes {
  private static let limit = TokenBucket.Limit(burst: 20, perSecond: 2)
  /// How long rounds alone look at what began.
  static let pause: UInt64 = 5_000_000_000

  private var tokens = TokenBucket(limit)
  private var last: UInt64 = 0
  private var resumes: UInt64 = 0

  /// Whether the events may wake the recorder.
  func areHeard(now: UInt64) -> Bool { now >= resumes }

  /// Programs of others that began since the last look.
  mutating func note(_ count: Int, now: UInt64) {
    let elapsed = last == 0 ? 0 : Double(now &- last) / 1e9
    last = now
    guard areHeard(now: now), tokens.take(Double(count), in: elapsed) else { return }
    tokens.refill()
    resumes = now + Self.pause
  }

  /// The target began a process or a program: more may follow.
  mutating func targetBegan() {
    tokens.refill()
    resumes = 0
  }
}
