import Quantities

/// Tells timers of different periods apart whose expiries come in one series.
///
/// Each expiry was of at least one of them. A timer is a train: times at whole multiples of a period from one of them,
/// for a part of the series or all of it, as that of a loop that polls while something lasts. The train that explains
/// most of what is left is taken first, and what it explains is left out. Where the trains do not explain most of all,
/// as in a server whose handlers wait too, only those are told that chance cannot have made; a timer whose every expiry
/// is another's too is not found.
package enum TimerTrains {
  /// A train has so many expiries at least.
  private static let fewest = 5
  /// And of the places that it goes through, this share is there.
  private static let fewestPresent = 0.8
  /// Where more in a row are missing, it has ended.
  private static let mostMissing = 2
  /// An expiry may come so much beside its time, as a share of the period, and at least so many seconds.
  private static let tolerance = 0.005
  private static let leastTolerance = 0.0015
  /// So many trains at most are looked for, and fewer that chance may have made.
  private static let mostTrains = 24
  private static let mostDoubtful = 5
  private static let leastExplained = 0.8
  /// What is likelier than this to come about in as many times spread at random is a timer only where trains explain
  /// most of all.
  private static let mostByChance = 0.0001
  /// Longer series are looked at in part to find periods, and as a whole to follow them.
  private static let mostSeeds = 400
  private static let mostNext = 24
  private static let mostTimes = 20_000

  private struct Train {
    var places: [Int]
    var period: Double
    /// The span that it goes through, in seconds of the series.
    var start: Double
    var end: Double
    /// Chance cannot have made it.
    var isSure: Bool
  }

  /// Where a train may be: from a time on, with a period in tenths of a millisecond, within which it is the same again.
  private struct Trial: Hashable {
    var start: Int
    var period: Int
  }

  /// The places of each timer's times in the ascending series, the timer with most times first.
  package static func split(_ times: [Double]) -> [[Int]] {
    guard times.count >= 2 * fewest, times.count <= mostTimes, let first = times.first,
      let last = times.last, last > first
    else { return [] }
    var left = Array(times.indices)
    var trains: [Train] = []
    while trains.count < mostTrains, trains.count(where: { !$0.isSure }) < mostDoubtful,
      left.count >= fewest, let train = best(times, left)
    {
      trains.append(train)
      let taken = Set(train.places)
      left.removeAll(where: taken.contains)
    }
    let explainsMost = Double(left.count) <= (1 - leastExplained) * Double(times.count)
    return joined(trains.filter { explainsMost || $0.isSure }).map(\.places)
      .sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
  }

  /// Trains of one period of which one begins after the other ended are one timer that was set again.
  private static func joined(_ trains: [Train]) -> [Train] {
    var timers: [Train] = []
    for train in trains.sorted(by: { $0.start < $1.start }) {
      let same = timers.firstIndex {
        $0.end < train.start && abs($0.period - train.period) <= reach(of: train.period)
      }
      guard let same else {
        timers.append(train)
        continue
      }
      timers[same].places += train.places
      timers[same].end = train.end
    }
    return timers
  }

  private static func reach(of period: Double) -> Double {
    max(tolerance * period, leastTolerance)
  }

  /// The train that explains most of what is left.
  private static func best(_ times: [Double], _ left: [Int]) -> Train? {
    let span = times[times.count - 1] - times[0]
    var best: Train?
    var tried: Set<Trial> = []
    for seed in stride(from: 0, to: left.count, by: max(1, left.count / mostSeeds)) {
      for next in left[(seed + 1)...].prefix(mostNext) {
        let period = times[next] - times[left[seed]]
        // What as many times spread at random would give is no train.
        let chance = Double(left.count) / span * 2 * reach(of: period)
        guard period > 2 * leastTolerance, span / period >= Double(fewest - 1), chance < 0.5
        else { continue }
        let start = beginning(times, left, of: seed, period: period)
        guard tried.insert(Trial(start: start, period: Int(period * 10_000))).inserted else {
          continue
        }
        guard let train = follow(times, left, from: start, period: period),
          train.places.count >= max(fewest, best.map { $0.places.count + 1 } ?? 0),
          Double(train.places.count) > 3 * chance * (train.end - train.start) / period + 3
        else { continue }
        best = train
      }
    }
    return best
  }

  /// The earliest time of a train to which a time of a series belongs, as its place in it.
  private static func beginning(
    _ times: [Double], _ left: [Int], of seed: Int, period: Double
  ) -> Int {
    let reach = reach(of: period)
    var start = left[seed]
    while true {
      let expected = times[start] - period
      let next = left.partitioningIndex { times[$0] >= expected - reach }
      let nearest = left[next...].prefix { times[$0] <= expected + reach }
        .min { abs(times[$0] - expected) < abs(times[$1] - expected) }
      guard let nearest else { return start }
      start = nearest
    }
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

  /// The times that come a period after another from a place on, until they come no more; nil where too many are
  /// missing.
  private static func follow(
    _ times: [Double], _ left: [Int], from start: Int, period: Double
  ) -> Train? {
    var train: [Int] = [start]
    var places = 1
    var missing = 0
    var lateness = 0
    // From where the period is measured.
    var anchor = (time: times[start], places: 1)
    var expected = times[start] + period
    var interval = period
    let reach = reach(of: period)
    var next = left.partitioningIndex { $0 > start }
    while expected <= times[times.count - 1] + reach, missing <= mostMissing {
      places += 1
      missing += 1
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
        missing = 0
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
        missing = 0
        lateness += 1
        anchor = (times[late], places)
        expected = times[late] + interval
        next = left.partitioningIndex { $0 > late }
      } else {
        expected += interval
      }
    }
    places -= missing
    guard train.count >= 2, Double(train.count) >= fewestPresent * Double(places) else {
      return nil
    }
    let (begin, end) = (times[start], times[train[train.count - 1]])
    let within = left.partitioningIndex { times[$0] > end } - left.partitioningIndex { $0 >= start }
    let likelihood = Likelihood(
      trials: left.count * mostNext, places: places - 2, present: train.count - 2, late: lateness,
      rate: Double(within) / (end - begin), period: interval, reach: reach)
    return Train(
      places: train, period: interval, start: begin, end: end,
      isSure: likelihood.isBelow(mostByChance))
  }
}

/// How likely it is that one of so many trials finds at least so many of its places taken by times that come by chance.
private struct Likelihood {
  var trials: Int
  var places: Int
  var present: Int
  /// Of those present, they that came anywhere within a period.
  var late: Int
  /// Times in a second.
  var rate: Double
  var period: Double
  var reach: Double

  /// By the union bound over the trials and the choices of places: never too low.
  func isBelow(_ limit: Double) -> Bool {
    let chance = rate * 2 * reach
    guard present > late, chance < 1 else { return false }
    var likelihood = Double(trials)
    for missing in 0..<(places - present) {
      likelihood *= Double(places - missing) / Double(missing + 1)
    }
    for _ in 0..<late { likelihood *= max(1, rate * period) * Double(places) }
    for _ in 0..<(present - late) { likelihood *= chance }
    return likelihood < limit
  }
}
