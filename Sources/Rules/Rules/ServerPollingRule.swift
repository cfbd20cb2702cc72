import Quantities
import Signals

/// A program must not ask a server again and again.
package enum ServerPollingRule: Rule {
  package static let metadata = RuleMetadata(
    id: "server-polling", title: "Do not poll servers", category: .network,
    guide: [Guide.reducePower], signals: [.network], unit: "bursts",
    measuredAs: "most bursts to one host at a regular interval (within ±1 s of their mean or "
      + "±10 %)",
    advice: "Let the server tell: a push notification, a WebSocket, server-sent events or a long "
      + "poll on one connection. If you must ask, ask when the user does, honour Cache-Control, "
      + "and stretch the interval each time nothing is new.",
    examples: [
      RuleExample("two requests", .pass, RadioTails.example(every: 30, seconds: 60)),
      RuleExample("a request every 10 s", .fail, RadioTails.example(every: 10, seconds: 60)),
      RuleExample("no traffic", .notApplicable, RadioTails.example(every: 120, seconds: 60)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard network.bursts.count > 1 else {
      return .notApplicable(reason: "there was no second burst that could have come regularly")
    }
    var byHost: [String: [Burst]] = [:]
    for burst in network.bursts where burst.class == .periodic {
      for host in burst.remotes { byHost[host, default: []].append(burst) }
    }
    let hosts = byHost.sorted { ($0.value.count, $1.key) > ($1.value.count, $0.key) }
    let most = hosts.first?.value.count ?? 0
    let joules = network.bursts.filter { $0.class == .periodic }.reduce(0) { $0 + $1.energyJoules }
    let display = hosts.first.map {
      "\($0.value.count) regular bursts to \($0.key)"
        + (network.withoutPolls.map {
          "; had the server told, \(Figures.joules(network.radio.energyJoules)) would be "
            + Figures.joules($0.energyJoules)
        } ?? "")
    }
    return .measured(
      RuleFinding(
        fact: Double(most), displayValue: display ?? "no regular bursts to any host",
        evidence: hosts.prefix(5).map { row(host: $0.key, bursts: $0.value) },
        savings: most > 0
          ? Savings(value: Double(most), joules: network.withoutPolls?.savedJoules ?? joules) : nil)
    )
  }

  private static func row(host: String, bursts: [Burst]) -> Evidence {
    let starts = bursts.map(\.start)
    let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }
    let period = Quantiles.median(gaps).map { " every \(Figures.seconds($0))" } ?? ""
    let joules = bursts.reduce(0) { $0 + $1.energyJoules }
    let stack = bursts.first { !$0.stack.isEmpty }?.stack
    return Evidence(
      summary: "\(host): \(bursts.count) bursts\(period), \(Figures.joules(joules))",
      value: Double(bursts.count), unit: "bursts", time: starts.first,
      host: host, stack: stack)
  }
}
