/// A form in which a report can be written.
package enum ReportFormat: String, CaseIterable, Sendable {
  case text, html, json, markdown

  /// What to tell someone who asked for a form that does not exist.
  package static func unknownMessage(_ name: String) -> String {
    let known = allCases.map(\.rawValue)
    let list = known.dropLast().joined(separator: ", ") + " and " + (known.last ?? "")
    return "there is no report format “\(name)”; this version writes \(list)"
  }
}
