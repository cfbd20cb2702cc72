/// How a text report looks.
package struct TextOptions: Sendable {
  /// Columns of the terminal or page; no line is wider.
  package var width: Int
  /// Whether terminal colours are used.
  package var color: Bool

  /// 80 columns without colour.
  package init(width: Int = 80, color: Bool = false) {
    self.width = max(width, 40)
    self.color = color
  }
}

/// Lines of text that never exceed a width, with or without colour.
package struct TextCanvas {
  /// What a piece of text means; colour only repeats it.
  package enum Style: String {
    case plain = ""
    case heading = "1"
    case good = "32"
    case middling = "33"
    case bad = "31"
    case faint = "2"
  }

  package let options: TextOptions
  package private(set) var text = ""

  package init(options: TextOptions) {
    self.options = options
  }

  /// A line of pieces; what does not fit is cut.
  package mutating func line(_ pieces: (String, Style)...) {
    var room = options.width
    var used = ""
    for (piece, style) in pieces {
      let clipped = Columns.clipEnd(piece, to: room)
      room -= Columns.width(clipped)
      used += styled(clipped, style)
      if room <= 0 { break }
    }
    // Spaces at the end of a line only make diffs noisy.
    while used.hasSuffix(" ") { used.removeLast() }
    text += used + "\n"
  }

  package mutating func blank() { text += "\n" }

  package mutating func heading(_ title: String) {
    blank()
    line((title, .heading))
  }

  /// Text broken at spaces; lines after the first are indented to `hanging`.
  package mutating func paragraph(
    _ content: String, indent: Int = 2, hanging: Int? = nil, style: Style = .plain
  ) {
    let deeper = max(indent, hanging ?? indent)
    // The first line may be shorter than it could be: one width keeps wrapping simple.
    let lines = Columns.wrap(content, to: options.width - deeper)
    for (index, part) in lines.enumerated() {
      let space = String(repeating: " ", count: index == 0 ? indent : deeper)
      line((space, .plain), (part, style))
    }
  }

  /// A labelled paragraph, its text in one column with the others'.
  package mutating func item(_ label: String, _ content: String, style: Style = .plain) {
    let column = 15
    let lines = Columns.wrap(content, to: options.width - column)
    for (index, part) in lines.enumerated() {
      let left = index == 0 ? "  " + label + " " : ""
      line((Columns.padded(left, to: column), .plain), (part, style))
    }
  }

  private func styled(_ text: String, _ style: Style) -> String {
    guard options.color, style != .plain, !text.isEmpty else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  /// The colour of a score: Lighthouse's bands.
  static func style(ofScore score: Double?) -> Style {
    guard let score else { return .faint }
    return score >= 90 ? .good : score >= 50 ? .middling : .bad
  }
}
