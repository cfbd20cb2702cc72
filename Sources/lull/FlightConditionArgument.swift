import ArgumentParser
import Glibc
import Quantities
import Recording

/// What makes a flight recorder write, as users say it: `hang > 250ms`, `footprint > 500MB`, `SIGUSR2`.
enum FlightConditionArgument {
  /// A shorter turn of the main thread is no hang.
  private static let shortestHang = TimeSpan(nanoseconds: 100_000_000)

  @Sendable static func parse(_ text: String) throws -> FlightCondition {
    let sides = text.split(separator: ">", maxSplits: 1).map { String($0).trimming { $0 == " " } }
    guard sides.count == 2 else { return try signal(text) }
    switch sides[0] {
    case "hang":
      try needUnit(sides[1], in: text, "ns, us, ms, s, m or h, as in 'hang > 250ms'")
      let length = try DurationArgument.parse(sides[1])
      guard length >= shortestHang else {
        throw ValidationError("“\(text)”: what is shorter than 100ms is no hang.")
      }
      return FlightCondition(.hang(length), text: text)
    case "footprint":
      try needUnit(
        sides[1], in: text, "B, kB, MB, GB, TB, KiB, MiB or GiB, as in 'footprint > 500MB'")
      return FlightCondition(.footprint(try SizeArgument.parse(sides[1])), text: text)
    default: throw unknown(text)
    }
  }

  /// Who writes 250 for a hang means milliseconds, and 5 for a footprint no five bytes: neither would ever be told.
  private static func needUnit(_ amount: String, in text: String, _ units: String) throws {
    guard Double(amount) == nil else {
      throw ValidationError("“\(text)” has no unit; give one of \(units).")
    }
  }

  private static func signal(_ text: String) throws -> FlightCondition {
    guard let number = SignalMark.number(text).map({ Int32($0) }) else { throw unknown(text) }
    guard number == SIGUSR1 || number == SIGUSR2 else {
      throw ValidationError("“\(text)”: a recorder can be told by SIGUSR1 and SIGUSR2.")
    }
    return FlightCondition(.signal(number), text: text)
  }

  private static func unknown(_ text: String) -> ValidationError {
    ValidationError(
      "“\(text)” is no condition; write 'hang > 250ms', 'footprint > 500MB', SIGUSR1 or SIGUSR2.")
  }
}
