import Quantities
import Signals

/// Connect when needed, and no more often than needed.
package enum ConnectionReuseRule: Rule {
  /// A connection that follows another's end so soon could have been the same.
  static let reuseSeconds = 60.0

  package static let metadata = RuleMetadata(
    id: "connection-reuse", title: "Reuse connections, and close those not needed",
    category: .network, guide: [Guide.reducePower], signals: [.network], unit: "1/min",
    measuredAs:
      "connections opened to a host and port within 60 s of the end of another to it, and "
      + "silences of more than 30 s on an open connection, per minute",
    advice:
      "Keep one URLSession, HTTPClient or channel for the program instead of one per request, "
      + "and read responses to their end so that keep-alive works. Close a connection that will not "
      + "be used within half a minute.",
    examples: [
      RuleExample("two connections in an hour", .pass, example(count: 2, seconds: 3600)),
      RuleExample("one connection", .notApplicable, example(count: 1)),
      RuleExample("twenty connections in a row", .fail, example(count: 20)),
      RuleExample("twenty refused ones in a row", .notApplicable, example(count: 20, fails: true)),
      RuleExample(
        "no connection", .notApplicable,
        SignalSet(durationSeconds: 60, network: NetworkSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    // Connections that others opened are theirs to reuse.
    let opened = network.connections.filter { !$0.isServerSide && $0.protocol == "tcp" }
    guard !opened.isEmpty else {
      return .nothing(reason: "the program opened no connection")
    }
    // One that failed is there for nobody to use again; that it is tried again is another rule's.
    let own = opened.filter { !$0.hasFailed }
    guard !own.isEmpty else {
      return .nothing(reason: "no connection of the program's came to be")
    }
    var again: [String: Int] = [:]
    for (remote, connections) in Dictionary(grouping: own, by: \.remote) {
      let ends = connections.compactMap(\.closed)
      again[remote] = connections.count { connection in
        guard let opened = connection.opened else { return false }
        return ends.contains { $0 <= opened && opened - $0 < reuseSeconds }
      }
    }
    let silent = network.exchange.connections.reduce(0) { $0 + $1.idleGaps.count }
    let count = again.values.reduce(0, +)
    guard own.count > 1 || silent > 0 else {
      return .nothing(reason: "one connection was opened, and it was used")
    }
    let rate = Exposure(signals).perMinute(EventSum(count: count + silent))
    return .measured(
      RuleFinding(
        rate: rate,
        displayValue: "\(count) of \(Figures.count(own.count, "connection")) could have been an "
          + "earlier one, \(Figures.count(silent, "silence")) of over 30 s",
        evidence: again.filter { $0.value > 0 }
          .sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(5).map {
            Evidence(
              summary: "\($0.key): connected again \(Figures.count($0.value, "time"))",
              value: Double($0.value), unit: "connections", host: $0.key)
          }, savings: scale.saving(of: rate.value)))
  }

  private static func example(
    count: Int, seconds: Double = 60, fails: Bool = false
  ) -> SignalSet {
    SignalSet(
      durationSeconds: seconds,
      network: NetworkSignal(
        connections: (0..<count).map {
          ConnectionSignal(
            protocol: "tcp", local: "192.0.2.9:5000\($0)", remote: "192.0.2.1:80",
            opened: Double($0), closed: Double($0) + 0.5,
            established: fails ? nil : Double($0))
        }))
  }
}
