import Quantities
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
    let other = prescribed == nil ? seen.other.map(configuration.scheme(for:)) : nil
    let variants = signals.variants
    let others = other.map { other in rules.map { audit($0, signals.withoutEventLoop, other) } }
    let audits = rules.enumerated().map { index, rule in
      var audit = audit(rule, signals, scheme)
      if let others { audit.leaveOpen(others[index]) }
      guard var savings = audit.savings else { return audit }
      SavingsRange.fill(
        &savings, of: rule, by: variants, scheme.scale(ofRule: rule.metadata.id))
      savings.project(over: signals.secondsSpent(on: rule.metadata.signals), battery: battery)
      audit.savings = savings
      return audit
    }
    let present = RuleCategory.allCases.filter { category in
      rules.contains { $0.metadata.category == category }
    }
    let sum = ScoreSum(
      scheme: scheme, audits: audits,
      other: other.flatMap { other in others.map { (other, $0) } })
    let categories = present.map { category in
      let score = sum.category(category)
      return CategoryScore(
        id: category.rawValue, title: category.title,
        score: score.value, low: score.range?.low,
        high: score.range?.high, measuredShare: score.measuredShare,
        weight: scheme.weight(of: category))
    }
    let whole = sum.whole(present)
    return Evaluation(
      audits: audits, categories: categories,
      overall: whole.value, low: whole.range?.low, high: whole.range?.high,
      measuredShare: whole.measuredShare,
      note: ScoreNote.text(
        whole, audits, scheme.formula, seconds: signals.durationSeconds,
        loss: LossDoubt(signals)),
      narrow: scheme.formula.narrow, opportunities: opportunities(audits),
      configurationVersion: configuration.identifier,
      profile: scheme.profile,
      profileReason: prescribed == nil
        ? seen.reason : "the scoring configuration prescribes it",
      battery: battery)
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
    let loss =
      LossDoubt(signals).flatMap { $0.concerns(metadata) ? $0 : nil }
      ?? signals.part(of: metadata).map { LossDoubt(text: $0) }
    func leaveOpen(_ reason: String) {
      if scheme.reasonNotFor(rule: metadata.id) == nil {
        audit.weight = scheme.weight(ofRule: metadata.id)
        audit.range = ScoreRange(low: 0, value: 0, high: 100)
      }
      audit.reason = reason
      audit.displayValue = "not measured: \(reason)"
    }
    func leaveOut(_ reason: String) {
      let reason = loss.map { "\(reason), as far as is known: \($0.text)" } ?? reason
      audit.status = .notApplicable
      audit.reason = reason
      audit.displayValue = "not applicable: \(reason)"
    }
    switch outcome(rule, signals, scheme) {
    case .notMeasured(let reason):
      leaveOpen(reason)
    case .nothing(let reason):
      leaveOut(reason)
      audit.hadNothing = loss == nil
    case .notApplicable(let reason, let finding?):
      audit.status = .notApplicable
      audit.reason = reason
      audit.displayValue = "not applicable: \(reason)"
      audit.value = finding.value
      if finding.isPerRun { audit.unit = metadata.unit.byTheRun }
      audit.evidence = finding.evidence
    case .notApplicable(let reason, nil):
      leaveOut(reason)
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
      if finding.isPerRun { audit.unit = metadata.unit.byTheRun }
      audit.evidence = finding.evidence
      audit.savings = finding.savings
    case .measured(let finding):
      var range = range(of: finding, audit.curve, limit)
      if let loss {
        guard let opened = loss.opened(range, metadata) else {
          leaveOpen(loss.text)
          break
        }
        range = opened
      }
      audit.range = range
      audit.weight = scheme.weight(ofRule: metadata.id)
      audit.value = finding.value
      audit.bounds = finding.bounds
      if finding.isPerRun { audit.unit = metadata.unit.byTheRun }
      audit.displayValue = finding.displayValue
      audit.evidence = finding.evidence
      audit.advice = finding.advice ?? metadata.advice
      let status = status(of: range)
      let open = finding.untold.flatMap {
        status != .pass || passes($0, audit.curve) ? nil : $0
      }
      if let status, open == nil {
        audit.status = status
        audit.score = range.value
        audit.savings = finding.savings
      } else {
        let short = "\(Figures.seconds(signals.durationSeconds)) are too little to tell"
        audit.doubt = open?.reason ?? finding.doubt
        audit.reason =
          "\(audit.doubt ?? short): its score lies between "
          + "\(Figures.fixed(range.low, 0)) and \(Figures.fixed(range.high, 0))"
        if audit.doubt == nil {
          audit.secondsWanted = secondsWanted(
            finding, good: audit.curve?.p10, over: signals.durationSeconds)
        }
      }
    }
    return audit
  }

  /// What a finding scores, at its value and at both its bounds.
  static func range(of finding: RuleFinding, _ curve: Curve?, _ limit: Limit?) -> ScoreRange {
    func score(_ value: Double, _ held: Double?) -> Double {
      let isPastLimit = held.flatMap { limit?.isPassed(by: $0) } ?? false
      let score = (curve?.score(value) ?? (isPastLimit ? 0 : 1)) * 100
      // A rule past its limit has failed, and must not raise its category as if it had passed.
      return isPastLimit ? min(score, 49) : score
    }
    let holds = finding.limitValue != nil
    return ScoreRange(
      low: score(finding.bounds.high, holds ? finding.limitBounds.high : nil),
      value: score(finding.value, finding.limitValue),
      high: score(finding.bounds.low, holds ? finding.limitBounds.low : nil))
  }

  /// The verdict; nil where the bounds leave both a pass and something worse open.
  static func status(of range: ScoreRange) -> AuditStatus? {
    guard range.high.isPass else { return range.value.isFailure ? .fail : .warn }
    return range.value.isPass && !range.low.isFailure ? .pass : nil
  }

  /// Whether a figure passes with what is not told of it too: that is no matter of chance, as bounds are.
  private static func passes(_ untold: UntoldPart, _ curve: Curve?) -> Bool {
    guard let curve else { return true }
    return (curve.score(untold.value) * 100).isPass
  }

  /// How long a recording would show that such a value passes or does not: the distance to its bound shrinks with the
  /// root of the time, and with the time itself where nothing was seen.
  private static func secondsWanted(
    _ finding: RuleFinding, good: Double?, over seconds: Double
  ) -> Double? {
    guard let good, good > 0, seconds > 0 else { return nil }
    if finding.value <= 0 { return seconds * finding.bounds.high / good }
    let bound = finding.value <= good ? finding.bounds.high : finding.bounds.low
    let distance = abs(finding.value - good)
    guard distance > 0.05 * finding.value else { return nil }
    let times = abs(finding.value - bound) / distance
    return seconds * max(times * times, 1)
  }

  private static func outcome(
    _ rule: any Rule.Type, _ signals: SignalSet, _ scheme: ScoringScheme
  ) -> RuleOutcome {
    let part = signals.part(of: rule.metadata)
    for kind in rule.metadata.signals {
      if let reason = signals.unavailable[kind], reason != part {
        return .notMeasured(reason: reason)
      }
      if !signals.holds(kind) {
        return .notMeasured(reason: "the signal \(kind.rawValue) is not in the recording")
      }
    }
    do {
      let scale = scheme.scale(ofRule: rule.metadata.id)
      let outcome = try PeerDoubt.widened(
        rule.evaluate(signals, scale), signals, scheme
      ) { try rule.evaluate($0, scale) }
      guard case .measured(let finding) = outcome else {
        // That nothing of the kind was seen in a part says nothing of the rest.
        return part.map { .notMeasured(reason: $0) } ?? outcome
      }
      guard finding.value.isFinite, finding.bounds.low.isFinite, finding.bounds.high.isFinite else {
        return .notMeasured(reason: "the rule came to no number: an error in Lull")
      }
      if let reason = scheme.reasonNotFor(rule: rule.metadata.id) {
        return part.map { .notMeasured(reason: $0) }
          ?? .notApplicable(reason: reason, finding: finding)
      }
      guard part != nil else { return outcome }
      var known = finding
      known.displayValue += ", as far as is known"
      return .measured(known)
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
        lowJoulesPerDay: savings.lowJoulesPerDay, highJoulesPerDay: savings.highJoulesPerDay,
        batteryShare: savings.batteryShare)
    }.sorted {
      ($0.joulesPerDay ?? $0.joules ?? 0, $0.seconds ?? 0, $1.audit)
        > ($1.joulesPerDay ?? $1.joules ?? 0, $1.seconds ?? 0, $0.audit)
    }
  }
}

extension SignalSet {
  /// Why what a rule goes by is known in part only, which is the least that there was; nil where it is known whole, or
  /// not at all.
  func part(of rule: RuleMetadata) -> String? {
    for kind in rule.signals {
      guard let reason = unavailable[kind] else { continue }
      if kind == .disk, disk?.missing == reason { return reason }
      if kind == .network, network?.missing == reason { return reason }
    }
    return nil
  }

  /// Whether opens and the like were recorded, all or a part.
  var seesFileCalls: Bool {
    guard let reason = unavailable[.disk] else { return true }
    return disk?.missing == reason
  }

  /// The same of a program without an event loop, where it is not known whether there is one.
  fileprivate var withoutEventLoop: SignalSet {
    var set = self
    var main = mainThread ?? MainThreadSignal(hasEventLoop: false)
    main.blockedByCause[.other, default: 0] +=
      main.blockedByCause.removeValue(forKey: .unknown) ?? 0
    main.beganInWait = false
    set.mainThread = main
    return set
  }

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

extension String {
  /// A unit by the time as one by the run: `ms/min` is `ms/run`.
  fileprivate var byTheRun: String {
    guard let slash = lastIndex(of: "/") else { return self }
    return self[...slash] + "run"
  }
}
