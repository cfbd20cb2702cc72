/// A score, and how much of it is known.
struct KnownScore: Sendable, Equatable {
  /// Nil where nothing that counts was measured.
  var range: ScoreRange?
  /// Share of the weight of what would count that was measured, from 0 to 1; nil where nothing would.
  var measuredShare: Double?
  /// Whether enough is known to give it.
  var isKnown: Bool
  /// What keeps it below the mean; nil where nothing does.
  var limit: ScoreLimit?

  /// The score to give; nil where too little is known.
  var value: Double? { isKnown ? range?.value : nil }
}

/// Adds the scores of rules up to categories and the whole.
struct ScoreSum {
  let scheme: ScoringScheme
  let audits: [Audit]
  /// By the profile that fits as well, whose scores are within the bounds.
  var other: (scheme: ScoringScheme, audits: [Audit])?

  private var formula: ScoreFormula { scheme.formula }

  private var otherSum: ScoreSum? {
    other.map { ScoreSum(scheme: $0.scheme, audits: $0.audits) }
  }

  /// The score of a category; nil where none of its rules counts.
  func category(_ category: RuleCategory) -> KnownScore {
    spanning(known(parts(of: category)), otherSum?.category(category))
  }

  /// The score of the whole, and whether enough is known to give it.
  func whole(_ categories: [RuleCategory]) -> KnownScore {
    spanning(ownWhole(categories), otherSum?.whole(categories))
  }

  private func spanning(_ own: KnownScore, _ other: KnownScore?) -> KnownScore {
    guard let range = own.range, let also = other?.range else { return own }
    var both = known(range.spanning(also), share: own.measuredShare)
    both.limit = own.limit
    return both
  }

  private func ownWhole(_ categories: [RuleCategory]) -> KnownScore {
    var all: [ScorePart] = []
    for category in categories {
      let parts = parts(of: category)
      let sum = parts.reduce(0) { $0 + $1.weight }
      guard sum > 0 else { continue }
      let weight = scheme.weight(of: category) / sum
      all += parts.map { ScorePart(range: $0.range, weight: $0.weight * weight) }
    }
    let mean = known(all)
    guard let range = mean.range else { return mean }
    let counted = audits.filter { $0.weight > 0 }
    // The best value is that of the verdicts there are: a rule that leaves its own open costs no more than its score.
    let failed = counted.filter { $0.status == .fail }.map(\.id)
    let warned = counted.filter { $0.status == .warn }.map(\.id)
    let verdicts = formula.cap(
      failed: Set(failed), warned: !failed.isEmpty || !warned.isEmpty)
    let capped = range.capped(low: cap(\.low), value: verdicts, high: cap(\.high))
    var whole = known(capped, share: mean.measuredShare)
    if verdicts < range.value {
      let felt = failed.filter(formula.felt.contains)
      whole.limit = ScoreLimit(
        most: verdicts, rules: felt.isEmpty ? (failed.isEmpty ? warned : failed) : felt,
        verb: failed.isEmpty ? "warn" : "fail")
    }
    return whole
  }

  private func known(_ parts: [ScorePart]) -> KnownScore {
    let measured = parts.reduce(0) { $0 + ($1.range == nil ? 0 : $1.weight) }
    let applicable = parts.reduce(0) { $0 + $1.weight }
    return known(
      ScoreMean.of(parts, floor: formula.floor),
      share: applicable > 0 ? measured / applicable : nil)
  }

  private func known(_ range: ScoreRange?, share: Double?) -> KnownScore {
    let isMeasured = share.map { $0 >= formula.leastMeasured - 1e-9 } ?? false
    return KnownScore(
      range: range, measuredShare: share,
      isKnown: isMeasured && range.map { $0.width <= formula.widest } ?? false)
  }

  /// What the category's rules come to: some by themselves, others as the worst of several.
  private func parts(of category: RuleCategory) -> [ScorePart] {
    let own = audits.filter { $0.category == category.rawValue && $0.weight > 0 }
    let groups = formula.worst.values.filter { $0.category == category.rawValue }
    let grouped = Set(groups.flatMap(\.rules))
    var parts = own.filter { !grouped.contains($0.id) }.map {
      ScorePart(range: $0.isMeasured ? $0.range : nil, weight: $0.weight)
    }
    for group in groups.sorted(by: { $0.rules.lexicographicallyPrecedes($1.rules) }) {
      let members = own.filter { group.rules.contains($0.id) }
      guard !members.isEmpty else { continue }
      let ranges = members.compactMap { $0.isMeasured ? $0.range : nil }
      guard let first = ranges.first else {
        parts.append(ScorePart(range: nil, weight: group.weight))
        continue
      }
      var worst = ranges.reduce(first) { $0.capped(low: $1.low, value: $1.value, high: $1.high) }
      if ranges.count < members.count { worst.low = 0 }
      parts.append(ScorePart(range: worst, weight: group.weight))
    }
    return parts
  }

  /// The cap that follows when each rule stands at this end of its bounds.
  private func cap(_ end: KeyPath<ScoreRange, Double>) -> Double {
    let counted = audits.filter { $0.weight > 0 }
    let failed = counted.filter { $0.range.map { $0[keyPath: end].isFailure } == true }
    let warned = counted.contains { $0.range.map { !$0[keyPath: end].isPass } == true }
    return formula.cap(failed: Set(failed.map(\.id)), warned: warned)
  }
}

extension Audit {
  /// Whether anything was measured, however little it tells.
  var isMeasured: Bool { bounds != nil }
}

extension Double {
  /// Whether a score is below 50; the curve gives 50 at its median to within rounding only.
  var isFailure: Bool { self < 50 - 1e-6 }
  /// Whether a score is 90 or more.
  var isPass: Bool { self >= 90 - 1e-6 }
}
