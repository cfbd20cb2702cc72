import Quantities
import Signals

/// A program must let the radio power down.
package enum RadioDutyCycleRule: Rule {
  /// A single burst no longer than this is the least that a program that uses the network can do.
  static let shortBurstSeconds = 5.0

  package static let metadata = RuleMetadata(
    id: "radio-duty-cycle", title: "Let the radio power down", category: .network,
    guide: [Guide.reducePower, Guide.networking], signals: [.network], unit: "%",
    measuredAs: "share of the recording in which the modelled radio is not idle; a recording with "
      + "a single short burst shows no rate and is not judged",
    advice: "Collect what can wait and send it together: keep a queue and flush it when the radio "
      + "is in use anyway, or every few minutes. Use one URLSession or HTTPClient, turn off "
      + "keep-alive pings, and let the server push instead of asking it.",
    examples: [
      RuleExample("a burst every five minutes", .pass, example(every: 300, seconds: 3600)),
      RuleExample("a request every five seconds", .fail, example(every: 5, seconds: 60)),
      RuleExample("no traffic", .notApplicable, example(every: 120, seconds: 60)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard let first = network.bursts.first else {
      return .notApplicable(reason: RadioTails.unused(network))
    }
    let radio = network.radio
    let value = radio.dutyCycle * 100
    let finding = RuleFinding(
      value: value,
      bounds: Exposure(signals).percent(
        EventSum(
          total: radio.dutyCycle * signals.durationSeconds, events: spells(network.bursts),
          unseen: 0)
      ).bounds.atMost(100),
      displayValue: "the \(radio.profile) radio was on \(Figures.brief(value)) % of the time, for "
        + Figures.count(network.bursts.count, "burst"),
      evidence: RadioTails.rows(network.bursts),
      savings: saving(network).map { Savings(value: $0) })
    if network.bursts.count == 1, first.durationSeconds <= shortBurstSeconds {
      return .notApplicable(
        reason: "a single burst, the least that a program that uses the network can do",
        finding: finding)
    }
    return .measured(finding)
  }

  /// How often the program kept the radio on: a burst goes on because of a transfer each second and a half at least.
  private static func spells(_ bursts: [Burst]) -> Int {
    bursts.reduce(0) { $0 + max(1, Int($1.durationSeconds / 1.5)) }
  }

  /// By how much the duty cycle falls if the tails that could be shared were.
  private static func saving(_ network: NetworkSignal) -> Double? {
    let tail = network.radio.tailEnergyJoules
    guard tail > 0 else { return nil }
    let saved = network.radio.dutyCycle * 100 * min(1, RadioTails.avoidable(network) / tail)
    return saved > 0 ? saved : nil
  }

  private static func example(every period: Double, seconds: Double) -> SignalSet {
    RadioTails.example(every: period, seconds: seconds)
  }
}
