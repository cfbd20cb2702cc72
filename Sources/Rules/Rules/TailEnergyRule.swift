import Quantities
import Signals

/// What is sent must be sent in bursts, not spread out.
package enum TailEnergyRule: Rule {
  package static let metadata = RuleMetadata(
    id: "tail-energy", title: "Send in bursts, not spread out", category: .network,
    guide: [Guide.reducePower, Guide.networking], signals: [.network], unit: "%",
    measuredAs: "energy in tails that could have been shared ÷ all radio energy: a burst that the "
      + "next follows within 60 s could have waited for it; any other burst's one tail is the price "
      + "of using the radio at all",
    advice: "Join requests that follow each other within a minute: batch them into one call, "
      + "prefetch what the user will need next, and send logs and analytics along with the next "
      + "request of the user's instead of on a timer.",
    examples: [
      RuleExample(
        "a single burst, which shows no habit", .notMeasured,
        RadioTails.example(every: 50, seconds: 60)),
      RuleExample(
        "a burst every five minutes", .pass, RadioTails.example(every: 300, seconds: 3600)),
      RuleExample(
        "a request every five seconds", .fail, RadioTails.example(every: 5, seconds: 60)),
      RuleExample(
        "no traffic", .notApplicable, RadioTails.example(every: 120, seconds: 60)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard !network.bursts.isEmpty, network.radio.energyJoules > 0 else {
      return .notApplicable(reason: RadioTails.unused(network))
    }
    let energy = network.radio.energyJoules
    let avoidable = RadioTails.avoidable(network)
    let value = min(100, avoidable / energy * 100)
    let bursts = Double(network.bursts.count)
    let tails = network.radio.tailEnergyJoules / energy * 100
    return .measured(
      RuleFinding(
        percent: value, bounds: .share(value / 100 * bursts, of: bursts).scaled(by: 100),
        of: network.bursts.count, "burst",
        displayValue: "\(Figures.fixed(tails, 0)) % of \(Figures.joules(energy)) in tails, "
          + "\(Figures.fixed(value, 0)) % avoidable",
        evidence: RadioTails.rows(network.bursts),
        savings: avoidable > 0 ? Savings(value: value, joules: avoidable) : nil))
  }
}
