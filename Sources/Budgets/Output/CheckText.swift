import Reporting

/// A check for the terminal: what is broken first.
package enum CheckText {
  /// The check as text; no line is wider than the options' width.
  package static func render(
    _ check: CheckResult, options: TextOptions = .init(), all: Bool = false
  ) -> String {
    var canvas = TextCanvas(options: options)
    for result in check.results where isShown(result) || all {
      write(result, &canvas)
    }
    for note in check.notes { canvas.paragraph("note: " + Escaped.text(note), indent: 0) }
    canvas.line((summary(check), style(check.verdict)))
    return canvas.text
  }

  /// What passed is counted alone, and so is what does not apply where the budget did not name it.
  private static func isShown(_ result: BudgetResult) -> Bool {
    result.isOpenOrFailed || (result.verdict == .notApplicable && result.pattern == nil)
  }

  /// One line for the whole check.
  package static func summary(_ check: CheckResult) -> String {
    func count(_ verdict: BudgetVerdict, _ level: BudgetLevel? = nil) -> Int {
      check.results.count { $0.verdict == verdict && (level == nil || $0.level == level) }
    }
    var parts = ["\(count(.pass)) passed"]
    if count(.fail, .error) > 0 { parts.append("\(count(.fail, .error)) over budget") }
    if count(.fail, .warn) > 0 { parts.append("\(count(.fail, .warn)) warned") }
    if count(.notApplicable) > 0 {
      parts.append(
        "\(count(.notApplicable)) \(count(.notApplicable) == 1 ? "does" : "do") not apply")
    }
    if count(.inconclusive) > 0 { parts.append("\(count(.inconclusive)) could not be measured") }
    let verdict =
      switch check.verdict {
      case .pass: "Budgets: pass"
      case .fail: "Budgets: FAIL"
      case .inconclusive, .notApplicable: "Budgets: inconclusive"
      }
    return "\(verdict) (\(parts.joined(separator: ", ")))"
  }

  /// The word in front of a result.
  static func word(_ result: BudgetResult) -> String {
    switch (result.verdict, result.level) {
    case (.fail, .error): "FAIL"
    case (.fail, _): "WARN"
    case (.inconclusive, _): "?"
    case (.notApplicable, _): "n/a"
    case (.pass, _): "ok"
    }
  }

  /// Who is to blame, in a line.
  package static func blame(_ blame: Blame) -> String {
    var text = blame.function.map { Columns.clip(Escaped.text($0), to: 120) } ?? ""
    if let file = blame.file {
      let name = file.split(separator: "/").last.map(String.init) ?? file
      let place = Escaped.text(name) + (blame.line.map { ":\($0)" } ?? "")
      text += text.isEmpty ? place : " (\(place))"
    }
    if let subject = blame.subject {
      text += (text.isEmpty ? "" : ", ") + Columns.clip(Escaped.text(subject), to: 120)
    }
    if text.isEmpty, let summary = blame.summary {
      text = Columns.clip(Escaped.text(summary), to: 200)
    }
    return text
  }

  /// Who is to blame for a result, or why that is not known; nil where nothing is to be said.
  static func blamed(_ result: BudgetResult) -> String? {
    result.blame.map(blame) ?? result.blameReason.map { "not known: \($0)" }
  }

  private static func write(_ result: BudgetResult, _ canvas: inout TextCanvas) {
    let style: TextCanvas.Style =
      switch (result.verdict, result.level) {
      case (.fail, .error): .bad
      case (.pass, _): .good
      default: .middling
      }
    let scenario = result.scenario.map { $0.isEmpty ? "" : " [\(Escaped.text($0))]" } ?? ""
    canvas.line(
      (Columns.padded(word(result), to: 5), style),
      (Columns.clip(Escaped.text(result.path), to: 60) + scenario, .heading))
    canvas.paragraph(Escaped.text(result.message), indent: 5, hanging: 7)
    guard result.isOpenOrFailed else { return }
    if let blame = blamed(result) {
      canvas.paragraph("blame: " + blame, indent: 5, hanging: 7)
    }
    if let rule = result.rule, let advice = result.advice {
      canvas.paragraph("\(rule): \(Escaped.text(advice))", indent: 5, hanging: 7)
    }
    if let note = result.note {
      canvas.paragraph("note: " + Escaped.text(note), indent: 5, hanging: 7)
    }
  }

  private static func style(_ verdict: BudgetVerdict) -> TextCanvas.Style {
    switch verdict {
    case .pass: .good
    case .fail: .bad
    case .inconclusive, .notApplicable: .middling
    }
  }
}
