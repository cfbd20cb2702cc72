import Quantities
import Reporting

/// A check as Markdown, for comments and summaries; names in it cannot form markup.
package enum CheckMarkdown {
  /// What a comment on a pull request holds.
  package static let commentBytes = 65_536
  /// What the summary of a step in GitHub Actions holds.
  package static let summaryBytes = 1_048_576

  /// The check; whole rows are left out where it would be longer than the limit.
  package static func render(_ check: CheckResult, limit: Int = commentBytes) -> String {
    let head =
      [
        "### Lull: \(title(check))", "",
        "| | Figure | Found | Blame | What to do |", "| --- | --- | --- | --- | --- |",
      ].joined(separator: "\n") + "\n"
    var tail = "\n\(Escaped.markdown(CheckText.summary(check)))\n"
    for note in check.notes.prefix(10) { tail += "\n> \(Escaped.markdown(note))\n" }
    // Room for the line that counts what was left out.
    var room = limit - head.utf8.count - tail.utf8.count - 80
    var rows = ""
    var left = check.results.count
    for result in check.results {
      let row = row(result)
      guard row.utf8.count <= room else { break }
      rows += row
      room -= row.utf8.count
      left -= 1
    }
    if left > 0 { tail = "\nand \(Figures.count(left, "budget")) more.\n" + tail }
    return head + rows + tail
  }

  private static func title(_ check: CheckResult) -> String {
    let failed = check.results.count { $0.verdict == .fail && $0.level == .error }
    return switch check.verdict {
    case .pass: "within budget"
    case .fail: "\(Figures.count(failed, "figure")) over budget"
    case .inconclusive, .notApplicable: "could not be measured"
    }
  }

  private static func row(_ result: BudgetResult) -> String {
    let scenario = result.scenario.map { $0.isEmpty ? "" : " (\(Escaped.markdown($0)))" } ?? ""
    let isPass = !result.isOpenOrFailed
    let cells = [
      CheckText.word(result), Escaped.markdown(result.path) + scenario,
      Escaped.markdown(Columns.clip(result.message, to: 600)),
      isPass ? "" : CheckText.blamed(result).map(Escaped.inert) ?? "",
      isPass ? "" : result.advice.map(Escaped.markdown) ?? "",
    ]
    return "| " + cells.joined(separator: " | ") + " |\n"
  }
}
