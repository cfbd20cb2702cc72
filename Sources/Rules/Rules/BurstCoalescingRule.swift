import Quantities
import Signals

/// The same bytes are to be sent in fewer bursts.
package enum BurstCoalescingRule: Rule {
  package static let metadata = RuleMetadata(
    id: "burst-coalescing", title: "Let what is not urgent wait for the next burst",
    category: .network, guide: [Guide.reducePower, Guide.networking], signals: [.network],
    unit: "%",
    measuredAs:
      "radio energy saved by delaying each exchange that the program began by up to 60 s, "
      + "so that it shares a burst (replayed on the same radio) ÷ all radio energy",
    advice: "Queue what nobody waits for (logs, analytics, prefetching, sync) and send it with the "
      + "next request that somebody does wait for, or once a minute together: one actor that "
      + "collects and flushes does it. URLSession's discretionary tasks do it on Apple's systems.",
    examples: [
      RuleExample("a burst every five minutes", .pass, example(every: 300, seconds: 3600)),
      RuleExample("a request every ten seconds", .fail, example(every: 10, seconds: 600)),
      RuleExample("no traffic", .notApplicable, example(every: 120, seconds: 60)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard !network.bursts.isEmpty, network.radio.energyJoules > 0 else {
      return .notApplicable(reason: RadioTails.unused(network))
    }
    guard let replay = network.coalesced else {
      return .notMeasured(reason: "the traffic was not replayed")
    }
    let bursts = Double(network.bursts.count)
    let value = max(0, replay.savedJoules) / network.radio.energyJoules * 100
    return .measured(
      RuleFinding(
        percent: value, bounds: .share(value / 100 * bursts, of: bursts).scaled(by: 100),
        of: network.bursts.count, "burst",
        displayValue: "\(Figures.count(network.bursts.count, "burst")) could be \(replay.bursts), "
          + "\(Figures.joules(network.radio.energyJoules)) could be "
          + Figures.joules(replay.energyJoules),
        evidence: RadioTails.rows(network.bursts),
        savings: replay.savedJoules > 0
          ? Savings(value: value, joules: replay.savedJoules) : nil))
  }

  private static func example(every period: Double, seconds: Double) -> SignalSet {
    RadioTails.example(every: period, seconds: seconds)
  }
}
