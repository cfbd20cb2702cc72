import Reporting

/// A check as JUnit XML: a test case for each budget.
package enum JUnitReport {
  /// A broken budget is a failure, an inconclusive one an error, a warning and what does not apply a skipped case.
  package static func render(_ check: CheckResult) -> String {
    let failures = check.results.count { $0.verdict == .fail && $0.level == .error }
    let errors = check.results.count { $0.verdict == .inconclusive && $0.level == .error }
    let skipped = check.results.count {
      $0.verdict == .notApplicable || ($0.verdict != .pass && $0.level != .error)
    }
    let counts =
      "tests=\"\(check.results.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    xml += "<testsuites name=\"lull\" \(counts)>\n"
    xml += "  <testsuite name=\"\(escaped(check.budget))\" \(counts) skipped=\"\(skipped)\">\n"
    for result in check.results { xml += testCase(result) }
    xml += "  </testsuite>\n</testsuites>\n"
    return xml
  }

  private static func testCase(_ result: BudgetResult) -> String {
    let scenario = result.scenario.map { $0.isEmpty ? "lull" : "lull.\($0)" } ?? "lull"
    let open =
      "    <testcase classname=\"\(escaped(scenario))\" name=\"\(escaped(result.path))\""
    guard result.verdict != .pass else {
      return open
        + ">\n      <system-out>\(escaped(result.message))</system-out>\n    </testcase>\n"
    }
    let message = "message=\"\(escaped(result.message))\""
    let text = escaped(details(result))
    let inner =
      switch (result.verdict, result.level) {
      case (_, .warn), (_, .off), (.notApplicable, _): "<skipped \(message)/>"
      case (.inconclusive, _): "<error \(message) type=\"inconclusive\">\(text)</error>"
      default: "<failure \(message) type=\"over budget\">\(text)</failure>"
      }
    return open + ">\n      \(inner)\n    </testcase>\n"
  }

  private static func details(_ result: BudgetResult) -> String {
    var lines = [result.message]
    if let blame = CheckText.blamed(result) { lines.append("blame: " + blame) }
    if let rule = result.rule, let advice = result.advice { lines.append("\(rule): \(advice)") }
    if let note = result.note { lines.append("note: \(note)") }
    return lines.joined(separator: "\n")
  }

  /// Text for XML 1.0, which cannot hold every character even when escaped.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "\n": result.append(contentsOf: "&#10;".unicodeScalars)
      case "\t": result.append(contentsOf: "&#9;".unicodeScalars)
      default:
        let isAllowed =
          scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
          && scalar.value & 0xFFFE != 0xFFFE
        result.append(isAllowed ? scalar : "?")
      }
    }
    return String(result)
  }
}
