import FoundationEssentials
import Quantities
import Reporting

/// A comparison in the forms it can be written in.
package enum ComparisonText {
  /// For the terminal; no line is wider than the options' width.
  package static func render(_ comparison: Comparison, options: TextOptions = .init()) -> String {
    var canvas = TextCanvas(options: options)
    canvas.line(
      (
        "\(Figures.count(comparison.baseRuns, "run")) before, "
          + "\(Figures.count(comparison.newRuns, "run")) after", .heading
      ))
    if let reason = reasonOfAll(comparison) {
      canvas.paragraph("no figure can be compared: " + Escaped.text(reason), hanging: 2)
    } else {
      for figure in comparison.figures { write(figure, &canvas) }
    }
    for note in comparison.notes { canvas.paragraph("note: " + Escaped.text(note), indent: 0) }
    let word: (String, TextCanvas.Style) =
      switch comparison.verdict {
      case .pass: ("Comparison: no change for the worse", TextCanvas.Style.good)
      case .fail: ("Comparison: WORSE", .bad)
      case .inconclusive, .notApplicable: ("Comparison: inconclusive", .middling)
      }
    canvas.line(word)
    return canvas.text
  }

  /// What stands in the way of every figure, such as a recording that broke off.
  private static func reasonOfAll(_ comparison: Comparison) -> String? {
    guard let reason = comparison.figures.first?.reason, comparison.figures.count > 1,
      comparison.figures.allSatisfy({ $0.reason == reason })
    else { return nil }
    return reason
  }

  /// For comments on changes.
  package static func markdown(_ comparison: Comparison) -> String {
    var lines = [
      "### Lull: \(headline(comparison))", "",
      "| | Figure | Before | After | Change | p, Holm-adjusted | Blame |",
      "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for figure in comparison.figures {
      let unit = FigureUnit(named: figure.unit)
      let cells = [
        word(figure.verdict), Escaped.markdown(figure.path),
        figure.base.map(unit.text) ?? "–", figure.new.map(unit.text) ?? "–",
        Escaped.markdown(figure.reason ?? change(figure, unit)),
        figure.pValue.map { number($0).replacing("= ", with: "") } ?? "",
        blame(figure).map(Escaped.inert) ?? "",
      ]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    lines.append("")
    let hasIntervals = comparison.figures.contains { $0.changeInterval != nil }
    lines.append(
      "\(Figures.count(comparison.baseRuns, "run")) before, \(comparison.newRuns) after"
        + (hasIntervals ? "; medians, and the 95 % interval of the change." : "."))
    for note in comparison.notes { lines += ["", "> " + Escaped.markdown(note)] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// For programs: `lull.compare/1`.
  package static func json(_ comparison: Comparison) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(comparison), as: UTF8.self) + "\n"
  }

  /// A p-value as it is written, with what it was corrected by.
  static func chance(_ value: Double) -> String { "Holm-adjusted p \(number(value))" }

  /// One that rounds to zero is not zero.
  private static func number(_ value: Double) -> String {
    value < 0.0001 ? "< 0.0001" : "= \(Figures.brief(value))"
  }

  static func headline(_ comparison: Comparison) -> String {
    let worse = comparison.figures.count { $0.verdict == .worse }
    return switch comparison.verdict {
    case .pass: "no change for the worse"
    case .fail: "\(Figures.count(worse, "figure")) got worse"
    case .inconclusive, .notApplicable: "inconclusive"
    }
  }

  private static func word(_ verdict: ComparisonVerdict) -> String {
    switch verdict {
    case .worse: "WORSE"
    case .better: "better"
    case .unchanged: "same"
    case .ambiguous: "noise"
    case .tooFewRuns, .incomparable, .notMeasured: "?"
    }
  }

  private static func write(_ figure: ComparedFigure, _ canvas: inout TextCanvas) {
    let unit = FigureUnit(named: figure.unit)
    let style: TextCanvas.Style =
      switch figure.verdict {
      case .worse: .bad
      case .better: .good
      case .unchanged, .ambiguous: .plain
      case .tooFewRuns, .incomparable, .notMeasured: .middling
      }
    let name = Columns.clip(Escaped.text(figure.path), to: 70)
    if figure.verdict == .unchanged {
      let pair = [figure.base, figure.new].map { $0.map(unit.text) ?? "?" }
      let text = pair[0] == pair[1] ? pair[0] : pair.joined(separator: " to ")
      return canvas.line((Columns.padded("same", to: 7), style), ("\(name): \(text)", .plain))
    }
    canvas.line((Columns.padded(word(figure.verdict), to: 7), style), (name, .heading))
    if let reason = figure.reason {
      return canvas.paragraph(Escaped.text(reason), indent: 7, hanging: 9)
    }
    var text =
      "\(figure.base.map(unit.text) ?? "?") to \(figure.new.map(unit.text) ?? "?"), "
      + change(figure, unit)
    if let p = figure.pValue { text += ", " + chance(p) }
    if figure.verdict == .tooFewRuns {
      text += "; it takes \(FigureSamples.fewest) runs of each side to tell this from noise"
    }
    canvas.paragraph(text, indent: 7, hanging: 9)
    guard figure.verdict == .worse else { return }
    if let blame = blame(figure) {
      canvas.paragraph("blame: " + blame, indent: 7, hanging: 9)
    }
    if let rule = figure.rule, let advice = figure.advice {
      canvas.paragraph("\(rule): \(Escaped.text(advice))", indent: 7, hanging: 9)
    }
  }

  /// Who is to blame, or why that is not known.
  private static func blame(_ figure: ComparedFigure) -> String? {
    figure.blame.map(CheckText.blame) ?? figure.blameReason.map { "not known: \($0)" }
  }

  private static func change(_ figure: ComparedFigure, _ unit: FigureUnit) -> String {
    guard let change = figure.change else { return "" }
    var text = unit.signed(change)
    if let relative = figure.relativeChange {
      text += " (\(relative < 0 ? "" : "+")\(Figures.percent(relative)))"
    }
    if let interval = figure.changeInterval?.map(unit.signed), interval.count == 2 {
      // What is alike as it is written says no more than the change does.
      if interval[0] != interval[1] { text += " within \(interval[0]) and \(interval[1])" }
    } else {
      text += ", seen in \(oneRun(figure))"
    }
    return text
  }

  /// Of which side there is one run only, so that nothing tells how far it may be off.
  private static func oneRun(_ figure: ComparedFigure) -> String {
    switch (figure.baseValues.count, figure.newValues.count) {
    case (1, 1): "one run of each side"
    case (1, _): "one run before"
    default: "one run after"
    }
  }
}
