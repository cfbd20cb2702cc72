import Reporting

/// A check as workflow commands of GitHub Actions, which show it beside the code.
package enum GitHubAnnotations {
  /// GitHub shows so many of each kind for a step.
  private static let most = 10
  /// Longer messages are cut by GitHub; cut here, at a whole character.
  private static let longest = 4000

  /// The commands, one a line; what there is no room for is counted in the last one.
  package static func render(_ check: CheckResult, places: ProjectPlaces) -> String {
    let errors = check.results.filter { $0.verdict == .fail && $0.level == .error }
    let warnings = check.results.filter {
      ($0.verdict == .fail && $0.level != .error) || $0.verdict == .inconclusive
    }
    return lines("error", errors, places) + lines("warning", warnings, places)
  }

  private static func lines(
    _ command: String, _ results: [BudgetResult], _ places: ProjectPlaces
  ) -> String {
    var text = ""
    let fits = results.count <= most
    for result in results.prefix(fits ? most : most - 1) {
      let place = places.place(of: result)
      var message = Escaped.text(result.message)
      if let blame = CheckText.blamed(result) { message += "\nblame: " + blame }
      if let rule = result.rule, let advice = result.advice { message += "\n\(rule): \(advice)" }
      text += "::\(command) file=\(property(place.file)),line=\(place.line),"
      let title = property("Lull: \(Escaped.text(result.path))")
      text += "title=\(title)::\(data(String(message.prefix(longest))))\n"
    }
    if !fits {
      let rest = results.dropFirst(most - 1).map { Escaped.text($0.path) }.joined(separator: ", ")
      let message = "and \(results.count - most + 1) more: \(rest)".prefix(longest)
      text += "::\(command) title=Lull::\(data(String(message)))\n"
    }
    return text
  }

  private static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
