import Quantities
import Rules

/// What following the advice would save.
struct SavingsModel {
  let joules: String?
  /// What these are joules of: a day, a run or this recording.
  let unit: String
  let isOfDay: Bool
  let range: String?
  let battery: String?
  /// What each rule would save, of those of which that can be said.
  let rows: [LabelledText]
  let hasRows: Bool
  /// Whether the energy is there for who opens it only.
  let isFolded: Bool

  init?(_ report: Report) {
    let basis = SavingsBasis(report)
    let opportunities = basis.ordered(report.opportunities)
    unit = basis.words
    isOfDay = basis.span == .day
    isFolded = basis.isFolded && report.opportunities.contains { basis.joules($0) != nil }
    let total = Self.sum(report) { basis.joules($0) }
    let low = Self.sum(report) { basis.bounds($0)?.low ?? basis.joules($0) }
    let high = Self.sum(report) { basis.bounds($0)?.high ?? basis.joules($0) }
    range = low < high ? "\(Figures.joules(low)) to \(Figures.joules(high))" : nil
    joules = total > 0 ? Figures.joules(total) : nil
    battery = basis.batteryWattHours.flatMap { wattHours in
      guard total > 0, wattHours > 0 else { return nil }
      return SavingsBasis.share(total / (wattHours * 3600), ofWattHours: wattHours)
    }
    let titles = Dictionary(report.audits.map { ($0.id, $0.title) }, uniquingKeysWith: { $1 })
    let told = opportunities.compactMap { opportunity -> LabelledText? in
      var parts: [String] = []
      if !basis.isFolded, let joules = basis.joules(opportunity) {
        parts.append("\(Figures.joules(joules)) \(basis.words)")
      }
      if let seconds = opportunity.seconds, seconds > 0 {
        parts.append(Figures.seconds(seconds))
      }
      guard !parts.isEmpty else { return nil }
      return LabelledText(
        label: PageText.shown(titles[opportunity.audit] ?? opportunity.audit),
        text: parts.joined(separator: ", "))
    }
    rows = Array(told.prefix(4))
    hasRows = !rows.isEmpty
    guard hasRows || joules != nil else { return nil }
  }

  /// Rules of one category often blame the same joules, so only each category's best one counts.
  private static func sum(
    _ report: Report, _ joules: (OpportunitySection) -> Double?
  ) -> Double {
    let categories = Dictionary(
      report.audits.map { ($0.id, $0.category) }, uniquingKeysWith: { $1 })
    var best: [String: Double] = [:]
    for opportunity in report.opportunities {
      let category = categories[opportunity.audit] ?? ""
      best[category] = max(best[category] ?? 0, joules(opportunity) ?? 0)
    }
    return best.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
  }
}
