/// Makes bursts of transfers: groups, classes and energies.
package enum BurstSplitter {
  /// Groups transfers less than the gap apart; the transfers of a group are in order of time.
  package static func split(
    _ transfers: [NetworkTransfer], gap: Double = RadioModel.burstGapSeconds
  ) -> [[NetworkTransfer]] {
    var groups: [[NetworkTransfer]] = []
    for transfer in transfers.sorted(by: { $0.time < $1.time }) {
      if let last = groups.last?.last, transfer.time - last.time < gap {
        groups[groups.count - 1].append(transfer)
      } else {
        groups.append([transfer])
      }
    }
    return groups
  }

  /// Bursts with their classes, and what the radio of this profile did between two times.
  package static func bursts(
    of transfers: [NetworkTransfer], from start: Double, to end: Double, profile: RadioProfile
  ) -> (bursts: [Burst], radio: RadioUse) {
    let inside = transfers.filter { $0.time >= start && $0.time <= end }
    let groups = split(inside)
    let replay = replay(of: inside, from: start, to: end, profile: profile)
    var bursts = groups.map(burst)
    for (index, energy) in replay.bursts.enumerated() where index < bursts.count {
      bursts[index].energyJoules = energy.energyJoules
      bursts[index].tailEnergyJoules = energy.tailEnergyJoules
    }
    BurstClassifier.classify(&bursts, groups: groups)
    return (bursts, replay.use)
  }

  /// What the radio of this profile does between two times.
  static func replay(
    of transfers: [NetworkTransfer], from start: Double, to end: Double, profile: RadioProfile,
    isDetailed: Bool = true
  ) -> RadioReplay {
    RadioModel.replay(
      transfers: transfers.map {
        RadioTransfer(
          time: $0.time, bytesUp: $0.bytesUp &+ $0.overheadUp,
          bytesDown: $0.bytesDown &+ $0.overheadDown)
      }, from: start, to: end, profile: profile, isDetailed: isDetailed)
  }

  /// The share that each host had: of the bytes, or where none passed of the packets.
  private static func shares(_ group: [NetworkTransfer], _ remotes: [String]) -> [Double] {
    func sums(_ amount: (NetworkTransfer) -> Double) -> [String: Double] {
      group.reduce(into: [:]) { $0[$1.remote, default: 0] += amount($1) }
    }
    func bytes(_ transfer: NetworkTransfer) -> Double {
      Double(transfer.bytesUp) + Double(transfer.overheadUp) + Double(transfer.bytesDown)
        + Double(transfer.overheadDown)
    }
    var weight = bytes
    var sum = group.reduce(0) { $0 + weight($1) }
    if sum <= 0 {
      weight = { _ in 1 }
      sum = Double(group.count)
    }
    let amounts = sums(weight)
    return remotes.map { sum > 0 ? (amounts[$0] ?? 0) / sum : 0 }
  }

  private static func burst(_ group: [NetworkTransfer]) -> Burst {
    let start = group.first?.time ?? 0
    let remotes = Set(group.map(\.remote)).filter { !$0.isEmpty }.sorted()
    var burst = Burst(
      start: start, durationSeconds: (group.last?.time ?? start) - start,
      bytesSent: group.reduce(0) { $0 &+ $1.bytesUp },
      bytesReceived: group.reduce(0) { $0 &+ $1.bytesDown },
      remotes: remotes,
      stack: group.first { $0.bytesUp > 0 && !$0.stack.isEmpty }?.stack
        ?? group.first { !$0.stack.isEmpty }?.stack ?? [])
    burst.remoteShares = shares(group, remotes)
    return burst
  }
}
