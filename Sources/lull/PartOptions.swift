import ArgumentParser
import PerfData
import Quantities
import Recording

/// The options of `record` for recordings that are kept in parts: those of days, and flight recorders.
struct PartOptions: ParsableArguments {
  /// When a recording changes its file.
  enum Limit: Sendable {
    case time(TimeSpan)
    case size(UInt64)
  }

  @Option(
    help: ArgumentHelp(
      "Begin a new file after so long, or so many bytes; may be given for both. -o names the folder of the files.",
      valueName: "1h|100MB"),
    transform: Self.limit)
  var rotate: [Limit] = []

  @Option(help: "With --rotate, keep so many files in the folder and remove older ones.")
  var keep: Int?

  @Option(
    help: ArgumentHelp(
      "With --rotate, write the figures of each finished file here as OpenMetrics text.",
      valueName: "path"))
  var metrics: String?

  @Option(
    help: ArgumentHelp(
      "Keep so much in memory, and write it when something happens that --on names. -o names the folder.",
      valueName: "30s"),
    transform: DurationArgument.parse)
  var flight: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "With --flight: 'hang > 250ms', 'footprint > 500MB', SIGUSR1 or SIGUSR2 to lull; may be given several times.",
      valueName: "condition"),
    transform: FlightConditionArgument.parse)
  var on: [FlightCondition] = []

  @Option(help: "With --flight, write at most so often within an hour; 6 by default.")
  var atMost: Int?

  @Option(
    help: ArgumentHelp(
      "With --flight, the most memory for what is kept; 128MB by default.", valueName: "128MB"),
    transform: SizeArgument.parse)
  var flightMemory: UInt64?

  /// Whether a recording is kept in parts.
  var isUsed: Bool { !rotate.isEmpty || flight != nil }

  @Sendable static func limit(_ text: String) throws -> Limit {
    if text.hasSuffix("B") || text.hasSuffix("M") || text.hasSuffix("G"),
      let bytes = SizeArgument.bytes(text)
    {
      return .size(bytes)
    }
    return .time(try DurationArgument.parse(text))
  }

  func validate() throws {
    if !rotate.isEmpty, flight != nil {
      throw ValidationError("give --rotate or --flight, not both.")
    }
    if metrics != nil, rotate.isEmpty { throw ValidationError("--metrics goes with --rotate.") }
    if keep != nil, rotate.isEmpty { throw ValidationError("--keep goes with --rotate.") }
    if let keep, keep < 1 { throw ValidationError("--keep must be 1 or more.") }
    if flight == nil, !on.isEmpty || atMost != nil || flightMemory != nil {
      throw ValidationError("--on, --at-most and --flight-memory go with --flight.")
    }
    if flight != nil, on.isEmpty {
      throw ValidationError("--flight needs --on: what is to make it write?")
    }
    if let flight, flight < TimeSpan(seconds: 1) || flight > TimeSpan(seconds: 3600) {
      throw ValidationError("--flight must be from 1s to 1h.")
    }
    if let atMost, atMost < 1 { throw ValidationError("--at-most must be 1 or more.") }
    if let flightMemory, flightMemory < 8_000_000 {
      throw ValidationError("--flight-memory must be 8MB or more.")
    }
    for case .size(let bytes) in rotate where bytes < 1_000_000 {
      throw ValidationError("--rotate must be 1MB or more.")
    }
    for case .time(let span) in rotate where span < TimeSpan(seconds: 1) {
      throw ValidationError("--rotate must be 1s or more.")
    }
  }
}
