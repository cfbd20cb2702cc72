import Quantities
import Rules

/// The first thing to read: the score, and what is wrong in plain words.
enum VerdictText {
  private static let findingsShown = 5
  /// Of forty rules that could not be measured the names say less than the reason, which is told with the recording.
  private static let rulesListed = 12
  /// Bounds of one rule's score that are closer are one number.
  private static let closeScores = 1.0

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    let shown = ShownScore(report.score)
    if let text = shown.text() {
      canvas.line(
        ("Score ", .heading),
        ("\(text) of 100", TextCanvas.style(ofScore: shown.bounds?.high ?? shown.score)))
    } else {
      canvas.paragraph(
        "Score none: " + Escaped.text(report.score.note ?? ""), indent: 0, hanging: 2,
        style: TextCanvas.style(ofScore: nil))
    }
    let crash = ReportNotes.crash(report, shown: Escaped.text)
    if let crash { canvas.paragraph(crash, style: .bad) }
    if let note = report.score.note, report.score.overall != nil {
      canvas.paragraph(Escaped.text(note))
    }
    for category in report.score.categories {
      write(category, ShownScore(category, of: report.score), &canvas)
    }
    for note in notes(report) where note != crash { canvas.item("note", note, style: .middling) }
    let findings = Findings.of(report)
    canvas.heading(findings.isEmpty ? "Findings" : "Worst findings")
    if findings.isEmpty { canvas.paragraph("none: " + Findings.whyNone(report)) }
    for (index, audit) in findings.prefix(findingsShown).enumerated() {
      write(audit, number: index + 1, &canvas)
    }
    if findings.count > findingsShown {
      let rest = findings.dropFirst(findingsShown).map { Escaped.text($0.id) }
      canvas.paragraph("also: " + rest.joined(separator: ", "))
    }
    open(report, &canvas)
    savings(report, &canvas)
    counts(report, &canvas)
  }

  /// What was seen once or twice, which shows that it happens and not how often.
  private static func open(_ report: Report, _ canvas: inout TextCanvas) {
    let audits = Findings.open(report)
    guard !audits.isEmpty else { return }
    canvas.heading("Seen, but too little to tell")
    for audit in audits.prefix(findingsShown) {
      var text = "\(Escaped.text(audit.id)): \(Escaped.text(audit.displayValue))"
      if let blamed = Findings.blame(audit) { text += ", in " + blamed }
      if let low = audit.low, let high = audit.high {
        text += "; score \(Figures.fixed(low, 0)) to \(Figures.fixed(high, 0))"
      }
      canvas.paragraph(text, hanging: 4)
    }
  }

  private static func notes(_ report: Report) -> [String] {
    var notes = ReportNotes.lines(report, shown: Escaped.text)
    if report.process.isSwift == true, let version = report.process.swiftVersion {
      notes.insert("A Swift program, \(Escaped.text(version)).", at: 0)
    }
    if report.trace.lostEvents > 0 || report.trace.lostSamples > 0 {
      notes.append(RecordingText.losses(report.trace))
    }
    return notes
  }

  private static func write(
    _ category: CategorySection, _ shown: ShownScore, _ canvas: inout TextCanvas
  ) {
    let title = Columns.padded(Columns.clip(Escaped.text(category.title), to: 24), to: 25)
    guard let score = category.score, let text = shown.text("-") else {
      canvas.line(("  " + title, .plain), (Columns.rightAligned("-", to: 6), .faint))
      return
    }
    func marks(_ score: Double) -> Int { Int((min(max(score, 0), 100) / 5).rounded()) }
    let filled = marks(shown.bounds?.low ?? score)
    let open = marks(shown.bounds?.high ?? score) - filled
    canvas.line(
      ("  " + title, .plain),
      (
        Columns.rightAligned(text, to: 6),
        TextCanvas.style(ofScore: shown.bounds?.high ?? score)
      ), ("  " + String(repeating: "#", count: filled), .plain),
      (String(repeating: "?", count: open), .plain),
      (String(repeating: ".", count: 20 - filled - open), .faint))
  }

  private static func write(
    _ audit: AuditSection, number: Int, _ canvas: inout TextCanvas
  ) {
    let failed = audit.status == .fail
    canvas.line(
      ("  \(number). ", .plain), (failed ? "FAIL" : "WARN", failed ? .bad : .middling),
      (" \(Escaped.text(audit.id))", .heading),
      (
        ShownScore(score: audit.score, low: audit.low, high: audit.high, narrow: Self.closeScores)
          .text().map { ", score \($0)" } ?? "", .plain
      ))
    canvas.paragraph(Escaped.text(audit.title), indent: 5)
    if !audit.displayValue.isEmpty {
      canvas.paragraph("found: " + Escaped.text(audit.displayValue), indent: 5, hanging: 7)
    }
    if let blamed = Findings.blame(audit) {
      canvas.paragraph("blame: " + blamed, indent: 5, hanging: 7)
    }
    if let worst = Findings.worst(audit) {
      canvas.paragraph("worst: " + worst, indent: 5, hanging: 7)
    }
    for guide in audit.guide.prefix(1) {
      canvas.paragraph(
        "guide: \(Escaped.text(guide.document)), \"\(Escaped.text(guide.section))\"", indent: 5,
        hanging: 7)
    }
    canvas.paragraph("do: " + Escaped.text(audit.advice), indent: 5, hanging: 7)
  }

  private static func savings(_ report: Report, _ canvas: inout TextCanvas) {
    let basis = SavingsBasis(report)
    guard let best = basis.ordered(report.opportunities).first else { return }
    canvas.heading("Largest saving")
    canvas.paragraph("\(Escaped.text(best.audit)): \(Escaped.text(best.summary))")
    guard !basis.isFolded, let joules = basis.joules(best) else { return }
    var text = "following it saves \(Figures.joules(joules)) \(basis.words) (modelled"
    if let bounds = basis.bounds(best),
      let range = SignalsText.range(bounds.low, bounds.high, about: joules)
    {
      text += "; \(range) by other models"
    }
    text += ")"
    if let share = best.batteryShare, let battery = basis.batteryWattHours {
      text += ", " + SavingsBasis.share(share, ofWattHours: battery)
    }
    canvas.paragraph(text)
  }

  private static func list(_ title: String, _ audits: [AuditSection], _ canvas: inout TextCanvas) {
    guard !audits.isEmpty else { return }
    let rest = audits.count - rulesListed
    let names = audits.prefix(rulesListed).map { Escaped.text($0.id) }.joined(separator: ", ")
    canvas.paragraph(
      "\(title): " + names + (rest > 0 ? " and \(rest) more" : ""), hanging: 4, style: .faint)
  }

  private static func counts(_ report: Report, _ canvas: inout TextCanvas) {
    var parts: [String] = []
    let named: [(AuditStatus, String)] = [
      (.pass, "passed"), (.warn, "warned"), (.fail, "failed"),
      (.notApplicable, "did not apply"), (.notMeasured, "not measured"),
      (.notObservable, "not observable on Linux"),
    ]
    for (status, words) in named {
      let count = report.audits.count { $0.status == status }
      if count > 0 { parts.append("\(count) \(words)") }
    }
    guard !parts.isEmpty else { return }
    canvas.heading("Rules")
    canvas.paragraph(parts.joined(separator: ", "))
    let missing = report.audits.filter { $0.status == .notMeasured }
    list("not measured", missing.filter { $0.value == nil }, &canvas)
    list("too little to tell", missing.filter { $0.value != nil }, &canvas)
  }
}
