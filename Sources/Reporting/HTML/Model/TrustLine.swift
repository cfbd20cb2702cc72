import Quantities

/// How far a recording can be trusted, one reason a line.
struct TrustLine {
  /// "good", "fair" or "poor".
  let band: String
  /// The same in a word.
  let word: String
  let label: String
  let text: String

  init(_ band: String, _ label: String, _ text: String) {
    self.band = band
    word = band == "good" ? "fine" : band == "fair" ? "note" : "caution"
    self.label = label
    self.text = text
  }

  static func lines(_ report: Report) -> [TrustLine] {
    let trace = report.trace
    let lost = trace.lostEvents > 0 || trace.lostSamples > 0 || trace.throttled > 0
    var lines = [
      TrustLine(
        lost ? "poor" : trace.lossNote == nil ? "good" : "fair", "Losses",
        PageText.shown(RecordingText.losses(trace)))
    ]
    if trace.truncated {
      lines.append(TrustLine("poor", "Truncated", RecordingText.truncation(trace)))
    }
    let missing = report.capture.unavailable
    if missing.isEmpty {
      lines.append(TrustLine("good", "Signals", "everything was measured"))
    } else {
      let names = Set(missing.map { PageText.shown(TextReport.words($0.signal)) }).sorted()
      lines.append(
        TrustLine("fair", "Signals", "not measured: " + names.joined(separator: ", ")))
    }
    if !report.capture.sampled.isEmpty {
      let names = Set(report.capture.sampled.map { PageText.shown($0.source) }).sorted()
      lines.append(
        TrustLine("fair", "Sampled", "for their rate: " + names.joined(separator: ", ")))
    }
    lines += names(trace)
    lines.append(overhead(report))
    return lines
  }

  private static let namesShown = 3

  /// What keeps functions from having their names.
  private static func names(_ trace: TraceSection) -> [TrustLine] {
    let problems = trace.symbolProblems + (trace.nameDoubts ?? [])
    var lines = problems.prefix(namesShown).map { TrustLine("fair", "Names", PageText.shown($0)) }
    if problems.count > namesShown {
      let rest = Figures.count(problems.count - namesShown, "more file", "more files")
      lines.append(TrustLine("fair", "Names", "and of \(rest)"))
    }
    return lines
  }

  private static func overhead(_ report: Report) -> TrustLine {
    guard let seconds = report.capture.overhead.cpuSeconds else {
      return TrustLine("fair", "Overhead", "unknown: the recording did not say")
    }
    // Beginning and ending a recording takes as long whatever it is of.
    guard report.trace.durationSeconds >= 1 else {
      return TrustLine("good", "Overhead", "\(Figures.seconds(seconds)) of CPU time")
    }
    let share = seconds / report.trace.durationSeconds
    return TrustLine(
      share < 0.1 ? "good" : "fair", "Overhead",
      "\(Figures.percent(share)) of one core (\(Figures.seconds(seconds)))")
  }
}
