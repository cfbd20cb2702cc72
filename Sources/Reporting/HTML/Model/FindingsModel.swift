import Quantities
import Rules

/// All rules, by what they came to.
struct FindingsModel {
  let open: [FindingModel]
  let passed: [FindingModel]
  let silent: [FindingModel]
  let openCount: Int
  let passedCount: Int
  let silentCount: Int
  let whyNone: String
  let configuration: String

  init(_ report: Report) {
    let titles = Dictionary(
      report.score.categories.map { ($0.id, $0.title) }, uniquingKeysWith: { $1 })
    func models(_ audits: [AuditSection]) -> [FindingModel] {
      audits.map { FindingModel($0, category: titles[$0.category] ?? $0.category) }
    }
    open = models(Findings.of(report))
    passed = models(report.audits.filter { $0.status == .pass })
    silent = models(report.audits.filter { !$0.status.isScored })
    openCount = open.count
    passedCount = passed.count
    silentCount = silent.count
    whyNone = Findings.whyNone(report)
    configuration = PageText.shown(report.score.configuration)
  }
}

/// One rule with all there is to say of it.
struct FindingModel {
  private static let evidenceShown = 12
  private static let framesShown = 24

  let id: String
  let title: String
  let category: String
  let status: String
  let statusText: String
  let score: String?
  let band: String
  let found: String
  let value: String?
  let limit: String?
  let weight: String?
  let curve: CurveDrawing?
  let guide: [CitationModel]
  let evidence: [EvidenceModel]
  let hasEvidence: Bool
  let moreEvidence: String?
  let advice: String
  let savings: String?

  init(_ audit: AuditSection, category: String) {
    id = PageText.shown(audit.id)
    title = PageText.shown(audit.title)
    self.category = PageText.shown(category)
    status = audit.status.rawValue
    statusText = Self.words(audit.status)
    score = ShownScore(score: audit.score, low: audit.low, high: audit.high, narrow: 1).text("–")
    band = GaugeModel.band(audit.score)
    found = PageText.shown(audit.displayValue)
    let unit = PageText.shown(audit.unit)
    value = audit.value.map { "\(Figures.brief($0)) \(unit)" }
    limit = audit.limit.map { "\(Figures.brief($0)) \(unit)" }
    weight = audit.weight > 0 ? Figures.brief(audit.weight) : nil
    curve = audit.curve.flatMap {
      CurveDrawing($0, value: audit.value, limit: audit.limit, unit: unit)
    }
    guide = audit.guide.map {
      CitationModel(
        document: PageText.shown($0.document), section: PageText.shown($0.section))
    }
    let places = Self.places(audit.evidence)
    evidence = places.prefix(Self.evidenceShown).map {
      EvidenceModel($0, framesShown: Self.framesShown)
    }
    hasEvidence = !evidence.isEmpty
    let rest = places.dropFirst(Self.evidenceShown).reduce(0) { $0 + $1.count }
    moreEvidence = rest > 0 ? "and \(Figures.grouped(rest)) more, all of them in the JSON" : nil
    advice = PageText.shown(audit.advice)
    savings = audit.savings.flatMap { Self.savings($0, unit: unit) }
  }

  private struct Place: Hashable {
    var function: String
    var line: String
    var path: String?
    var host: String?
  }

  /// What happened at one place together, in the order of the worst of each.
  private static func places(_ evidence: [Evidence]) -> [[Evidence]] {
    var groups: [[Evidence]] = []
    var indices: [Place: Int] = [:]
    for one in evidence {
      guard let function = one.function else {
        groups.append([one])
        continue
      }
      let frame = one.stack?.map(SignalBuilding.frame).blamed
      let place = Place(
        function: function, line: frame.map(ReportTables.rawPlace) ?? "", path: one.path,
        host: one.host)
      if let index = indices[place] {
        groups[index].append(one)
      } else {
        indices[place] = groups.count
        groups.append([one])
      }
    }
    return groups
  }

  private static func savings(_ savings: SavingsSection, unit: String) -> String? {
    var parts: [String] = []
    if let joules = savings.joules, joules > 0 { parts.append(Figures.joules(joules)) }
    if let seconds = savings.seconds, seconds > 0 { parts.append(Figures.seconds(seconds)) }
    if let value = savings.value, value > 0 { parts.append("\(Figures.brief(value)) \(unit)") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  static func words(_ status: AuditStatus) -> String {
    switch status {
    case .pass: "Passed"
    case .warn: "Needs work"
    case .fail: "Failed"
    case .notApplicable: "Did not apply"
    case .notMeasured: "Not measured"
    case .notObservable: "Not observable"
    }
  }
}

/// A section of the guide.
struct CitationModel {
  let document: String
  let section: String
}

/// One place with the times at which it offended, the worst of them with its stack.
struct EvidenceModel {
  private static let timesShown = 8

  let summary: String
  /// How many there are at this place, where that is more than one.
  let count: String?
  let times: [MomentModel]
  let frames: [FrameModel]
  let hasFrames: Bool
  let blamed: String?

  /// - Parameter all: not empty.
  init(_ all: [Evidence], framesShown: Int) {
    let worst = all[0]
    summary = PageText.shown(worst.summary)
    count = all.count > 1 ? "the worst of \(Figures.grouped(all.count)) at this place" : nil
    times = all.compactMap(\.time).prefix(Self.timesShown).map(MomentModel.init)
    frames =
      worst.stack?.prefix(framesShown).map { FrameModel(SignalBuilding.frame($0)) } ?? []
    hasFrames = !frames.isEmpty
    blamed = worst.function.map(PageText.shown)
  }
}

/// A moment that the timeline can show.
struct MomentModel {
  let time: String
  let text: String

  init(_ seconds: Double) {
    time = Figures.fixed(seconds, 6)
    text = Figures.fixed(seconds, 3) + " s"
  }
}

/// A frame of a stack.
struct FrameModel {
  let function: String
  let place: String
  let isProgram: Bool

  init(_ frame: ReportFrame) {
    function = PageText.shown(frame.function)
    place = PageText.place(frame)
    isProgram = frame.isProgram
  }
}
