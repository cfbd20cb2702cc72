import Quantities
import Signals

/// A connection is not to be kept alive more often than every ten minutes.
package enum KeepAliveIntervalRule: Rule {
  package static let metadata = RuleMetadata(
    id: "keep-alive-interval", title: "Keep connections alive every ten minutes at most",
    category: .lifeCycle, guide: [Guide.keepAlive], signals: [.network], unit: "1/h",
    measuredAs:
      "sends of less than 512 bytes at a regular interval (three and more in a background phase) on a "
      + "connection that is silent for 5 s around each, per hour, the busiest connection; six an hour "
      + "is one every 600 s",
    advice: "Stretch the interval to ten minutes or more, let TCP do it (SO_KEEPALIVE with "
      + "TCP_KEEPIDLE), or close the connection and open it again when there is something to say.",
    examples: [
      RuleExample("every 15 minutes", .pass, example(every: 900)),
      RuleExample("every 30 s", .fail, example(every: 30)),
      RuleExample(
        "every 30 s in the foreground", .notApplicable, example(every: 30, phase: .active)),
      RuleExample(
        "no small regular sends", .notApplicable,
        PhaseUses.example { _ in }),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    let phases = PhaseUses.background(signals)
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    let series = network.exchange.connections.flatMap { connection in
      phases.compactMap { phase -> (remote: String, found: Periodicity)? in
        let times = connection.smallSendTimes.filter { $0 >= phase.start && $0 < phase.end }
        return Periodicity.detect(times, fewest: 3, slack: 1).map { (connection.remote, $0) }
      }
    }.sorted { $0.found.periodSeconds < $1.found.periodSeconds }
    guard let shortest = series.first else {
      guard network.countsCalls else {
        return .notMeasured(reason: ChattyProtocolRule.callsNotCounted)
      }
      return .nothing(reason: "no connection was kept alive by small regular sends")
    }
    let value = 3600 / shortest.found.periodSeconds
    return .measured(
      RuleFinding(
        fact: value,
        displayValue:
          "every \(Figures.seconds(shortest.found.periodSeconds)) to \(shortest.remote)",
        evidence: series.prefix(5).map {
          Evidence(
            summary: "\($0.found.count) small sends to \($0.remote), one every "
              + Figures.seconds($0.found.periodSeconds),
            value: $0.found.periodSeconds, unit: "s", host: $0.remote)
        }, savings: scale.saving(of: value)))
  }

  private static func example(every period: Double, phase: PhaseName = .background) -> SignalSet {
    SignalSet(
      durationSeconds: 5 * period,
      network: NetworkSignal(
        exchange: ExchangeSignal(
          sends: 5,
          connections: [
            ConnectionExchange(
              remote: "192.0.2.1:443", sends: 5,
              smallSendTimes: (0..<5).map { Double($0) * period })
          ])),
      phases: [Phase(name: phase, start: 0, durationSeconds: 5 * period, how: "marked")])
  }
}
