import Quantities
import Signals

/// What passes the network, for a budget to hold it to.
package enum BytesTransferredRule: Rule {
  package static let metadata = RuleMetadata(
    id: "bytes-transferred", title: "Transfer no more than the job needs", category: .network,
    guide: [Guide.reducePower], signals: [.network], unit: "MB/min",
    measuredAs: "payload bytes sent and received per minute, by host; no figure is right for every "
      + "program, so it has a verdict only in a budget or a scoring configuration of your own",
    advice: "Compress (gzip, zstd), ask for the fields that are shown, use ETag and "
      + "If-Modified-Since, and send differences instead of the whole.",
    examples: [
      RuleExample(
        "100 kB", .notApplicable,
        SignalSet(
          durationSeconds: 60,
          network: NetworkSignal(sends: 1, receives: 1, bytesSent: 1000, bytesReceived: 99_000)))
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    let bytes = Double(network.bytesSent) + Double(network.bytesReceived)
    guard bytes > 0 else { return .nothing(reason: RadioTails.noTraffic) }
    let rate = Exposure(signals).perMinute(
      EventSum(total: bytes / 1e6, events: network.bursts.count, unseen: 0))
    var hosts: [String: Double] = [:]
    for connection in network.connections {
      hosts[connection.remote, default: 0] +=
        Double(connection.bytesSent) + Double(connection.bytesReceived)
    }
    let finding = RuleFinding(
      rate: rate,
      displayValue: "\(Figures.bytes(network.bytesSent)) sent, "
        + "\(Figures.bytes(network.bytesReceived)) received",
      evidence: hosts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(5).map {
        Evidence(
          summary: "\($0.key): \(Figures.bytes($0.value))", value: $0.value, unit: "bytes",
          host: $0.key)
      })
    guard scale.good != nil || scale.limit != nil else {
      return .informative(
        reason: "for a budget: no amount is right for every program", finding: finding)
    }
    return .measured(finding)
  }
}
