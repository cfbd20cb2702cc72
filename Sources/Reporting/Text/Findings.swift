import Quantities
import Rules

/// Picks out of a report what is worth saying first.
enum Findings {
  /// The rules that failed or warned: failures first, then the lowest scores, then the weightiest.
  static func of(_ report: Report) -> [AuditSection] {
    report.audits.filter { $0.status == .fail || $0.status == .warn }
      .sorted { left, right in
        if left.status != right.status { return left.status == .fail }
        let scores = (left.score ?? 0, right.score ?? 0)
        if scores.0 != scores.1 { return scores.0 < scores.1 }
        if left.weight != right.weight { return left.weight > right.weight }
        return left.id < right.id
      }
  }

  /// The rules of which something bad was seen, too little to tell how often it is: what scores least comes first.
  static func open(_ report: Report) -> [AuditSection] {
    report.audits.filter { audit in
      guard audit.status == .notMeasured, let value = audit.value, audit.low != nil else {
        return false
      }
      return audit.curve.map { value > $0.p10 } ?? false
    }.sorted { ($0.low ?? 0, $1.weight, $0.id) < ($1.low ?? 0, $0.weight, $1.id) }
  }

  /// Why nothing was found, as the end of a sentence: what was not measured is no pass.
  static func whyNone(_ report: Report) -> String {
    let passed = report.audits.count { $0.status == .pass }
    let unmeasured = report.audits.count { $0.status == .notMeasured }
    switch (passed, unmeasured) {
    case (0, 0): return "no rule had anything to judge"
    case (0, _): return "no rule could be measured"
    case (_, 0): return "all \(Figures.count(passed, "rule")) that apply passed"
    default:
      return
        "\(Figures.count(passed, "rule")) passed, and \(Figures.count(unmeasured, "rule")) could not be measured"
    }
  }

  /// Who is to blame for a finding: the function of the worst offender, where one is known.
  static func blame(_ audit: AuditSection) -> String? {
    for evidence in audit.evidence {
      guard let function = evidence.function else { continue }
      return TextReport.place(
        of: function, in: evidence.stack?.map(SignalBuilding.frame) ?? [])
    }
    return nil
  }

  /// The worst offender in one line; nil when the blame already says it all.
  static func worst(_ audit: AuditSection) -> String? {
    guard let evidence = audit.evidence.first, !evidence.summary.isEmpty else { return nil }
    return Columns.clip(Escaped.text(evidence.summary), to: 220)
  }
}
