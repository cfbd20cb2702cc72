import Quantities

/// Tells timers of different periods apart whose expiries come in one series.
///
/// Each expiry was of at least one of them. A timer is a train: times at whole multiples of a period from one of them.
/// The train that explains most of what is left is taken first, and what it explains is left out. Where a few trains do
/// not explain most of all, as in a server whose handlers wait too, only those are told that chance cannot have made; a
/// timer whose every expiry is another's too is not found.
package enum TimerTrains {
  /// A train has so many expiries at least.
  private static let fewest = 5
  /// And of the places that it goes through, this share is there.
  private static let fewestPresent = 0.8
  /// An expiry may come so much beside its time, as a share of the period, and at least so many seconds.
  private static let tolerance = 0.005
  private static let leastTolerance = 0.0015
  /// So many trains at most explain this share of all times.
  private static let mostTrains = 5
  private static let leastExplained = 0.8
  /// What has so many expiries, where at most this share would be there by chance, is a timer whatever the rest is.
  private static let fewestSure = 20
  private static let mostBySureChance = 0.2
  /// Longer series are looked at in part to find periods, and as a whole to follow them.
  private static let mostSeeds = 24
  private static let mostTimes = 20_000

  /// The places of each train's times in the ascending series, the train with most times first.
  package static func split(_ times: [Double]) -> [[Int]] {
    guard times.count >= 2 * fewest, times.count <= mostTimes, let first = times.first,
      let last = times.last, last > first
    else { return [] }
    var left = Array(times.indices)
    var trains: [(places: [Int], isSure: Bool)] = []
    while trains.count < mostTrains, left.count >= fewest, let train = best(times, left) {
      trains.append(train)
      let taken = Set(train.places)
      left.removeAll(where: taken.contains)
    }
    let explainsMost = Double(left.count) <= (1 - leastExplained) * Double(times.count)
    return trains.filter { explainsMost || $0.isSure }.map(\.places)
  }

  /// The train that explains most of what is left.
  private static func best(_ times: [Double], _ left: [Int]) -> (places: [Int], isSure: Bool)? {
    let span = times[times.count - 1] - times[0]
    var best: [Int] = []
    var isSure = false
    var tried: Set<Int> = []
    for (seed, start) in left.prefix(mostSeeds).enumerated() {
      for next in left.dropFirst(seed + 1).prefix(mostSeeds) {
        let period = times[next] - times[start]
        // Within a tenth of a millisecond it is the same period again, from another place.
        guard period > 2 * leastTolerance, span / period >= Double(fewest - 1),
          tried.insert(Int(period * 10_000) &* 64 &+ seed % 64).inserted
        else { continue }
        let train = follow(times, left, from: start, period: period)
        // What as many times spread at random would give is no train.
        let reach = max(tolerance * period, leastTolerance)
        let chance = Double(left.count) / span * 2 * reach
        if train.count > best.count, Double(train.count) > 3 * chance * span / period + 3 {
          best = train
          isSure = train.count >= fewestSure && chance <= mostBySureChance
        }
      }
    }
    return best.count >= max(fewest, times.count / 50) ? (best, isSure) : nil
  }

  /// Whether expiries come at the next three times of a train.
  private static func goesOn(
    _ times: [Double], _ left: [Int], from start: Int, _ interval: Double, _ reach: Double
  ) -> Bool {
    (1...3).allSatisfy { step in
      let expected = times[start] + Double(step) * interval
      let next = left.partitioningIndex { times[$0] >= expected - reach }
      return next < left.count && times[left[next]] <= expected + reach
    }
  }

  /// The times that come a period after another from a place on, and before it; empty where too many are missing.
  private static func follow(
    _ times: [Double], _ left: [Int], from start: Int, period: Double
  ) -> [Int] {
    var train: [Int] = [start]
    var places = 1
    // From where the period is measured.
    var anchor = (time: times[start], places: 1)
    var expected = times[start] + period
    var interval = period
    let reach = max(tolerance * period, leastTolerance)
    var next = left.partitioningIndex { $0 > start }
    while expected <= times[times.count - 1] + reach {
      places += 1
      while next < left.count, times[left[next]] < expected - reach { next += 1 }
      // Any expiry at that time may be this timer's, the nearest most of all; those of trains that were found are
      // theirs.
      if next < left.count, times[left[next]] <= expected + reach {
        while next + 1 < left.count,
          abs(times[left[next + 1]] - expected) < abs(times[left[next]] - expected)
        {
          next += 1
        }
        train.append(left[next])
        // The period is better known the farther one has come; among times that lie close together it would shrink to
        // nothing.
        let mean = (times[left[next]] - anchor.time) / Double(places - anchor.places)
        if abs(mean - period) <= reach { interval = mean }
        expected = times[left[next]] + interval
        next += 1
      } else if let late = left[next...].prefix(while: { times[$0] < expected + interval - reach })
        .first(where: { goesOn(times, left, from: $0, interval, reach) })
      {
        // What sleeps again after its work is late for ever once it was late.
        train.append(late)
        anchor = (times[late], places)
        expected = times[late] + interval
        next = left.partitioningIndex { $0 > late }
      } else {
        expected += interval
      }
    }
    let isWhole = times[start] - period < times[0] + reach || places >= 4 * fewest
    return isWhole && Double(train.count) >= fewestPresent * Double(places) ? train : []
  }
}
