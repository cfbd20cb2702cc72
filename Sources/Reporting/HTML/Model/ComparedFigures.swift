import Quantities

/// The main figures of two reports.
///
/// A run of each is no ground to call one better: whether a figure changed is for the statistics of all runs to say.
enum ComparedFigures {
  /// Differences below this share are noise.
  static let tolerance = 0.05

  struct Row {
    let title: String
    let base: String
    let new: String
    let difference: String
  }

  private struct Figure {
    var title: String
    var show: (Double) -> String
    var value: (Report) -> Double?
  }

  /// Whether what adds up over time is compared by the run: of a minute a tool that takes twice as long, and twice the
  /// CPU time, uses the same.
  static func areByTheRun(_ base: Report, _ new: Report) -> Bool {
    base.isRunAsOne && new.isRunAsOne
  }

  static func rows(_ base: Report, _ new: Report) -> [Row] {
    figures(byTheRun: areByTheRun(base, new)).compactMap { figure in
      let before = figure.value(base)
      let after = figure.value(new)
      guard before != nil || after != nil else { return nil }
      return row(figure, before, after)
    }
  }

  private static func row(_ figure: Figure, _ before: Double?, _ after: Double?) -> Row {
    let title = figure.title
    let shown = (
      before.map(figure.show) ?? "not measured", after.map(figure.show) ?? "not measured"
    )
    guard let before, let after else {
      return Row(title: title, base: shown.0, new: shown.1, difference: "–")
    }
    let change = after - before
    guard abs(change) > tolerance * max(abs(before), abs(after)) else {
      return Row(title: title, base: shown.0, new: shown.1, difference: "same")
    }
    let sign = change > 0 ? "+" : "−"
    var text = sign + figure.show(abs(change))
    if before > 0 { text += " (\(sign)\(Figures.percent(abs(change) / before)))" }
    return Row(title: title, base: shown.0, new: shown.1, difference: text)
  }

  private static func count(_ value: Double) -> String { Figures.brief(value) }

  /// A figure that adds up over time, for a run or for a minute.
  private static func sum(
    byTheRun: Bool, _ title: String, _ show: @escaping (Double) -> String,
    _ value: @escaping (Report) -> Double?
  ) -> Figure {
    if byTheRun { return Figure(title: title + " a run", show: show, value: value) }
    return Figure(title: title + " a minute", show: show) { report in
      guard report.livedSeconds > 0 else { return nil }
      return value(report).map { $0 * 60 / report.livedSeconds }
    }
  }

  private static func figures(byTheRun: Bool) -> [Figure] {
    func rate(
      _ title: String, _ show: @escaping (Double) -> String, _ value: @escaping (Report) -> Double?
    ) -> Figure { sum(byTheRun: byTheRun, title, show, value) }
    return [
      rate("Main thread blocked", Figures.seconds) { $0.signals.mainThread?.blockedSeconds },
      rate("Main thread running", Figures.seconds) { $0.signals.mainThread?.runningSeconds },
      rate("Hangs", count) { ($0.signals.mainThread?.hangs.count).map { Double($0) } },
      Figure(title: "Longest hang", show: Figures.seconds) {
        $0.signals.mainThread.map { $0.hangs.map(\.durationSeconds).max() ?? 0 }
      },
      Figure(title: "Launch", show: Figures.seconds) { $0.signals.mainThread?.launchSeconds },
      Figure(title: "Termination", show: Figures.seconds) {
        $0.signals.mainThread?.terminationSeconds
      },
      rate("CPU time", Figures.seconds) { $0.signals.cpu?.totalSeconds },
      rate("Wakeups", count) { ($0.signals.wakeups?.total).map { Double($0) } },
      rate("Wakeups by interrupts", count) { ($0.signals.wakeups?.idle).map { Double($0) } },
      rate("Bytes sent", Figures.bytes) { ($0.signals.network?.bytesSent).map { Double($0) } },
      rate("Bytes received", Figures.bytes) {
        ($0.signals.network?.bytesReceived).map { Double($0) }
      },
      rate("Radio energy", Figures.joules) { $0.signals.network?.radio.energyJoules },
      rate("Bytes written", Figures.bytes) { ($0.signals.disk?.bytesWritten).map { Double($0) } },
      rate("Syncs", count) { ($0.signals.disk?.syncs).map { Double($0) } },
      Figure(title: "Peak footprint", show: Figures.bytes) {
        ($0.signals.memory?.peakFootprintBytes).map { Double($0) }
      },
      rate("Energy", Figures.joules) { $0.signals.energy?.totalJoules },
    ]
  }
}

/// The rules of two reports, those that changed most first.
enum ComparedRules {
  struct Row {
    let title: String
    let baseStatus: String
    let baseText: String
    let baseFound: String
    let newStatus: String
    let newText: String
    let newFound: String
    let difference: String
  }

  static func rows(_ base: Report, _ new: Report) -> [Row] {
    let before = Dictionary(base.audits.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let pairs = new.audits.enumerated().map { index, audit in
      let old = before[audit.id]
      var change = 0.0
      if let was = old?.score, let now = audit.score { change = now - was }
      return (index: index, old: old, audit: audit, change: change)
    }
    return pairs.sorted { (-abs($0.change), $0.index) < (-abs($1.change), $1.index) }.map {
      row($0.old, $0.audit, $0.change)
    }
  }

  private static func row(_ old: AuditSection?, _ audit: AuditSection, _ change: Double) -> Row {
    let isMarked = abs(change) >= 1
    let hasBoth = old?.score != nil && audit.score != nil
    let number = "\(change > 0 ? "+" : change < 0 ? "−" : "")\(Figures.fixed(abs(change), 0))"
    return Row(
      title: PageText.shown(audit.title),
      baseStatus: old?.status.rawValue ?? "notMeasured",
      baseText: old.map { FindingModel.words($0.status) } ?? "Not in the base",
      baseFound: old.map { PageText.shown($0.displayValue) } ?? "",
      newStatus: audit.status.rawValue, newText: FindingModel.words(audit.status),
      newFound: PageText.shown(audit.displayValue),
      difference: hasBoth ? (isMarked ? number : "same") : "–")
  }
}
