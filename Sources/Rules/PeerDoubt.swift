import Quantities
import Signals

/// What a rule came to where the peers of some traffic are not known: that may have left the machine, or not.
///
/// The figure is of what is known to have left it. The bounds hold for both, so that nothing fails by what was not
/// seen, and nothing passes by it either.
enum PeerDoubt {
  /// The outcome of what is known, with the bounds of both.
  static func widened(
    _ known: RuleOutcome, _ signals: SignalSet, _ scheme: ScoringScheme,
    _ evaluate: (SignalSet) throws -> RuleOutcome
  ) rethrows -> RuleOutcome {
    guard let all = signals.countingPeerless, let peerless = signals.network?.peerless else {
      return known
    }
    let other = try evaluate(all)
    guard known != other else { return known }
    // Where neither has a subject, what is told is that of all there was.
    if known.hasNoSubject, other.hasNoSubject { return other }
    guard case .measured(let most) = other else { return known }
    let text = text(peerless)
    guard case .measured(var finding) = known else { return .notMeasured(reason: text) }
    func joined(_ bounds: Bounds, _ other: Bounds, _ value: Double) -> Bounds {
      Bounds(low: min(bounds.low, other.low, value), high: max(bounds.high, other.high, value))
    }
    finding.bounds = joined(finding.bounds, most.bounds, most.value)
    finding.limitBounds = joined(
      finding.limitBounds, most.limitBounds, most.limitValue ?? most.limitBounds.low)
    finding.doubt = text
    return .measured(finding)
  }

  private static func text(_ traffic: PeerlessTraffic) -> String {
    let bytes = Double(traffic.bytesSent &+ traffic.bytesReceived)
    return "whether \(Figures.bytes(bytes)) left the machine is not known, for the other ends of "
      + "\(Figures.count(traffic.sockets, "socket")) are not"
  }
}

extension RuleOutcome {
  fileprivate var hasNoSubject: Bool {
    switch self {
    case .notApplicable, .nothing: true
    case .measured, .notMeasured, .notObservable, .informative: false
    }
  }
}
