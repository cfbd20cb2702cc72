import Signals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Figures as people read them, the same on every machine.
enum Figures {
  /// A number with so many digits after the point.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return value.isNaN ? "–" : "∞" }
    let scale = pow(10, Double(digits))
    let scaled = (abs(value) * scale).rounded()
    let sign = value < 0 && scaled > 0 ? "-" : ""
    let whole = Int((scaled / scale).rounded(.down))
    guard digits > 0 else { return "\(sign)\(Int(scaled))" }
    let fraction = String(Int(scaled - Double(whole) * scale))
    return "\(sign)\(whole)."
      + String(repeating: "0", count: max(0, digits - fraction.count)) + fraction
  }

  /// A number with about three significant digits.
  static func short(_ value: Double) -> String {
    switch abs(value) {
    case 0: "0"
    case 100...: fixed(value, 0)
    case 10...: fixed(value, 1)
    case 0.1...: fixed(value, 2)
    default: fixed(value, 3)
    }
  }

  /// A time in milliseconds or seconds.
  static func seconds(_ value: Double) -> String {
    abs(value) < 1 ? "\(short(value * 1000)) ms" : "\(short(value)) s"
  }

  /// A size in bytes, kB, MB or GB.
  static func bytes(_ value: Double) -> String {
    switch abs(value) {
    case 1e9...: "\(short(value / 1e9)) GB"
    case 1e6...: "\(short(value / 1e6)) MB"
    case 1e3...: "\(short(value / 1e3)) kB"
    default: "\(fixed(value, 0)) bytes"
    }
  }

  /// An energy in millijoules or joules.
  static func joules(_ value: Double) -> String {
    abs(value) < 0.1 ? "\(short(value * 1000)) mJ" : "\(short(value)) J"
  }

  /// A count with its noun, which takes an s unless it is one.
  static func count(_ value: Int, _ noun: String) -> String {
    value == 1 ? "1 \(noun)" : "\(value) \(noun)s"
  }
}

extension [StackFrame] {
  /// The first function of the program's own code, else the innermost one.
  var blamed: String? { first { $0.isProgram }?.function ?? first?.function }
}
