import Quantities
import Signals

/// What the rules about the radio's tails have in common.
enum RadioTails {
  static let noTraffic = "nothing passed an internet socket"

  /// Why the radio had nothing to do.
  static func unused(_ network: NetworkSignal) -> String {
    network.bytesSent > 0 || network.bytesReceived > 0 || !network.connections.isEmpty
      ? "nothing left the machine: what passed internet sockets went over loopback" : noTraffic
  }

  /// How long what is sent may wait for the next burst.
  static let delaySeconds = 60.0

  /// Energy of the tails that need not have been.
  ///
  /// A burst that the next follows within a minute could have waited for it, so its tail was
  /// avoidable. The tail of any other burst is the price of using the radio at all, but only once:
  /// a burst that drips spends more.
  static func avoidable(_ network: NetworkSignal) -> Double {
    var joules = 0.0
    for (index, burst) in network.bursts.enumerated() {
      let end = burst.start + burst.durationSeconds
      let next = index + 1 < network.bursts.count ? network.bursts[index + 1].start : .infinity
      if next - end <= delaySeconds {
        joules += burst.tailEnergyJoules
      } else if network.radio.fullTailJoules > 0 {
        // Two ways to add up the same tail differ in the last digits.
        let excess = burst.tailEnergyJoules - network.radio.fullTailJoules
        if excess > 1e-9 * network.radio.fullTailJoules { joules += excess }
      }
    }
    return joules
  }

  /// The costliest bursts.
  static func rows(_ bursts: [Burst]) -> [Evidence] {
    bursts.sorted { ($0.energyJoules, $1.start) > ($1.energyJoules, $0.start) }.prefix(5).map {
      let bytes = Double($0.bytesSent) + Double($0.bytesReceived)
      let host = $0.remotes.first.map { " with \($0)" } ?? ""
      return Evidence(
        summary: "\(Figures.joules($0.energyJoules)), \(Figures.joules($0.tailEnergyJoules)) of it "
          + "in the tail, for \(Figures.bytes(bytes))\(host) (\($0.class.rawValue))",
        value: $0.energyJoules, unit: "J", time: $0.start, host: $0.remotes.first, stack: $0.stack)
    }
  }

  /// A recording with a small burst at a regular interval on the default radio.
  ///
  /// With `closedAfter`, each of them has a connection that is closed so much later.
  static func example(
    every period: Double, seconds: Double, bytes: UInt64 = 1000, closedAfter: Double? = nil
  ) -> SignalSet {
    let count = Int(seconds / period)
    let starts = (0..<count).map { Double($0) * period }
    var transfers = starts.map {
      NetworkTransfer(time: $0, bytesUp: bytes, bytesDown: bytes, remote: "192.0.2.1")
    }
    if let closedAfter {
      transfers += starts.map { NetworkTransfer(time: $0 + closedAfter, remote: "192.0.2.1") }
    }
    guard let profile = try? RadioProfileFile.profile(named: RadioProfile.defaultName) else {
      return SignalSet(durationSeconds: seconds)
    }
    let made = BurstSplitter.bursts(of: transfers, from: 0, to: seconds, profile: profile)
    return SignalSet(
      durationSeconds: seconds,
      network: NetworkSignal(
        sends: count, receives: count, bytesSent: bytes * UInt64(count),
        bytesReceived: bytes * UInt64(count), bursts: made.bursts, radio: made.radio,
        coalesced: RadioReplays.coalesced(
          transfers, delay: RadioTails.delaySeconds, from: 0, to: seconds, profile: profile)))
  }
}
