import Quantities

/// A score as a ring, with words for those who do not see its colour.
struct GaugeModel {
  let id: String
  let title: String
  /// The score, or a dash.
  let score: String
  /// The name of the ring's colour.
  let band: String
  let bandText: String
  /// The part of the ring that is filled, of a circumference of 100.
  let dash: String
  let label: String

  init(id: String, title: String, score: Double?) {
    self.id = PageText.shown(id)
    self.title = PageText.shown(title)
    self.score = score.map { Figures.fixed($0, 0) } ?? "–"
    band = Self.band(score)
    bandText = Self.words(score)
    dash = Figures.fixed(min(max(score ?? 0, 0), 100), 1)
    label =
      score.map {
        "\(PageText.shown(title)): \(Figures.fixed($0, 0)) of 100, \(Self.words($0))"
      } ?? "\(PageText.shown(title)): not scored"
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
