import Quantities
import Rules

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A rule's scoring curve with the measured value on it, in a box of 260 by 96.
struct CurveDrawing {
  private static let width = 260.0
  private static let height = 96.0

  /// The line from the best values to the worst.
  let line: String
  let p10X: String
  let medianX: String
  let p10Text: String
  let medianText: String
  let dotX: String?
  let dotY: String?
  let band: String
  let limitX: String?
  let label: String

  init?(_ curve: CurveSection, value: Double?, limit: Double?, unit: String) {
    guard curve.p10 > 0, curve.p10 < curve.median, curve.median.isFinite else { return nil }
    let scoring = Curve(p10: curve.p10, median: curve.median, provenance: "")
    // The axis is logarithmic and goes as far beyond the control points as they lie apart.
    let apart = log(curve.median / curve.p10)
    let low = log(curve.p10) - apart
    let high = log(curve.median) + apart
    func x(_ value: Double) -> Double {
      guard value > 0 else { return 4 }
      return 4 + min(max((log(value) - low) / (high - low), 0), 1) * (Self.width - 8)
    }
    func y(_ score: Double) -> Double { 6 + (1 - score) * (Self.height - 24) }
    func text(_ number: Double) -> String { Figures.fixed(number, 1) }
    line = (0...52).map { step in
      let value = exp(low + (high - low) * Double(step) / 52)
      return "\(text(x(value))),\(text(y(scoring.score(value))))"
    }.joined(separator: " ")
    p10X = text(x(curve.p10))
    medianX = text(x(curve.median))
    p10Text = Figures.brief(curve.p10)
    medianText = Figures.brief(curve.median)
    dotX = value.map { text(x($0)) }
    dotY = value.map { text(y(scoring.score($0))) }
    band = GaugeModel.band(value.map { scoring.score($0) * 100 })
    limitX = limit.flatMap { $0 > 0 ? text(x($0)) : nil }
    var label =
      "Scoring curve: \(p10Text) \(unit) scores 90, \(medianText) \(unit) scores 50"
    if let value {
      label +=
        "; the value \(Figures.brief(value)) \(unit) "
        + "is at \(Figures.fixed(scoring.score(value) * 100, 0))"
    }
    self.label = label
  }
}
