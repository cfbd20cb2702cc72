import Quantities
import Signals

/// Failures are to be met with patience.
package enum RetryStormsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "retry-storms", title: "Back off when the network fails", category: .network,
    guide: [Guide.networking, Guide.reachability], signals: [.network], unit: "1/min",
    measuredAs:
      "connections that were refused or timed out and sends that failed, per minute; a host "
      + "whose attempts come at growing intervals counts half",
    advice:
      "Double the wait after each failure, with some randomness and a ceiling, and stop after "
      + "a few. Wait for the network to come back (netlink's route messages, NetworkMonitor, "
      + "URLSession's waitsForConnectivity) instead of trying.",
    examples: [
      RuleExample("one refusal", .pass, example([5])),
      RuleExample("a hundred attempts", .fail, example((0..<100).map { Double($0) * 0.5 })),
      RuleExample(
        "twelve attempts at growing intervals", .warn,
        example([1, 2, 3.2, 4.8, 7, 10, 14, 19, 26, 35, 46, 58])),
      RuleExample(
        "no connection", .notApplicable,
        SignalSet(durationSeconds: 60, network: NetworkSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard !network.failures.isEmpty else {
      guard network.countsCalls else {
        return .notMeasured(
          reason: "what sockets carried is known, not which connections and sends failed")
      }
      return .nothing(reason: "no connection and no send failed")
    }
    let hosts = Dictionary(grouping: network.failures, by: \.remote).map {
      (host: $0, times: $1.map(\.time).sorted(), count: $1.reduce(0) { $0 + $1.count })
    }.sorted { ($0.count, $1.host) > ($1.count, $0.host) }
    var failures = EventSum(count: 0)
    for host in hosts {
      failures.add(
        Double(host.count) * (backsOff(host.times) ? 0.5 : 1), events: host.times.count)
    }
    let rate = Exposure(signals).perMinute(failures)
    let all = hosts.reduce(0) { $0 + $1.count }
    return .measured(
      RuleFinding(
        rate: rate, displayValue: Figures.count(all, "failure"),
        evidence: hosts.prefix(5).map {
          Evidence(
            summary: "\($0.host): \(Figures.count($0.count, "failure"))"
              + (backsOff($0.times) ? ", at growing intervals" : ""),
            value: Double($0.count), unit: "failures", time: $0.times.first, host: $0.host)
        }, savings: scale.saving(of: rate.value)))
  }

  /// Whether the second half of the intervals is at least half as long again as the first.
  static func backsOff(_ times: [Double]) -> Bool {
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    guard gaps.count >= 3 else { return false }
    let half = gaps.count / 2
    let first = Quantiles.median(Array(gaps.prefix(half))) ?? 0
    let second = Quantiles.median(Array(gaps.suffix(half))) ?? 0
    return second >= 1.5 * first
  }

  private static func example(_ times: [Double]) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      network: NetworkSignal(
        failures: times.map { NetworkFailure(time: $0, remote: "192.0.2.1", kind: "connect") }))
  }
}
