/// Shows names that other people chose without letting them act on the terminal or mislead.
package enum Escaped {
  /// The text with control characters, line breaks, direction marks and other invisible characters
  /// written as escapes.
  package static func text(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x5C }) { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if let escape = escape(of: scalar) {
        result += escape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The same where a backslash misleads nobody: on a page, or in a cell.
  package static func visible(_ text: String) -> String {
    Escaped.text(text).replacing("\\\\", with: "\\")
  }

  /// The text for a Markdown table cell or paragraph.
  package static func markdown(_ text: String) -> String { inert(Escaped.text(text)) }

  /// Text that is already escaped for the terminal, its Markdown marks made inert.
  package static func inert(_ text: String) -> String {
    var result = ""
    // A mark behind one of these is of one character with it, and leaves it what it is.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "!", "@":
        result += "\\" + String(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func escape(of scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\t": return "\\t"
    case "\r": return "\\r"
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
      .surrogate:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      if scalar.value < 0x100 {
        return "\\x" + (digits.count < 2 ? "0" + digits : digits)
      }
      return "\\u{\(digits)}"
    default:
      // Blank letters pass for spaces or for nothing at all.
      let blanks: Set<UInt32> = [0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F]
      if blanks.contains(scalar.value) || scalar.properties.isDefaultIgnorableCodePoint {
        return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
      if scalar.value != 0x20 && scalar.properties.generalCategory == .spaceSeparator {
        return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
      return nil
    }
  }
}
