import Quantities

/// The lines of `lull top`, no more and no wider than the terminal.
package enum LiveScreen {
  private static let label = 18
  private static let column = 12
  /// Threads that are shown where there is no room for all figures.
  private static let leastThreads = 2

  package static func render(_ view: LiveView, width: Int, height: Int, color: Bool) -> String {
    var canvas = TextCanvas(options: TextOptions(width: width, color: color))
    head(view, &canvas)
    // Besides figures: two lines above, their head, the worst finding, the threads' head, how many more there are, the
    // keys.
    figures(view, room: max(height - 7 - min(view.threads.count, leastThreads), 1), &canvas)
    worst(view, &canvas)
    let room = max(height - lines(canvas) - 3, 1)
    threads(view, room: room, &canvas)
    while lines(canvas) < height - 1 { canvas.blank() }
    // The last line has no end, which would scroll.
    canvas.line((view.message ?? keys(view), .faint))
    let all = canvas.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return (all.prefix(max(height - 1, 1)) + all.suffix(1)).joined(separator: "\r\n")
  }

  private static func lines(_ canvas: TextCanvas) -> Int { canvas.text.count { $0 == "\n" } }

  private static func head(_ view: LiveView, _ canvas: inout TextCanvas) {
    let process = view.minute.process
    canvas.line(
      ("\(Columns.clip(Escaped.text(process.name), to: 24)) (pid \(process.pid))", .heading),
      (
        ", recorded \(Figures.seconds(view.recordedSeconds)), \(Figures.bytes(view.recordedBytes))",
        .plain
      ), (view.isFrozen ? "  FROZEN" : "", .bad))
    let shown = ShownScore(view.minute.score)
    let categories = view.minute.score.categories.compactMap { category in
      ShownScore(category, of: view.minute.score).text("-").map {
        "\(shortName(of: category)) \($0)"
      }
    }
    canvas.line(
      ("score ", .plain),
      (shown.text() ?? "none", TextCanvas.style(ofScore: shown.bounds?.high ?? shown.score)),
      (" over the last \(Figures.seconds(view.minute.trace.durationSeconds))", .plain),
      ("   " + categories.joined(separator: "  "), .faint))
  }

  /// A category in a word: `Network and radio` is net.
  private static func shortName(of category: CategorySection) -> String {
    let word = category.title.split(separator: " ").first.map { $0.lowercased() } ?? ""
    let short = ["responsiveness": "resp", "network": "net", "memory": "mem"]
    return short[word] ?? word
  }

  private static func figures(_ view: LiveView, room: Int, _ canvas: inout TextCanvas) {
    let span = Figures.seconds(view.now.trace.durationSeconds)
    let minute = Figures.seconds(view.minute.trace.durationSeconds)
    row("", "last \(span)", "last \(minute)", "", .faint, &canvas)
    for figure in LiveFigure.allCases.prefix(room) {
      row(
        figure.title, figure.value(view.now) ?? "not measured",
        figure.value(view.minute) ?? "not measured", figure.remark(view.minute) ?? "", .plain,
        &canvas)
    }
  }

  private static func row(
    _ title: String, _ now: String, _ minute: String, _ remark: String,
    _ style: TextCanvas.Style, _ canvas: inout TextCanvas
  ) {
    canvas.line(
      (Columns.padded(title, to: label), style),
      (Columns.rightAligned(now, to: column) + Columns.rightAligned(minute, to: column + 1), style),
      ("  " + remark, .faint))
  }

  /// The worst finding of the minute, or what the thread that is looked at blocked in.
  private static func worst(_ view: LiveView, _ canvas: inout TextCanvas) {
    let threads = view.threads
    if let selected = view.selected, threads.indices.contains(selected) {
      let thread = threads[selected]
      canvas.line(
        ("\(Escaped.text(thread.name)) ", .heading), (waits(of: thread, view.minute), .plain))
    } else if let finding = Findings.of(view.minute).first {
      let blame = Findings.blame(finding).map { ", in \($0)" } ?? ""
      canvas.line(
        ("worst: ", .plain), (finding.id, finding.status == .fail ? .bad : .middling),
        (" \(Escaped.text(finding.displayValue))\(blame)", .plain))
    } else {
      canvas.line(("worst: ", .plain), ("no finding", .good))
    }
  }

  /// Where a thread waited, as far as that is kept.
  private static func waits(of thread: ThreadRow, _ report: Report) -> String {
    guard thread.blocked.most > 0 else { return "was not seen to block" }
    let blockings = thread.blockings.prefix(3).map { blocking in
      let place = blocking.stack.blamed.map { " in \(TextReport.place($0))" } ?? ""
      return "\(Figures.seconds(blocking.seconds)) \(TextReport.words(blocking.cause))\(place)"
    }
    if !blockings.isEmpty { return "blocked " + blockings.joined(separator: "; ") }
    let timers = (report.signals.wakeups?.timers ?? []).filter { $0.tid == thread.tid }
    if let timer = timers.max(by: { $0.count < $1.count }) {
      let place = timer.stack.blamed.map { " in \(TextReport.place($0))" } ?? ""
      return "waits \(Figures.seconds(timer.periodSeconds)) at a time\(place)"
    }
    return
      "waits \(thread.blocked.text) of the time; stacks are kept of the main thread, "
      + "event loops and the pool"
  }

  private static func threads(_ view: LiveView, room: Int, _ canvas: inout TextCanvas) {
    let all = view.threads
    let signals = view.minute.signals
    let columns = [
      ("cpu", 8), ("blocked", 9), ("wakeups/s", 10), ("turns/s", 8), ("busy", 8), ("longest", 9),
    ]
    let name = max(canvas.options.width - 10 - columns.reduce(0) { $0 + $1.1 }, 8)
    func line(_ tid: String, _ thread: String, _ figures: [String]) -> String {
      Columns.rightAligned(tid, to: 8) + "  "
        + Columns.padded(Columns.clip(thread, to: name - 1), to: name)
        + zip(figures, columns).map { Columns.rightAligned($0, to: $1.1) }.joined()
    }
    canvas.line(
      (line("tid", "thread by \(view.order.rawValue)", columns.map(\.0)), .heading))
    // The thread that is looked at is always there.
    let first = max(0, min((view.selected ?? 0) - room + 1, all.count - room))
    for (index, thread) in all.enumerated().dropFirst(first).prefix(room) {
      let figures = [
        signals.cpu == nil ? "-" : Figures.percent(thread.cpuShare),
        signals.mainThread == nil ? "-" : thread.blocked.text,
        signals.wakeups == nil ? "-" : Figures.brief(thread.wakeupsPerSecond),
        thread.turnsPerSecond.map { Figures.brief($0) } ?? "-",
        thread.utilisation.map { Figures.percent($0) } ?? "-",
        thread.longestTurnSeconds.map { Figures.seconds($0) } ?? "-",
      ]
      canvas.line(
        (
          line(String(thread.tid), title(of: thread, width: name - 1), figures),
          index == view.selected ? .heading : .plain
        ))
    }
    if all.count > room + first {
      canvas.line(("          and \(all.count - room - first) more", .faint))
    }
  }

  /// The role first, which tells more than a name where there is no room for both; its number stands beside it.
  private static func title(of thread: ThreadRow, width: Int) -> String {
    let name = Escaped.text(thread.name)
    guard thread.role != "other" else { return Columns.clipEnd(name, to: width) }
    let both = "\(thread.role), \(name)"
    return Columns.width(both) <= width ? both : Columns.clipEnd(thread.role, to: width)
  }

  private static func keys(_ view: LiveView) -> String {
    "q quit  s order  up/down thread  space freeze  w write a trace"
  }
}
