import Quantities
import Signals

/// What the same traffic costs on other radios.
package enum RadioChoiceRule: Rule {
  package static let metadata = RuleMetadata(
    id: "radio-choice", title: "Prefer Wi-Fi", category: .network,
    guide: [Guide.reducePower], signals: [.network], unit: "J",
    measuredAs:
      "radio energy of the same traffic on each radio profile; which radio is used is the "
      + "user's and the system's choice, so there is no verdict",
    advice:
      "Keep large and deferrable transfers for Wi-Fi: on Linux ask NetworkManager whether the "
      + "connection is metered; on Apple's systems set allowsCellularAccess or "
      + "allowsExpensiveNetworkAccess to false for them.",
    examples: [
      RuleExample(
        "a few requests", .notApplicable, RadioTails.example(every: 30, seconds: 60))
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard !network.bursts.isEmpty else { return .notApplicable(reason: RadioTails.unused(network)) }
    let all = network.alternatives.sorted { $0.energyJoules < $1.energyJoules }
    let own = network.radio
    let best = all.first.map { "; \($0.profile) would take \(Figures.joules($0.energyJoules))" }
    return .informative(
      reason: "which radio is used is not the program's choice",
      finding: RuleFinding(
        fact: own.energyJoules,
        displayValue: "\(own.profile) takes \(Figures.joules(own.energyJoules))\(best ?? "")",
        evidence: all.map {
          Evidence(
            summary: "\($0.profile): \(Figures.joules($0.energyJoules)), on "
              + "\(Figures.brief($0.dutyCycle * 100)) % of the time",
            value: $0.energyJoules, unit: "J")
        }))
  }
}
