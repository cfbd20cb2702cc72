import Reporting

/// A check, or a report, as OpenMetrics text, for dashboards.
package enum OpenMetricsReport {
  /// What a report is about, and each of its figures that every report has in the same place and that was measured.
  package static func render(_ report: Report) throws -> String {
    let figures = try ReportFigures(report)
    let facts = [
      ("process", report.process.name), ("host", report.trace.hostname ?? ""),
      ("start", report.trace.startTime ?? ""), ("version", report.generator.version),
    ]
    let labels = facts.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
    var text = family("lull_recording", "info", "What the figures are about.")
    text += "lull_recording_info{\(labels)} 1\n"
    text += family("lull_figure", "gauge", figureHelp)
    for column in ReportRow.columns {
      guard let value = figures.numbers[column.path], value.isFinite else { continue }
      let unit = escaped(figures.unit(of: column.path).name)
      let path = escaped(column.path.description)
      text += "lull_figure{path=\"\(path)\",scenario=\"\",unit=\"\(unit)\"} \(value)\n"
    }
    return text + "# EOF\n"
  }

  private static let figureHelp = "What was measured, in the figure's own unit."

  /// Gauges of the measured figures and of their limits, and a state for each budget.
  package static func render(_ check: CheckResult) -> String {
    var text = family("lull_figure", "gauge", figureHelp)
    var seen: Set<String> = []
    func first(_ labels: String, in results: inout String, _ line: String) {
      if seen.insert(labels).inserted { results += line }
    }
    for result in check.results {
      guard let measured = result.measured else { continue }
      let labels = labels(result) + ",unit=\"\(escaped(result.unit))\""
      first("f" + labels, in: &text, "lull_figure{\(labels)} \(measured)\n")
    }
    text += family("lull_budget_limit", "gauge", "The limits of the budgets.")
    for result in check.results {
      for (bound, value) in [("max", result.max), ("min", result.min)] {
        guard let value else { continue }
        let labels = labels(result) + ",bound=\"\(bound)\""
        first("l" + labels, in: &text, "lull_budget_limit{\(labels)} \(value)\n")
      }
    }
    text += family("lull_budget", "stateset", "What each budget came to.")
    for result in check.results {
      let labels = labels(result) + ",line=\"\(result.budgetLine)\""
      var lines = ""
      // Most budgets never come to this state.
      for verdict in BudgetVerdict.allCases
      where verdict != .notApplicable || result.verdict == verdict {
        let value = verdict == result.verdict ? 1 : 0
        lines += "lull_budget{\(labels),lull_budget=\"\(verdict.rawValue)\"} \(value)\n"
      }
      first("b" + labels, in: &text, lines)
    }
    return text + "# EOF\n"
  }

  private static func family(_ name: String, _ type: String, _ help: String) -> String {
    "# TYPE \(name) \(type)\n# HELP \(name) \(help)\n"
  }

  private static func labels(_ result: BudgetResult) -> String {
    "path=\"\(escaped(result.path))\",scenario=\"\(escaped(result.scenario ?? ""))\""
  }

  /// A label's value: the format knows escapes of three characters, and other control characters are shown as text.
  private static func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      Escaped.visible(String(line)).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }.joined(separator: "\\n")
  }
}
