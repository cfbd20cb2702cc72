import Glibc

/// How often looks are taken: so often that they cost little.
struct OutsidePace {
  /// The time between two looks at a thread that does something.
  private(set) var interval = shortest
  private(set) var largest = shortest
  private var windowStart: UInt64 = 0
  private var windowCost: UInt64 = 0
  /// How far looks were apart, in milliseconds: each count is of one, the last of all longer.
  private var gaps = [UInt64](repeating: 0, count: 257)
  private var lastLook: UInt64 = 0

  /// 250 a second.
  static let shortest: UInt64 = 4_000_000
  private static let longest: UInt64 = 40_000_000
  private static let window: UInt64 = 250_000_000
  /// Of a core, in thousandths: above the one looks get rarer, below the other denser again.
  private static let most: UInt64 = 30
  private static let least: UInt64 = 12

  /// The CPU time of this thread so far, in nanoseconds.
  static var ownTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// A round of looks began then and cost so much.
  mutating func took(_ cost: UInt64, at time: UInt64) {
    if lastLook > 0, time > lastLook {
      gaps[Int(min((time - lastLook) / 1_000_000, UInt64(gaps.count - 1)))] += 1
    }
    lastLook = time
    if windowStart == 0 { windowStart = time }
    windowCost += cost
    guard time - windowStart >= Self.window else { return }
    let share = windowCost * 1000 / (time - windowStart)
    if share > Self.most {
      interval = min(interval * 3 / 2, Self.longest)
    } else if share < Self.least {
      interval = max(interval * 2 / 3, Self.shortest)
    }
    largest = max(largest, interval)
    (windowStart, windowCost) = (time, 0)
  }

  /// There is nothing to look at for a while: how long that is tells nothing of how far apart looks are.
  mutating func pauses() { lastLook = 0 }

  /// How far apart 19 of 20 looks were at most, in milliseconds; nil before the second.
  var usualGap: Int? {
    let all = gaps.reduce(0, +)
    guard all > 0 else { return nil }
    var sum: UInt64 = 0
    for (milliseconds, count) in gaps.enumerated() {
      sum += count
      if sum * 20 >= all * 19 { return milliseconds + 1 }
    }
    return gaps.count
  }
}
