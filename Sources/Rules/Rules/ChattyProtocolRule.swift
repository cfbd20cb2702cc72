import Quantities
import Signals

/// A protocol is to say what it has to say at once.
package enum ChattyProtocolRule: Rule {
  /// Fewer sends than this are no talk.
  static let fewestSends = 5
  static let callsNotCounted = "what sockets carried is known, not in how many sends"

  package static let metadata = RuleMetadata(
    id: "chatty-protocol", title: "Say it in few messages", category: .network,
    guide: [Guide.networking], signals: [.network], unit: "%",
    measuredAs: "sends of less than 512 bytes that the next send on the same connection followed "
      + "within 200 ms (of an accepted connection, with nothing received between) ÷ all sends; "
      + "round trips and the median payload are shown; fewer than five "
      + "sends are not judged",
    advice: "Join messages: one request with many items, HTTP/2 or pipelining, a buffered writer "
      + "that is flushed once (NIO's write then flush, writev). Use a compact encoding, and ask for "
      + "what you need in one call instead of one per item.",
    examples: [
      RuleExample("a few large sends", .pass, example(sends: 20, followed: 0)),
      RuleExample("a hundred small messages in a row", .fail, example(sends: 100, followed: 95)),
      RuleExample("one request", .notApplicable, example(sends: 1, followed: 0)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    guard network.countsCalls else { return .notMeasured(reason: callsNotCounted) }
    let exchange = network.exchange
    guard exchange.sends >= fewestSends else {
      return .notApplicable(reason: "fewer than \(fewestSends) sends")
    }
    // Of sends of which one of many was recorded, no more is known than of those.
    let each =
      Double(min(exchange.sendsRecorded ?? exchange.sends, exchange.sends)) / Double(exchange.sends)
    let value = Double(exchange.followedSmallSends) / Double(exchange.sends) * 100
    return .measured(
      RuleFinding(
        percent: value,
        bounds: .share(
          Double(exchange.followedSmallSends) * each, of: Double(exchange.sends) * each
        )
        .scaled(by: 100), of: min(exchange.sendsRecorded ?? exchange.sends, exchange.sends), "send",
        displayValue: "\(exchange.followedSmallSends) of \(exchange.sends) sends were small and "
          + "followed by another; \(Figures.count(exchange.roundTrips, "round trip")), median "
          + "\(Figures.bytes(exchange.medianSendBytes))",
        evidence: exchange.connections.filter { $0.followedSmallSends > 0 }.prefix(5).map {
          Evidence(
            summary: "\($0.remote): \($0.followedSmallSends) of \($0.sends) sends, "
              + Figures.count($0.roundTrips, "round trip"),
            value: Double($0.followedSmallSends), unit: "sends", host: $0.remote)
        }, savings: scale.saving(of: value)))
  }

  private static func example(sends: Int, followed: Int) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      network: NetworkSignal(
        sends: sends,
        exchange: ExchangeSignal(sends: sends, followedSmallSends: followed, roundTrips: sends)))
  }
}
