/// Replays traffic with another schedule or on another radio.
package enum RadioReplays {
  /// The same traffic with what the program began delayed by up to `delay`, so that it shares bursts.
  ///
  /// Consecutive bursts are moved right to where the last of them, or the first burst that cannot be
  /// moved, stands: the order of all transfers, their sizes and the distances within a burst stay as
  /// they were, none comes earlier than it did, and none more than `delay` later. Bursts that the
  /// other end began, large ones, retransmissions and bare connection changes are not moved.
  package static func coalesced(
    _ transfers: [NetworkTransfer], delay: Double, from start: Double, to end: Double,
    profile: RadioProfile
  ) -> RadioReplaySaving {
    let before = BurstSplitter.bursts(of: transfers, from: start, to: end, profile: profile)
    let moved = schedule(transfers, delay: delay, from: start, to: end, profile: profile)
    let after = BurstSplitter.bursts(of: moved.transfers, from: start, to: end, profile: profile)
    return RadioReplaySaving(
      change: "sends delayed by up to \(Int(delay)) s", delaySeconds: moved.longestDelay,
      bursts: after.bursts.count, energyJoules: after.radio.energyJoules,
      savedJoules: before.radio.energyJoules - after.radio.energyJoules,
      movedSends: moved.movedSends)
  }

  /// The new schedule of `coalesced`.
  static func schedule(
    _ transfers: [NetworkTransfer], delay: Double, from start: Double, to end: Double,
    profile: RadioProfile
  ) -> (transfers: [NetworkTransfer], longestDelay: Double, movedSends: Int) {
    let inside = transfers.filter { $0.time >= start && $0.time <= end }
    let groups = BurstSplitter.split(inside)
    let bursts = BurstSplitter.bursts(of: inside, from: start, to: end, profile: profile).bursts
    let exchanges = zip(groups, bursts).map { group, burst in
      Exchange(
        transfers: group, start: burst.start, length: burst.durationSeconds,
        isMovable: burst.class == .application || burst.class == .periodic)
    }
    var result: [NetworkTransfer] = []
    var longest = 0.0
    var moved = 0
    var index = 0
    while index < exchanges.count {
      let last = groupEnd(exchanges, from: index, delay: delay)
      // From the right: the last stays, each other one ends where the next begins.
      var next = exchanges[last].start
      var placed: [[NetworkTransfer]] = [exchanges[last].transfers]
      for exchange in exchanges[index..<last].reversed() {
        let begin = next - exchange.length
        let shift = begin - exchange.start
        longest = max(longest, shift)
        moved += exchange.transfers.count { $0.bytesUp > 0 }
        placed.append(
          exchange.transfers.map {
            var transfer = $0
            transfer.time += shift
            return transfer
          })
        next = begin
      }
      result += placed.reversed().joined()
      index = last + 1
    }
    return (result, longest, moved)
  }

  private struct Exchange {
    var transfers: [NetworkTransfer]
    var start: Double
    var length: Double
    var isMovable: Bool
  }

  /// The last exchange that shares a burst with the one at `first`.
  ///
  /// That is the first one that cannot be moved, if it is near enough, else the last one near enough: with the order
  /// kept, no other choice gives fewer bursts.
  private static func groupEnd(_ exchanges: [Exchange], from first: Int, delay: Double) -> Int {
    guard exchanges[first].isMovable else { return first }
    var last = first
    var moved = 0.0
    for index in (first + 1)..<max(first + 1, exchanges.count) {
      moved += exchanges[index - 1].length
      // What the first would be delayed by.
      guard exchanges[index].start - moved - exchanges[first].start <= delay else { break }
      last = index
      if !exchanges[index].isMovable { break }
    }
    return last
  }

  /// The same traffic with only the first burst of each regular series to a host, and the first question of quick ones.
  ///
  /// That is what is left when the other end tells instead of being asked.
  package static func withoutPolls(
    _ transfers: [NetworkTransfer], and quick: [QuickPolls] = [], from start: Double,
    to end: Double, profile: RadioProfile
  ) -> RadioReplaySaving {
    let inside = transfers.filter { $0.time >= start && $0.time <= end }
    let before = BurstSplitter.bursts(of: inside, from: start, to: end, profile: profile)
    let after = BurstSplitter.bursts(
      of: unpolled(inside, before.bursts, quick), from: start, to: end, profile: profile)
    return RadioReplaySaving(
      change: "each series of polls replaced by its first request", bursts: after.bursts.count,
      energyJoules: after.radio.energyJoules,
      savedJoules: before.radio.energyJoules - after.radio.energyJoules)
  }

  /// What is left of the transfers of these bursts without the later ones of each series.
  private static func unpolled(
    _ transfers: [NetworkTransfer], _ bursts: [Burst], _ quick: [QuickPolls]
  ) -> [NetworkTransfer] {
    var seen: Set<String> = []
    var kept: [NetworkTransfer] = []
    for (group, burst) in zip(BurstSplitter.split(transfers), bursts) {
      // A later burst of a series is dropped when the series of each of its hosts was seen.
      let isRepeated = burst.class == .periodic && burst.remotes.allSatisfy(seen.contains)
      if burst.class == .periodic { seen.formUnion(burst.remotes) }
      guard !isRepeated else { continue }
      kept += group.filter { transfer in !quick.contains { $0.repeats(transfer) } }
    }
    return kept
  }

  /// The same traffic on other radios; where one may be the program's, with the same other schedules too.
  static func models(
    _ transfers: [NetworkTransfer], quickPolls: [QuickPolls] = [], delay: Double,
    from start: Double, to end: Double, profile: RadioProfile,
    others: [(profile: RadioProfile, isCandidate: Bool)]
  ) -> [RadioModelling] {
    let inside = transfers.filter { $0.time >= start && $0.time <= end }
    // When transfers come does not depend on what they cost.
    let bursts = BurstSplitter.bursts(of: inside, from: start, to: end, profile: profile).bursts
    let moved = schedule(inside, delay: delay, from: start, to: end, profile: profile).transfers
    let kept = unpolled(inside, bursts, quickPolls)
    return others.map { other in
      func joules(_ transfers: [NetworkTransfer]) -> Double? {
        guard other.isCandidate else { return nil }
        return BurstSplitter.replay(
          of: transfers, from: start, to: end, profile: other.profile, isDetailed: false
        ).use.energyJoules
      }
      let own = BurstSplitter.replay(of: inside, from: start, to: end, profile: other.profile)
      return RadioModelling(
        use: own.use, bursts: own.bursts, isCandidate: other.isCandidate,
        coalescedJoules: joules(moved), withoutPollsJoules: joules(kept))
    }
  }
}

extension RadioAlternative {
  /// What a model makes of the same traffic.
  init(_ model: RadioModelling) {
    self.init(
      profile: model.use.profile, energyJoules: model.use.energyJoules,
      tailEnergyJoules: model.use.tailEnergyJoules, dutyCycle: model.use.dutyCycle)
  }
}
