/// Text from a trace as a page may show it.
enum PageText {
  /// The text with what cannot be seen written as escapes; the template escapes what is markup.
  ///
  /// A template escapes whole characters, so what would form one character with a quote or bracket, as a mark behind
  /// it does, is written as an escape too.
  static func shown(_ text: String) -> String {
    let escaped = Escaped.visible(text)
    if escaped.utf8.allSatisfy({ $0 < 0x80 }) { return escaped }
    let markup = "<>&\"'".unicodeScalars
    var result = ""
    for character in escaped {
      let scalars = character.unicodeScalars
      guard scalars.count > 1, scalars.contains(where: { markup.contains($0) }) else {
        result.append(character)
        continue
      }
      for scalar in scalars {
        result +=
          scalar.isASCII
          ? String(scalar) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return result
  }

  /// A path's last part.
  static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// `file:line` of a frame, or the module where the line is not known.
  static func place(_ frame: ReportFrame) -> String {
    let place = frame.file.map { fileName($0) } ?? fileName(frame.module)
    let line = frame.file == nil ? nil : frame.line
    return shown(place) + (line.map { ":\($0)" } ?? "")
      + (frame.isTailCall == true ? ", in a tail call" : "")
  }

  /// JSON for a script element: nothing in it can end the element or begin a comment.
  static func scriptData(_ json: String) -> String {
    json.replacing("<", with: "\\u003c").replacing("\u{2028}", with: "\\u2028")
      .replacing("\u{2029}", with: "\\u2029")
  }
}
