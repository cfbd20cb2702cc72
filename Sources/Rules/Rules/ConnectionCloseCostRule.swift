import Quantities
import Signals

/// The radio is not to be woken to open, close or reset a connection only.
package enum ConnectionCloseCostRule: Rule {
  package static let metadata = RuleMetadata(
    id: "connection-close-cost", title: "Do not wake the radio to close a connection",
    category: .network, guide: [Guide.reducePower], signals: [.network], unit: "%",
    measuredAs:
      "energy of bursts in which connections were only opened, closed or reset ÷ all radio "
      + "energy",
    advice: "Close a connection right after its last byte instead of on a timeout, while the radio "
      + "is still on: send Connection: close, or close idle pooled connections along with the next "
      + "request (HTTPClient's idle timeout below the radio's tail).",
    examples: [
      RuleExample(
        "requests and nothing else", .pass, RadioTails.example(every: 30, seconds: 600)),
      RuleExample(
        "each connection closed 20 s later", .fail,
        RadioTails.example(every: 40, seconds: 400, closedAfter: 20)),
      RuleExample("no traffic", .notApplicable, RadioTails.example(every: 120, seconds: 60)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard !network.bursts.isEmpty, network.radio.energyJoules > 0 else {
      return .notApplicable(reason: RadioTails.unused(network))
    }
    let bursts = network.bursts.filter { $0.class == .connectionControl }
    let joules = bursts.reduce(0) { $0 + $1.energyJoules }
    let all = Double(network.bursts.count)
    let value = min(100, joules / network.radio.energyJoules * 100)
    return .measured(
      RuleFinding(
        percent: value, bounds: .share(value / 100 * all, of: all).scaled(by: 100),
        of: network.bursts.count, "burst",
        displayValue: "\(Figures.count(bursts.count, "burst")) without payload, "
          + Figures.joules(joules),
        evidence: RadioTails.rows(bursts), savings: scale.saving(of: value, joules: joules)))
  }
}
