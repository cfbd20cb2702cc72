import Quantities
import Rules

/// The first screen: what it is about, the scores, the worst findings, savings and trust.
struct VerdictModel {
  /// A command line of more characters is folded.
  private static let commandShown = 120

  let program: String
  let command: String
  /// What is shown of a long command line before it is opened; nil of a short one.
  let commandStart: String?
  let facts: [LabelledText]
  let notes: [String]
  let overall: GaugeModel
  let categories: [GaugeModel]
  let worst: [TopFinding]
  let hasFindings: Bool
  let whyNone: String
  let open: [TopFinding]
  let hasOpen: Bool
  let counts: String
  let savings: SavingsModel?
  let trust: [TrustLine]

  init(_ report: Report) {
    let process = report.process
    program = PageText.shown(process.name)
    let words = process.commandLine.isEmpty ? [process.name] : process.commandLine
    let line = words.joined(separator: " ")
    command = PageText.shown(line)
    commandStart =
      line.count > Self.commandShown ? PageText.shown(String(line.prefix(Self.commandShown))) : nil
    facts = Self.facts(report)
    let eventLoop =
      report.signals.mainThread?.hasEventLoop == false
      ? ["The program has no event loop: its whole run is one turn, not a hang."] : []
    notes = Self.score(report.score) + ReportNotes.lines(report, shown: PageText.shown) + eventLoop
    overall = GaugeModel(id: "overall", title: "Overall", score: ShownScore(report.score))
    categories = report.score.categories.map {
      GaugeModel(id: $0.id, title: $0.title, score: ShownScore($0, of: report.score))
    }
    let findings = Findings.of(report)
    worst = findings.prefix(3).map { TopFinding($0) }
    hasFindings = !findings.isEmpty
    whyNone = Findings.whyNone(report)
    open = Findings.open(report).prefix(5).map { TopFinding($0) }
    hasOpen = !open.isEmpty
    let failed = findings.count { $0.status == .fail }
    let passed = report.audits.count { $0.status == .pass }
    counts =
      "\(failed) failed, \(findings.count - failed) need work, \(passed) passed, "
      + "\(report.audits.count - findings.count - passed) without a verdict"
    savings = SavingsModel(report)
    trust = TrustLine.lines(report)
  }

  /// Why there is no score, or why it is no single number or less than its parts have.
  private static func score(_ score: ScoreSection) -> [String] {
    guard let note = score.note else { return [] }
    let sentence =
      score.overall == nil
      ? "There is no score: \(note)." : note.prefix(1).uppercased() + note.dropFirst() + "."
    return [PageText.shown(sentence)]
  }

  private static func facts(_ report: Report) -> [LabelledText] {
    var facts = [
      LabelledText(label: "recorded", text: Figures.seconds(report.trace.durationSeconds)),
      LabelledText(label: "process", text: String(report.process.pid)),
    ]
    if let version = report.process.swiftVersion {
      facts.append(LabelledText(label: "language", text: PageText.shown(version)))
    } else if let isSwift = report.process.isSwift {
      facts.append(LabelledText(label: "language", text: isSwift ? "Swift" : "not Swift"))
    }
    if let start = report.trace.startTime {
      facts.append(
        LabelledText(label: "started", text: PageText.shown(String(start.prefix(19)) + "Z")))
    }
    if let host = report.trace.hostname {
      facts.append(LabelledText(label: "host", text: PageText.shown(host)))
    }
    if let energy = report.signals.energy {
      facts.append(
        LabelledText(
          label: "energy",
          text: "\(Figures.joules(energy.totalJoules)) \(PageText.shown(energy.kind))"
            + (SignalsText.range(energy.low, energy.high, about: energy.totalJoules).map {
              " (\($0) by other models)"
            } ?? "")))
      if let model = energy.model {
        facts.append(
          LabelledText(
            label: "priced as",
            text: PageText.shown("a \(model.machine): \(model.machineReason)")))
      }
    }
    return facts
  }
}

/// A fact with its name.
struct LabelledText {
  let label: String
  let text: String
}

/// A finding in one card.
struct TopFinding {
  let id: String
  let status: String
  let statusText: String
  let title: String
  let found: String
  let function: String?
  let place: String?
  let time: String?
  let timeText: String?

  init(_ audit: AuditSection) {
    id = PageText.shown(audit.id)
    status = audit.status == .fail ? "fail" : "warn"
    statusText = audit.status == .fail ? "Failed" : "Needs work"
    title = PageText.shown(audit.title)
    found = PageText.shown(audit.displayValue)
    let blamed = audit.evidence.first { $0.function != nil }
    function = blamed?.function.map(PageText.shown)
    let frames = blamed?.stack?.map(SignalBuilding.frame) ?? []
    place = frames.first { $0.function == blamed?.function }.map(PageText.place)
    let moment = audit.evidence.compactMap(\.time).first
    time = moment.map { Figures.fixed($0, 6) }
    timeText = moment.map { Figures.fixed($0, 2) + " s" }
  }
}
