/// The queue of a slow channel, of which a faster one takes over when it holds too much (the RLC buffer of 3G's shared
/// channel).
package struct RadioBuffer: Sendable, Equatable {
  /// Bytes above which the faster channel is asked for.
  package var bytes: Double
  /// How long the channel takes to empty it, in seconds: coefficients of 1, the bytes and their square.
  package var emptying: [Double]

  /// Makes a buffer.
  package init(bytes: Double, emptying: [Double]) {
    self.bytes = bytes
    self.emptying = emptying
  }

  /// What it holds, since when.
  struct Level {
    var bytes = 0.0
    var since = -Double.infinity
  }

  /// Puts bytes in; true when that is too much for the channel.
  func overflows(_ level: inout Level, with added: UInt64, at time: Double) -> Bool {
    guard added > 0 else { return false }
    let waits = time - level.since < seconds(toEmpty: level.bytes)
    level = Level(bytes: (waits ? level.bytes : 0) + Double(added), since: time)
    return level.bytes > bytes
  }

  private func seconds(toEmpty held: Double) -> Double {
    emptying.reversed().reduce(0) { $0 * held + $1 }
  }
}
