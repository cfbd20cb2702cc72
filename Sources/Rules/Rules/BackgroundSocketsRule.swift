import Quantities
import Signals

/// Nothing is to listen for connections in the background.
package enum BackgroundSocketsRule: Rule {
  /// How long after the mark a socket may still be closing.
  static let graceSeconds = 5.0

  package static let metadata = RuleMetadata(
    id: "background-sockets", title: "Close listening sockets in the background",
    category: .lifeCycle,
    guide: [Guide.responsible, Guide.responsibleMultitasking, Guide.responsible10],
    signals: [.network], unit: "sockets",
    measuredAs:
      "listening sockets still open 5 s after a background phase began, or at the end of a "
      + "shorter one",
    advice:
      "Close the server channel (channel.close(), NWListener.cancel(), close(2)) and withdraw "
      + "the service's announcement when the program goes to the background; bind again when it "
      + "comes back.",
    examples: [
      RuleExample("closed at once", .pass, example(closed: 30.1)),
      RuleExample("still listening", .fail, example(closed: nil)),
      RuleExample("never in the background", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let network = signals.network else { return .notMeasured(reason: "not recorded") }
    // A stopped program cannot answer either.
    let phases = signals.phases.filter { $0.name == .background && $0.durationSeconds > 0 }
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    guard !network.listeners.isEmpty else {
      return .nothing(reason: "the program had no listening socket")
    }
    let open = network.listeners.filter { listener in
      phases.contains { phase in
        let time = min(phase.start + graceSeconds, phase.end)
        return (listener.opened ?? 0) <= time && (listener.closed ?? .infinity) > time
      }
    }
    let count = Figures.count(open.count, "listening socket")
    return .measured(
      RuleFinding(
        fact: Double(open.count), displayValue: "\(count) open in the background",
        evidence: open.prefix(8).map {
          Evidence(summary: "listening at \($0.local)", time: $0.opened, host: $0.local)
        }, savings: scale.saving(of: Double(open.count))))
  }

  private static func example(closed: Double?) -> SignalSet {
    var set = PhaseUses.example { _ in }
    set.network?.listeners = [
      ListenerSignal(local: "192.0.2.7:8080", opened: 1, closed: closed)
    ]
    return set
  }
}
