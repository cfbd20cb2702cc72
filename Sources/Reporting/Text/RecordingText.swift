import Quantities

/// How the recording went: what was lost, with what privilege, what is missing, what it cost.
enum RecordingText {
  private static let problemsShown = 3

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    let trace = report.trace
    let capture = report.capture
    canvas.heading("Recording")
    canvas.item("trace", Columns.clip(Escaped.text(trace.path), to: 200))
    canvas.item("command", command(report.process))
    canvas.item("machine", machine(trace))
    canvas.item("how", how(capture))
    if let rungs = capture.rungText { canvas.item("measured", Escaped.text(rungs)) }
    canvas.item("losses", losses(trace), style: isComplete(trace) ? .plain : .bad)
    if trace.truncated {
      canvas.item("truncated", truncation(trace), style: .bad)
    }
    for (names, reason) in unavailable(capture) {
      canvas.item(
        "not measured", "\(names.joined(separator: ", ")): \(Escaped.text(reason))",
        style: .middling)
    }
    if let runs = trace.untoldRuns {
      canvas.item(
        "CPU time",
        "is more than is shown: nothing tells when \(Figures.count(runs, "run")) began"
          + (capture.recorder == nil ? "; record with --switch-events" : ""), style: .middling)
    }
    for (label, problems) in [
      ("names missing", trace.symbolProblems), ("names in doubt", trace.nameDoubts ?? []),
      ("lines missing", trace.lineProblems ?? []),
    ] {
      for problem in problems.prefix(problemsShown) {
        canvas.item(label, Escaped.text(problem), style: .middling)
      }
      if problems.count > problemsShown {
        canvas.item(
          "", "and of " + Figures.count(problems.count - problemsShown, "more file", "more files"))
      }
    }
    sampled(capture, &canvas)
    canvas.item("overhead", overhead(report))
    canvas.item(
      "scoring",
      "configuration \(Escaped.text(report.score.configuration)); report by "
        + "\(Escaped.text(report.generator.name)) \(Escaped.text(report.generator.version))")
  }

  /// What was not recorded, and why: counters that share a reason together.
  private static func unavailable(
    _ capture: CaptureSection
  ) -> [(names: [String], reason: String)] {
    var groups: [(names: [String], reason: String)] = []
    for (signals, reason) in capture.unavailableByReason {
      var names = signals.map { TextReport.words(Escaped.text($0)) }
      var why = reason
      if signals == ["counters"], let colon = reason.firstRange(of: ": ") {
        names = [Escaped.text(String(reason[..<colon.lowerBound]))]
        why = String(reason[colon.upperBound...])
        if !groups.contains(where: { $0.reason == why }) { names[0] = "counters " + names[0] }
      }
      if let index = groups.firstIndex(where: { $0.reason == why }) {
        groups[index].names += names
      } else {
        groups.append((names, why))
      }
    }
    return groups
  }

  private static func sampled(_ capture: CaptureSection, _ canvas: inout TextCanvas) {
    // Where the target was recorded in slices, all its sources have the same span.
    var spans: [(model: SampledSource, names: [String])] = []
    for source in capture.sampled {
      if let index = spans.firstIndex(where: {
        $0.model.start == source.start && $0.model.end == source.end
          && $0.model.period == source.period
      }) {
        spans[index].names.append(source.source)
      } else {
        spans.append((source, [source.source]))
      }
    }
    for (span, names) in spans {
      canvas.item(
        "sampled",
        "\(names.map(Escaped.text).joined(separator: ", ")) from \(Figures.fixed(span.start, 3)) to "
          + "\(Figures.fixed(span.end, 3)) s, one event in \(Figures.period(span.period)), for their rate"
      )
    }
    // Where every event was recorded, the count says nothing new.
    let sources = Set(capture.sampled.map(\.source))
    for exact in capture.exactCounts {
      let count = Int(saturating: exact.count.rounded())
      if exact.isOfWriteCalls, sources.contains("raw_syscalls:sys_exit") {
        canvas.item(
          "counted", "\(Figures.count(count, "system call")) to write, exactly (by /proc)")
      } else if sources.contains(exact.source) {
        canvas.item(
          "counted", "\(Escaped.text(exact.source)): \(Figures.count(count, "event")), exactly")
      }
    }
  }

  static func truncation(_ trace: TraceSection) -> String {
    trace.truncationNote.map(Escaped.text)
      ?? "the trace ends before its recording did; figures cover what is there"
  }

  private static func command(_ process: ProcessSection) -> String {
    let words = process.commandLine.isEmpty ? [process.name] : process.commandLine
    return Columns.clip(words.map(Escaped.text).joined(separator: " "), to: 200)
  }

  private static func machine(_ trace: TraceSection) -> String {
    var parts: [String] = []
    if let host = trace.hostname { parts.append(Columns.clip(Escaped.text(host), to: 64)) }
    if let kernel = trace.kernel { parts.append("Linux " + Escaped.text(kernel)) }
    if let count = trace.cpuCount { parts.append(Figures.count(count, "CPU")) }
    if let start = trace.startTime { parts.append("started " + Escaped.text(start)) }
    return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
  }

  static func how(_ capture: CaptureSection) -> String {
    guard let mode = capture.mode else { return "not by Lull: only what the trace holds is shown" }
    var text = mode == "wrap" ? "command wrapped" : mode == "attach" ? "process attached" : mode
    text = Escaped.text(text)
    if let scope = capture.scope { text += ", \(Escaped.text(scope)) scope" }
    if let privilege = capture.privilege { text += ", privilege: \(Escaped.text(privilege))" }
    if let interval = capture.intervalSeconds, interval > 0 {
      text += ", memory read every \(Figures.seconds(interval))"
    }
    return text
  }

  private static func isComplete(_ trace: TraceSection) -> Bool {
    trace.lostEvents == 0 && trace.lostSamples == 0 && trace.throttled == 0
  }

  static func losses(_ trace: TraceSection) -> String {
    var parts: [String] = []
    if trace.lostEvents > 0 {
      parts.append("\(Figures.grouped(Int(clamping: trace.lostEvents))) events lost")
    }
    if trace.lostSamples > 0 {
      parts.append("\(Figures.grouped(Int(clamping: trace.lostSamples))) samples lost")
    }
    if trace.throttled > 0 {
      let times = Figures.count(Int(clamping: trace.throttled), "time")
      parts.append("throttled \(times)")
    }
    var text = trace.lossNote ?? "nothing was lost"
    if !parts.isEmpty {
      if let seconds = trace.lostSeconds {
        parts.append("which would have told of about \(Figures.seconds(seconds))")
      }
      text = parts.joined(separator: ", ") + ": figures may be too low"
    }
    if trace.unknownRecords > 0 {
      text += "; \(Figures.count(trace.unknownRecords, "record")) of unknown kinds left out"
    }
    let bad = trace.undecodable.sorted { $0.key < $1.key }
    for (reason, count) in bad {
      text += "; \(Figures.count(count, "record")) not decodable (\(Escaped.text(reason)))"
    }
    return text
  }

  private static func overhead(_ report: Report) -> String {
    guard let seconds = report.capture.overhead.cpuSeconds else {
      return "unknown: the recording did not say"
    }
    var text = "Lull itself used \(Figures.seconds(seconds)) of CPU time"
    // Beginning and ending a recording takes as long whatever it is of.
    if report.trace.durationSeconds >= 1 {
      text += " (\(Figures.percent(seconds / report.trace.durationSeconds)) of one core)"
    }
    return text
  }
}
