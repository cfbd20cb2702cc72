import Quantities
import Signals

/// A program must not ask a server again and again.
package enum ServerPollingRule: Rule {
  package static let metadata = RuleMetadata(
    id: "server-polling", title: "Do not poll servers", category: .network,
    guide: [Guide.reducePower], signals: [.network], unit: "1/h",
    measuredAs:
      "bursts at a regular interval (three and more, within ±1 s of their mean or ±10 %), or questions of a regular "
      + "interval from 0.1 s on that a burst is made of (ten and more, with small answers, and nothing exchanged for "
      + "half of it), per hour, of the host that is asked most often; what comes less than twice in the recording is "
      + "not seen",
    advice: "Let the server tell: a push notification, a WebSocket, server-sent events or a long "
      + "poll on one connection. If you must ask, ask when the user does, honour Cache-Control, "
      + "and stretch the interval each time nothing is new.",
    examples: [
      RuleExample("an hourly sync", .pass, RadioTails.example(every: 3600, seconds: 14_400)),
      RuleExample(
        "two requests in a minute", .notMeasured, RadioTails.example(every: 30, seconds: 60)),
      RuleExample("a request every 10 s", .fail, RadioTails.example(every: 10, seconds: 60)),
      RuleExample("a question each half second", .fail, quickExample),
      RuleExample("no traffic", .notApplicable, RadioTails.example(every: 120, seconds: 60)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard network.bursts.count > 1 || !network.quickPolls.isEmpty else {
      return .nothing(reason: "there was no second burst that could have come regularly")
    }
    var byHost: [String: [Burst]] = [:]
    for burst in network.bursts where burst.class == .periodic {
      for host in burst.remotes { byHost[host, default: []].append(burst) }
    }
    let hosts = (network.quickPolls.map(series) + byHost.map(series))
      .sorted { ($0.perHour, $1.host) > ($1.perHour, $0.host) }
    let most = hosts.first?.perHour ?? 0
    let joules = network.bursts.filter { $0.class == .periodic }.reduce(0) { $0 + $1.energyJoules }
    let display = hosts.first.map {
      "\($0.count) regular \($0.noun)s to \($0.host), \(Figures.brief($0.perHour)) an hour"
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
        evidence: hosts.prefix(5).map(\.row),
        savings: most > 0
          ? Savings(value: scale.excess(most), joules: network.withoutPolls?.savedJoules ?? joules)
          : nil)
    )
  }

  /// Polls of one host.
  private struct Series {
    var host: String
    var count: Int
    var noun: String
    var perHour: Double
    var row: Evidence
  }

  private static func series(_ polls: QuickPolls) -> Series {
    Series(
      host: polls.host, count: polls.count, noun: "question", perHour: 3600 / polls.periodSeconds,
      row: Evidence(
        summary: "\(polls.host): \(Figures.count(polls.count, "question")) every "
          + "\(Figures.seconds(polls.periodSeconds)), within a burst",
        value: Double(polls.count), unit: "questions", time: polls.start, host: polls.host,
        stack: polls.stack))
  }

  private static func series(_ entry: (key: String, value: [Burst])) -> Series {
    let (host, bursts) = entry
    let starts = bursts.map(\.start).sorted()
    let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }
    let period = Quantiles.median(gaps)
    let joules = bursts.reduce(0) { $0 + $1.energyJoules }
    return Series(
      host: host, count: bursts.count, noun: "burst", perHour: period.map { 3600 / $0 } ?? 0,
      row: Evidence(
        summary: "\(host): \(bursts.count) bursts"
          + (period.map { " every \(Figures.seconds($0))" } ?? "") + ", \(Figures.joules(joules))",
        value: Double(bursts.count), unit: "bursts", time: starts.first, host: host,
        stack: bursts.first { !$0.stack.isEmpty }?.stack))
  }

  /// A minute of questions, one each half second, all of which are one burst.
  private static var quickExample: SignalSet {
    var set = RadioTails.example(every: 0.5, seconds: 60)
    set.network?.quickPolls = [
      QuickPolls(host: "192.0.2.1", periodSeconds: 0.5, count: 120, start: 0, end: 59.5)
    ]
    return set
  }
}
