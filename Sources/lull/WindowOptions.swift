import ArgumentParser
import Quantities
import Reporting
import TraceModel

/// Which part of a recording to report on.
struct WindowOptions: ParsableArguments {
  @Option(
    help: "Begin here, counted from the recording's start, such as 90s or 2m.",
    transform: DurationArgument.moment)
  var from: TimeSpan?

  @Option(help: "End here, counted from the recording's start.", transform: DurationArgument.parse)
  var to: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "Report on the 5 s before and after a finding: a rule's id, hang or hang:2 for the second longest.",
      valueName: "finding"))
  var around: String?

  /// Seconds shown on each side of a finding.
  private static let margin = 5.0

  func validate() throws {
    if around != nil, from != nil || to != nil {
      throw ValidationError("give --around, or --from and --to, not both.")
    }
    if let from, let to, from >= to {
      throw ValidationError("--from must be before --to.")
    }
  }

  /// The window that --from and --to give.
  var window: TraceWindow? {
    guard from != nil || to != nil else { return nil }
    return TraceWindow(from: from?.seconds, to: to?.seconds)
  }

  /// The window around something that a report on the whole found.
  static func window(around finding: String, in report: Report) throws -> TraceWindow {
    let parts = finding.split(separator: ":", maxSplits: 1)
    let number = parts.count == 2 ? Int(parts[1]) ?? 0 : 1
    var span: (start: Double, end: Double)?
    if parts.first == "hang" {
      let hangs = (report.signals.mainThread?.hangs ?? []).sorted {
        $0.durationSeconds > $1.durationSeconds
      }
      if hangs.indices.contains(number - 1) {
        let hang = hangs[number - 1]
        span = (hang.start, hang.start + hang.durationSeconds)
      }
    } else if let audit = report.audits.first(where: { $0.id == parts.first ?? "" }) {
      let times = audit.evidence.compactMap(\.time)
      if times.indices.contains(number - 1) { span = (times[number - 1], times[number - 1]) }
    }
    guard let span else {
      let hangs = report.signals.mainThread?.hangs.isEmpty == false ? ["hang"] : []
      let rules = report.audits.filter { $0.evidence.contains { $0.time != nil } }.map(\.id)
      let others = (hangs + rules).joined(separator: ", ")
      throw ValidationError(
        "the report has no \(finding) that happened at a certain time"
          + (others.isEmpty ? ", and nothing else that did." : "; it has \(others)."))
    }
    return TraceWindow(from: span.start - margin, to: span.end + margin)
  }
}
