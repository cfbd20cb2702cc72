import Quantities

/// A score as a ring, with words for those who do not see its colour.
struct GaugeModel {
  let id: String
  let title: String
  /// The score, its bounds or a dash.
  let score: String
  let isRange: Bool
  /// The name of the ring's colour.
  let band: String
  let bandText: String
  /// The part of the ring that is filled, of a circumference of 100.
  let dash: String
  /// The part that may be filled or not, and where it begins.
  let openDash: String
  let openStart: String
  let label: String

  init(id: String, title: String, score shown: ShownScore) {
    self.id = PageText.shown(id)
    self.title = PageText.shown(title)
    score = shown.text("–") ?? "–"
    isRange = shown.bounds != nil
    // Bounds that reach over bands have no colour of their own.
    let bands = Set([shown.bounds?.low, shown.bounds?.high].compactMap { $0 }.map(Self.band))
    band = bands.count > 1 ? "none" : Self.band(shown.score)
    let words =
      bands.count > 1
      ? "\(Self.words(shown.bounds?.low)) to \(Self.words(shown.bounds?.high))"
      : Self.words(shown.score)
    bandText = words
    let filled = min(max(shown.bounds?.low ?? shown.score ?? 0, 0), 100)
    dash = Figures.fixed(filled, 1)
    openDash = Figures.fixed(max(0, (shown.bounds?.high ?? filled) - filled), 1)
    openStart = Figures.fixed(-filled, 1)
    label =
      shown.text().map { "\(PageText.shown(title)): \($0) of 100, \(words)" }
      ?? "\(PageText.shown(title)): not scored"
  }

  /// Lighthouse's bands.
  static func band(_ score: Double?) -> String {
    guard let score else { return "none" }
    return score >= 89.5 ? "good" : score >= 49.5 ? "fair" : "poor"
  }

  private static func words(_ score: Double?) -> String {
    switch band(score) {
    case "good": "good"
    case "fair": "needs work"
    case "poor": "poor"
    default: "not scored"
    }
  }
}
