import Signals

/// Between what the models put the energy that following a rule would save.
enum SavingsRange {
  /// Fills the bounds of a saving: the least and the most that the rule finds by any of the models.
  ///
  /// - Parameter variants: the same recording by other models.
  static func fill(
    _ savings: inout Savings, of rule: any Rule.Type, by variants: [SignalSet], _ scale: RuleScale
  ) {
    guard let joules = savings.joules, joules > 0 else { return }
    let others = variants.compactMap { Self.joules(of: rule, $0, scale) }
    savings.lowJoules = min(joules, others.min() ?? joules)
    savings.highJoules = max(joules, others.max() ?? joules)
  }

  private static func joules(
    of rule: any Rule.Type, _ signals: SignalSet, _ scale: RuleScale
  ) -> Double? {
    guard let outcome = try? rule.evaluate(signals, scale) else { return nil }
    switch outcome {
    case .measured(let finding), .informative(_, let finding): return finding.savings?.joules ?? 0
    case .notApplicable, .nothing, .notMeasured, .notObservable: return nil
    }
  }
}

extension Savings {
  /// Projects the energy to a day of which each second costs what those of the recording did.
  ///
  /// - Parameter duration: for how long the energy was spent: the recording, and what the radio took after it.
  mutating func project(over duration: Double, battery: Battery) {
    guard let joules, joules > 0, duration > 0 else { return }
    let days = duration / 86400
    joulesPerDay = joules / days
    lowJoulesPerDay = lowJoules.map { $0 / days }
    highJoulesPerDay = highJoules.map { $0 / days }
    batteryShare = joules / days / battery.joules
  }
}
