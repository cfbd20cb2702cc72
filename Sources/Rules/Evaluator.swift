import Signals

/// Applies rules to measured signals, and adds their scores up.
///
/// A rule that could not be measured has no score, and what has none may be as bad as can be: where less than two
/// thirds of what would count was measured there is no score at all.
package enum Evaluator {
  /// Evaluates the whole catalogue.
  package static func evaluate(
    _ signals: SignalSet, configuration: ScoringConfiguration = .standard,
    battery: Battery = .standard
  ) -> Evaluation {
    evaluate(signals, configuration: configuration, rules: Catalogue.all, battery: battery)
  }

  /// Evaluates these rules only.
  package static func evaluate(
    _ signals: SignalSet, configuration: ScoringConfiguration, rules: [any Rule.Type],
    battery: Battery = .standard
  ) -> Evaluation {
    let seen = ScoringProfile.choose(for: signals)
    let prescribed = configuration.prescribedProfile
    let scheme = configuration.scheme(for: prescribed ?? seen.profile)
    let audits = rules.map { rule in
      var audit = audit(rule, signals, scheme)
      audit.savings?.project(over: signals.durationSeconds, battery: battery)
      return audit
    }
    let categories = RuleCategory.allCases.filter { category in
      rules.contains { $0.metadata.category == category }
    }.map { category in
      let own = audits.filter { $0.category == category.rawValue }
      let share = measuredShare(own, scheme)
      return CategoryScore(
        id: category.rawValue, title: category.title,
        score: weightedMean(own.map { ($0.score, $0.weight) }),
        weight: scheme.weight(of: category), measuredShare: share)
    }
    let share = weightedMean(categories.map { ($0.measuredShare, $0.weight) })
    return Evaluation(
      audits: audits, categories: categories,
      overall: isEnough(share) ? weightedMean(categories.map { ($0.score, $0.weight) }) : nil,
      measuredShare: share, opportunities: opportunities(audits),
      configurationVersion: configuration.identifier,
      profile: scheme.profile,
      profileReason: prescribed == nil
        ? seen.reason : "the scoring configuration prescribes it",
      battery: battery)
  }

  /// Of what would count so much must have been measured for a score to say more than it leaves open.
  ///
  /// A choice: recordings by stock perf of a few events reach 0.55, one of Lull's own without its network events 0.85.
  static let leastMeasured = 2.0 / 3

  private static func isEnough(_ share: Double?) -> Bool {
    share.map { $0 >= leastMeasured - 1e-9 } ?? false
  }

  /// How much of the weight of the rules that have a score, or would have one if they had been measured, was measured.
  ///
  /// Rules whose subject did not occur, and those that give no verdict on such a program, would not count.
  static func measuredShare(_ audits: [Audit], _ scheme: ScoringScheme) -> Double? {
    weightedMean(
      audits.compactMap { audit in
        switch audit.status {
        case .pass, .warn, .fail: (1, audit.weight)
        case .notMeasured where scheme.reasonNotFor(rule: audit.id) == nil:
          (0, scheme.weight(ofRule: audit.id))
        case .notMeasured, .notApplicable, .notObservable: nil
        }
      })
  }

  /// Mean of the scores there are; nil when none has a weight.
  static func weightedMean(_ scores: [(score: Double?, weight: Double)]) -> Double? {
    var sum = 0.0
    var weights = 0.0
    for case (let score?, let weight) in scores where weight > 0 {
      sum += score * weight
      weights += weight
    }
    return weights > 0 ? sum / weights : nil
  }

  static func audit(
    _ rule: any Rule.Type, _ signals: SignalSet, _ scheme: ScoringScheme
  ) -> Audit {
    let metadata = rule.metadata
    let limit = scheme.limit(ofRule: metadata.id)
    var audit = Audit(
      id: metadata.id, title: metadata.title, category: metadata.category.rawValue,
      status: .notMeasured, unit: metadata.unit, limit: limit?.value, displayValue: "",
      guide: metadata.guide, advice: metadata.advice)
    audit.curve = scheme.curve(ofRule: metadata.id)
    switch outcome(rule, signals, scheme) {
    case .notMeasured(let reason):
      audit.reason = reason
      audit.displayValue = "not measured: \(reason)"
    case .notApplicable(let reason, let finding):
      audit.status = .notApplicable
      audit.reason = reason
      audit.displayValue = "not applicable: \(reason)"
      audit.value = finding?.value
      audit.evidence = finding?.evidence ?? []
    case .notObservable(let reason, let evidence):
      audit.status = .notObservable
      audit.reason = reason
      audit.displayValue = "not observable: \(reason)"
      audit.evidence = evidence
    case .informative(let reason, let finding):
      audit.status = .notApplicable
      audit.reason = reason
      audit.displayValue = finding.displayValue
      audit.value = finding.value
      audit.evidence = finding.evidence
      audit.savings = finding.savings
    case .measured(let finding):
      let curve = scheme.curve(ofRule: metadata.id)
      let isPastLimit = finding.limitValue.flatMap { limit?.isPassed(by: $0) } ?? false
      var score = (curve?.score(finding.value) ?? (isPastLimit ? 0 : 1)) * 100
      // A rule past its limit has failed, and must not raise its category as if it had passed.
      if isPastLimit { score = min(score, 49) }
      audit.score = score
      audit.status = isPastLimit ? .fail : status(of: score)
      audit.weight = scheme.weight(ofRule: metadata.id)
      audit.value = finding.value
      audit.displayValue = finding.displayValue
      audit.evidence = finding.evidence
      audit.savings = finding.savings
    }
    return audit
  }

  static func status(of score: Double) -> AuditStatus {
    // The curve gives 90 at p10 to within rounding only.
    if score >= 90 - 1e-6 { return .pass }
    return score >= 50 - 1e-6 ? .warn : .fail
  }

  private static func outcome(
    _ rule: any Rule.Type, _ signals: SignalSet, _ scheme: ScoringScheme
  ) -> RuleOutcome {
    for kind in rule.metadata.signals {
      if let reason = signals.unavailable[kind] { return .notMeasured(reason: reason) }
      if !signals.holds(kind) {
        return .notMeasured(reason: "the signal \(kind.rawValue) is not in the recording")
      }
    }
    do {
      let outcome = try rule.evaluate(signals, scheme.scale(ofRule: rule.metadata.id))
      guard case .measured(let finding) = outcome else { return outcome }
      guard finding.value.isFinite else {
        return .notMeasured(reason: "the rule came to no number: an error in Lull")
      }
      if let reason = scheme.reasonNotFor(rule: rule.metadata.id) {
        return .notApplicable(reason: reason, finding: finding)
      }
      return outcome
    } catch {
      return .notMeasured(reason: "the rule could not be evaluated: \(error)")
    }
  }

  /// What is worth doing: by joules a day, then by seconds.
  static func opportunities(_ audits: [Audit]) -> [Opportunity] {
    audits.compactMap { audit -> Opportunity? in
      guard audit.status == .warn || audit.status == .fail, let savings = audit.savings,
        (savings.joules ?? 0) > 0 || (savings.seconds ?? 0) > 0
      else { return nil }
      return Opportunity(
        audit: audit.id, joules: savings.joules, seconds: savings.seconds,
        summary: "\(audit.title): \(audit.displayValue)", joulesPerDay: savings.joulesPerDay,
        batteryShare: savings.batteryShare)
    }.sorted {
      ($0.joulesPerDay ?? $0.joules ?? 0, $0.seconds ?? 0, $1.audit)
        > ($1.joulesPerDay ?? $1.joules ?? 0, $1.seconds ?? 0, $0.audit)
    }
  }
}

extension SignalSet {
  /// Whether a signal was measured.
  func holds(_ kind: SignalKind) -> Bool {
    switch kind {
    case .mainThread: mainThread != nil
    case .wakeups: wakeups != nil
    case .network: network != nil
    case .disk: disk != nil
    case .memory: memory != nil
    case .cpu: cpu != nil
    case .lifecycle: lifecycle != nil
    case .counters: unavailable[.counters] == nil
    }
  }
}
