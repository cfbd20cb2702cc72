import Quantities
import Signals

/// A sum over events that occur at random: how many there were, how long they lasted, what they wrote.
///
/// With events of one size the bounds are Garwood's (1936), exact for Poisson's distribution. With events of different
/// sizes the sum is compound Poisson, and the bounds are Fay and Feuer's (1997) for a weighted sum of Poisson counts:
/// a gamma distribution that has the sum's mean and variance, for the upper bound with one more event of the largest
/// size. They become Garwood's when all sizes are equal, and where nothing was seen the upper one is that of one unseen
/// event of a stated size. Events that come more regularly than by chance, as a timer's, are better known than this
/// says.
struct EventSum: Sendable, Equatable {
  /// What the events come to.
  private(set) var total = 0.0
  /// The sum of the squares of their sizes.
  private(set) var squares = 0.0
  /// The largest size.
  private(set) var largest = 0.0
  /// How many events there were.
  private(set) var count = 0
  /// The size of an event that was not seen and might have been.
  var unseen = 1.0

  /// Of what it came to only a part was recorded, each for several.
  private(set) var isSampled = false
  /// By how much more it would come to if what was not recorded were like what was, and the sum is of that alone.
  private var mostFactor = 1.0

  /// So many events of size one, of which so many were recorded (nil: all), each of which stands for as many.
  init(count: Int, recorded: Int? = nil) {
    self.init(total: Double(count), events: count, recorded: recorded, unseen: 1)
  }

  /// The same of events that come to so much together.
  init(total: Double, events: Int, recorded: Int?, unseen: Double) {
    let seen = min(max(recorded ?? events, 1), max(events, 1))
    self.unseen = unseen * max(Double(events), 1) / Double(seen)
    isSampled = seen < events
    add(total, events: min(seen, events))
  }

  /// Events of known sizes.
  init(sizes: some Sequence<Double>, unseen: Double) {
    self.unseen = unseen
    for size in sizes { add(size, events: 1) }
  }

  /// So many events whose sum alone is known: they are taken to be of one size.
  init(total: Double, events: Int, unseen: Double) {
    self.unseen = unseen
    add(total, events: events)
  }

  /// What was estimated from some of the events.
  init(_ sampled: SampledBytes) {
    total = sampled.total
    squares = sampled.squares
    largest = sampled.largest
    unseen = 0
    count = 1
    isSampled = true
  }

  /// Adds events that come to so much together; a sum without a count is one event.
  mutating func add(_ sum: Double, events: Int) {
    guard sum > 0 else { return }
    let size = sum / Double(max(events, 1))
    count += max(events, 1)
    total += sum
    squares += sum * size
    largest = max(largest, size)
  }

  /// Of the events, or of those that are like them, only this share was recorded; the sum is of these, or estimated
  /// for all.
  mutating func wereRecorded(_ share: Double, isOfRecorded: Bool) {
    guard share > 0, share < 1 else { return }
    isSampled = true
    guard !isOfRecorded else {
      mostFactor = 1 / share
      return
    }
    // Each that was recorded stands for several.
    squares /= share
    largest /= share
    unseen /= share
    count = Int(saturating: (Double(count) * share).rounded(.up))
  }

  /// Bounds of what such events come to in an exposure like the one they were seen in.
  var bounds: Bounds {
    let size = max(largest, unseen)
    let low =
      total > 0
      ? squares / total * GammaDistribution.quantile(Bounds.tail, shape: total * total / squares)
      : 0
    guard size > 0 else { return Bounds(low: low, high: mostFactor * total) }
    let (more, moreSquares) = (total + size, squares + size * size)
    let high =
      mostFactor * moreSquares / more
      * GammaDistribution.quantile(1 - Bounds.tail, shape: more * more / moreSquares)
    return Bounds(low: low, high: high)
  }
}
