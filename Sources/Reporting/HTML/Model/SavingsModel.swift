import Rules

/// What following the advice would save.
struct SavingsModel {
  /// A phone's battery: 13 Wh, about 3,400 mAh at 3.85 V.
  static let batteryJoules = 13.0 * 3600

  let joulesPerDay: String?
  let battery: String?
  let recorded: String
  let rows: [LabelledText]

  init?(_ report: Report) {
    let seconds = report.trace.durationSeconds
    guard seconds > 0, !report.opportunities.isEmpty else { return nil }
    // Rules of one category often blame the same joules, so only each category's best one counts.
    let categories = Dictionary(
      report.audits.map { ($0.id, $0.category) }, uniquingKeysWith: { $1 })
    var best: [String: Double] = [:]
    for opportunity in report.opportunities {
      let category = categories[opportunity.audit] ?? ""
      best[category] = max(best[category] ?? 0, opportunity.joules ?? 0)
    }
    let joules = min(
      best.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value },
      report.signals.energy?.totalJoules ?? .infinity)
    let daily = joules * 86_400 / seconds
    joulesPerDay = joules > 0 ? Self.energy(daily) : nil
    battery =
      joules > 0 ? "\(Figures.percent(daily / Self.batteryJoules)) of a 13 Wh battery" : nil
    recorded = "\(Figures.joules(joules)) in \(Figures.seconds(seconds)) recorded"
    rows = report.opportunities.prefix(4).map { opportunity in
      var parts: [String] = []
      if let joules = opportunity.joules, joules > 0 { parts.append(Figures.joules(joules)) }
      if let seconds = opportunity.seconds, seconds > 0 {
        parts.append(Figures.seconds(seconds))
      }
      return LabelledText(
        label: PageText.shown(opportunity.audit), text: parts.joined(separator: ", "))
    }
  }

  private static func energy(_ joules: Double) -> String {
    joules >= 10_000 ? "\(Figures.brief(joules / 1000)) kJ" : Figures.joules(joules)
  }
}
