import Quantities

/// How the recording was made, in rows.
struct RecordingModel {
  let rows: [LabelledText]
  let missing: [LabelledText]
  let hasMissing: Bool

  init(_ report: Report, omissions: [String]) {
    let capture = report.capture
    var rows = [LabelledText(label: "Trace", text: PageText.shown(report.trace.path))]
    if let kernel = report.trace.kernel {
      let count = report.trace.cpuCount.map { ", \(Figures.count($0, "CPU"))" } ?? ""
      rows.append(
        LabelledText(label: "Machine", text: "Linux \(PageText.shown(kernel))\(count)"))
    }
    if let executable = report.process.executable {
      rows.append(LabelledText(label: "Executable", text: PageText.shown(executable)))
    }
    if let thread = report.signals.mainThread {
      rows.append(
        LabelledText(
          label: "Main thread",
          text: "\(PageText.shown(thread.name)) (\(thread.tid)), found as "
            + PageText.shown(thread.foundBy)))
    }
    rows.append(LabelledText(label: "How", text: PageText.shown(RecordingText.how(capture))))
    if let rungs = capture.rungText {
      rows.append(LabelledText(label: "Measured", text: PageText.shown(rungs)))
    }
    rows.append(
      LabelledText(label: "Losses", text: PageText.shown(RecordingText.losses(report.trace))))
    for span in capture.sampled {
      rows.append(
        LabelledText(
          label: "Sampled",
          text: "\(PageText.shown(span.source)), one event in \(Figures.period(span.period)) from "
            + "\(Figures.fixed(span.start, 3)) to \(Figures.fixed(span.end, 3)) s"))
    }
    if let radio = report.signals.network?.radio {
      rows.append(
        LabelledText(label: "Radio model", text: PageText.shown(radio.profile)))
    }
    if let peerless = report.signals.network?.peersNotKnown {
      rows.append(LabelledText(label: "Peers not known", text: peerless.text))
    }
    for counter in report.signals.counters {
      let unit = counter.unit.map { " " + PageText.shown($0) } ?? ""
      rows.append(
        LabelledText(
          label: PageText.shown(counter.name), text: Self.amount(counter.value) + unit))
    }
    if !omissions.isEmpty {
      rows.append(
        LabelledText(
          label: "This page",
          text: "has the costliest " + omissions.joined(separator: ", ")
            + "; the JSON report has all"))
    }
    self.rows = rows
    missing = capture.unavailableByReason.map { signals, reason in
      LabelledText(
        label: PageText.shown(signals.map(TextReport.words).joined(separator: ", ")),
        text: PageText.shown(reason))
    }
    hasMissing = !missing.isEmpty
  }

  private static func amount(_ value: Double) -> String {
    let isWhole = value.rounded() == value && abs(value) < 1e15
    return isWhole ? Figures.grouped(Int(value)) : Figures.brief(value)
  }
}
