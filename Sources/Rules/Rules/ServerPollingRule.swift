import Quantities
import Signals

/// A program must not ask a server again and again.
package enum ServerPollingRule: Rule {
  package static let metadata = RuleMetadata(
    id: "server-polling", title: "Do not poll servers", category: .network,
    guide: [Guide.reducePower], signals: [.network], unit: "1/h",
    measuredAs:
      "bursts at a regular interval (three and more, within ±1 s of their mean or ±10 %) per hour, of "
      + "the host that is asked most often; what comes less than twice in the recording is not seen",
    advice: "Let the server tell: a push notification, a WebSocket, server-sent events or a long "
      + "poll on one connection. If you must ask, ask when the user does, honour Cache-Control, "
      + "and stretch the interval each time nothing is new.",
    examples: [
      RuleExample("an hourly sync", .pass, RadioTails.example(every: 3600, seconds: 14_400)),
      RuleExample(
        "two requests in a minute", .notMeasured, RadioTails.example(every: 30, seconds: 60)),
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
    let hosts = byHost.map { (key: $0.key, value: $0.value, perHour: perHour($0.value)) }
      .sorted { ($0.perHour, $1.key) > ($1.perHour, $0.key) }
    let most = hosts.first?.perHour ?? 0
    let joules = network.bursts.filter { $0.class == .periodic }.reduce(0) { $0 + $1.energyJoules }
    let display = hosts.first.map {
      "\($0.value.count) regular bursts to \($0.key), \(Figures.brief($0.perHour)) an hour"
        + (network.withoutPolls.map {
          "; had the server told, \(Figures.joules(network.radio.energyJoules)) would be "
            + Figures.joules($0.energyJoules)
        } ?? "")
    }
    // Three at the same distance take twice that long.
    let exposure = Exposure(signals)
    let unseen = exposure.isWhole ? 0 : 2 * 3600 / exposure.seconds
    return .measured(
      RuleFinding(
        value: most, bounds: Bounds(low: most, high: max(most, unseen)),
        displayValue: display ?? "no regular bursts to any host",
        evidence: hosts.prefix(5).map { row(host: $0.key, bursts: $0.value) },
        savings: most > 0
          ? Savings(value: scale.excess(most), joules: network.withoutPolls?.savedJoules ?? joules)
          : nil)
    )
  }

  /// By the median of the distances.
  private static func perHour(_ bursts: [Burst]) -> Double {
    let starts = bursts.map(\.start).sorted()
    let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }
    return Quantiles.median(gaps).map { 3600 / $0 } ?? 0
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
