/// Numbers as people read them, always the same way whatever the locale.
package enum Figures {
  /// A number with so many digits after the point, rounded as C's `printf` does.
  package static func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite else { return "?" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = rounded(value.magnitude, times: scale)
    guard scaled < 9e15 else { return "\(value)" }
    let whole = Int64(scaled)
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard digits > 0 else { return sign + String(whole) }
    let divisor = Int64(scale)
    let fraction = String(whole % divisor)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(whole / divisor).\(zeros)\(fraction)"
  }

  /// A number with about three digits that mean something.
  package static func brief(_ value: Double) -> String {
    switch value.magnitude {
    case 0: "0"
    case 100...: fixed(value, 0)
    case 10..<100: fixed(value, 1)
    case 0.1..<10: trimmed(fixed(value, 2))
    default: trimmed(fixed(value, 4))
    }
  }

  /// A time in the unit that suits it.
  package static func seconds(_ value: Double) -> String {
    switch value.magnitude {
    case 0: "0 s"
    case 120...: "\(fixed(value / 60, 1)) min"
    case 1..<120: "\(brief(value)) s"
    case 0.001..<1: "\(brief(value * 1e3)) ms"
    case 0.000001..<0.001: "\(brief(value * 1e6)) µs"
    default: "\(brief(value * 1e9)) ns"
    }
  }

  /// A size in the decimal unit that suits it.
  package static func bytes(_ value: Double) -> String {
    switch value.magnitude {
    case 1e9...: "\(brief(value / 1e9)) GB"
    case 1e6..<1e9: "\(brief(value / 1e6)) MB"
    case 1e3..<1e6: "\(brief(value / 1e3)) kB"
    default: "\(fixed(value, 0)) B"
    }
  }

  /// A size in the decimal unit that suits it.
  package static func bytes(_ value: UInt64) -> String { bytes(Double(value)) }

  /// A span of time with no more digits than are known.
  package static func seconds(_ value: Double, digits: Int) -> String {
    let words = seconds(value.rounded(toDigits: digits)).split(separator: " ")
    return "\(trimmed(String(words[0]))) \(words[1])"
  }

  /// An energy in the unit that suits it.
  package static func joules(_ value: Double) -> String {
    switch value.magnitude {
    case 10_000...: "\(brief(value / 1e3)) kJ"
    case 1..., 0: "\(brief(value)) J"
    default: "\(brief(value * 1e3)) mJ"
    }
  }

  /// A share as a percentage.
  package static func percent(_ share: Double) -> String { "\(brief(share * 100)) %" }

  /// A share as a percentage with no more digits than are known.
  package static func percent(_ share: Double, digits: Int) -> String {
    "\(trimmed(brief((share * 100).rounded(toDigits: digits)))) %"
  }

  /// A count with its noun, in the singular for one.
  package static func count(_ value: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(grouped(value)) \(value == 1 ? noun : plural ?? noun + "s")"
  }

  /// A whole number with its thousands set apart by commas.
  package static func grouped(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    var result = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return result
  }

  /// Of how many events one was recorded: mostly whole, as it was asked for.
  package static func period(_ value: Double) -> String { trimmed(fixed(value, 1)) }

  /// A product rounded to a whole number; where it lies halfway, by what the multiplication itself rounded off.
  private static func rounded(_ value: Double, times scale: Double) -> Double {
    let product = value * scale
    let below = product.rounded(.down)
    let rest = (-product).addingProduct(value, scale)
    guard product - below == 0.5, rest != 0 else { return product.rounded(.toNearestOrEven) }
    return rest < 0 ? below : below + 1
  }

  private static func trimmed(_ text: String) -> String {
    guard text.contains(".") else { return text }
    var text = text
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}

extension Double {
  /// The nearest number of so many decimal digits.
  fileprivate func rounded(toDigits digits: Int) -> Double {
    guard isFinite, self != 0 else { return self }
    var scale = 1.0
    while magnitude * scale >= 10 { scale /= 10 }
    while magnitude * scale < 1 { scale *= 10 }
    for _ in 1..<max(digits, 1) { scale *= 10 }
    return (self * scale).rounded() / scale
  }
}
