import Quantities
import Rules

/// What following the advice would save.
struct SavingsModel {
  let joules: String?
  /// What these are joules of: a day, or a run of a tool, which nobody runs all day.
  let unit: String
  let isOfDay: Bool
  let range: String?
  let battery: String?
  let rows: [LabelledText]
  /// Whoever runs a server asks for time first; joules a day and a battery are there for who opens them.
  let isFolded: Bool

  init?(_ report: Report) {
    guard !report.opportunities.isEmpty else { return nil }
    let isTool = report.score.profile == "tool"
    isOfDay = !isTool
    let unit = isTool ? "a run" : "a day"
    self.unit = unit
    func amount(
      _ opportunity: OpportunitySection, _ daily: Double?
    ) -> Double? {
      guard isTool else { return daily }
      guard let run = opportunity.joules, let daily, let day = opportunity.joulesPerDay, day > 0
      else { return nil }
      return daily * run / day
    }
    let total = Self.joules(report) { amount($0, $0.joulesPerDay) }
    let low = Self.joules(report) { amount($0, $0.lowJoulesPerDay ?? $0.joulesPerDay) }
    let high = Self.joules(report) { amount($0, $0.highJoulesPerDay ?? $0.joulesPerDay) }
    range = low < high ? "\(Self.energy(low)) to \(Self.energy(high))" : nil
    joules = total > 0 ? Self.energy(total) : nil
    let isServer = report.score.profile == "server"
    isFolded = isServer
    battery = report.score.batteryWattHours.flatMap { wattHours in
      guard !isTool, total > 0, wattHours > 0 else { return nil }
      let share = Figures.percent(total / (wattHours * 3600))
      return "\(share) of a battery of \(Figures.brief(wattHours)) Wh"
    }
    let titles = Dictionary(report.audits.map { ($0.id, $0.title) }, uniquingKeysWith: { $1 })
    rows = report.opportunities.prefix(4).map { opportunity in
      var parts: [String] = []
      if !isServer, let joules = amount(opportunity, opportunity.joulesPerDay), joules > 0 {
        parts.append("\(Self.energy(joules)) \(unit)")
      }
      if let seconds = opportunity.seconds, seconds > 0 {
        parts.append(Figures.seconds(seconds))
      }
      return LabelledText(
        label: PageText.shown(titles[opportunity.audit] ?? opportunity.audit),
        text: parts.joined(separator: ", "))
    }
  }

  /// Rules of one category often blame the same joules, so only each category's best one counts.
  private static func joules(
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

  private static func energy(_ joules: Double) -> String {
    joules >= 10_000 ? "\(Figures.brief(joules / 1000)) kJ" : Figures.joules(joules)
  }
}
