/// A cell of a CSV file (RFC 4180), with text that anybody may have chosen made harmless.
enum CSVField {
  /// A spreadsheet takes a cell that begins so for a formula (OWASP, CSV injection).
  private static let formulas = "=+-@".unicodeScalars

  /// Text: control characters as escapes, an apostrophe before what would be a formula, quoted where it must be.
  ///
  /// An empty text stands between quotes, which tells it from none.
  static func text(_ text: String) -> String {
    var shown = Escaped.visible(text)
    if let first = shown.unicodeScalars.first, formulas.contains(first), Double(shown) == nil {
      shown = "'" + shown
    }
    let marks = "\",".utf8
    guard shown.isEmpty || shown.utf8.contains(where: { marks.contains($0) }) else { return shown }
    return "\"" + shown.replacing("\"", with: "\"\"") + "\""
  }
}
