import Quantities
import Signals

/// The main thread's part of the text report.
enum MainThreadText {
  private static let hangsShown = 3
  private static let blockingsShown = 3

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    canvas.heading("Main thread")
    guard let thread = report.signals.mainThread else {
      SignalsText.notMeasured("mainThread", report, &canvas)
      return
    }
    let name = Columns.clip(Escaped.text(thread.name), to: 24)
    canvas.item("thread", "\(name) (tid \(thread.tid)), \(Escaped.text(thread.foundBy))")
    let turns =
      switch thread.hasEventLoop {
      case true?:
        (thread.turnsAreLeast == true ? "at least " : "")
          + "\(Figures.grouped(thread.turns)) of the event loop"
          + (thread.shortTurnsUntold == true
            ? " are known: of those under 1 ms few show whose work they were" : "")
      case false?: "no event loop: the whole run is one turn, which is not called a hang"
      case nil: "not known, since what the thread waited for is not"
      }
    canvas.item("turns", turns)
    let seen =
      thread.runningSeconds + thread.runnableSeconds + thread.blockedSeconds + thread.idleSeconds
    canvas.item(
      "time",
      seen == 0
        ? "it slept all the time"
        : "running \(Figures.seconds(thread.runningSeconds)), waiting for a CPU "
          + "\(TextReport.waited(thread.runnableSeconds)), blocked "
          + "\(TextReport.waited(thread.blockedSeconds)), idle \(Figures.seconds(thread.idleSeconds))"
    )
    let causes = TextReport.causes(thread.blockedByCause, TextReport.waited)
    if !causes.isEmpty { canvas.item("blocked by", causes) }
    for blocking in thread.blockings.prefix(blockingsShown) where blocking.seconds > 0 {
      canvas.item("", describe(blocking))
    }
    hangs(thread, report, &canvas)
    if let launch = thread.launchSeconds { canvas.item("launch", Figures.seconds(launch)) }
    if let termination = thread.terminationSeconds {
      canvas.item("termination", Figures.seconds(termination))
    }
  }

  private static let nearHang =
    "seen from outside, turns near 100 ms may be on either side of it"

  private static func hangs(
    _ thread: MainThreadSection, _ report: Report, _ canvas: inout TextCanvas
  ) {
    guard thread.hasEventLoop == true else { return }
    guard !thread.hangs.isEmpty else {
      let isKnown =
        thread.untoldSeconds == nil
        && report.capture.unavailable.allSatisfy {
          $0.signal != SignalKind.mainThread.rawValue
        }
      let most = thread.mostHangs.map { "none to \(Figures.grouped($0)): \(nearHang)" }
      canvas.item(
        "hangs", isKnown ? most ?? "none" : "not known",
        style: isKnown && most == nil ? .good : .middling)
      return
    }
    var counts: [(String, Int)] = []
    for severity in ["critical", "severe", "hang", "noticeable"] {
      let count = thread.hangs.count { $0.severity == severity }
      if count > 0 { counts.append((severity, count)) }
    }
    canvas.item(
      "hangs",
      "\(Figures.count(thread.hangs.count, "turn")) of 100 ms or more: "
        + counts.map { "\(Figures.grouped($0.1)) \($0.0)" }.joined(separator: ", "),
      style: .bad)
    let worst = thread.hangs.sorted {
      ($1.durationSeconds, $0.start) < ($0.durationSeconds, $1.start)
    }
    for hang in worst.prefix(hangsShown) { canvas.item("", describe(hang)) }
    if let fewest = thread.fewestHangs, let most = thread.mostHangs {
      canvas.item(
        "", "between \(Figures.grouped(fewest)) and \(Figures.grouped(most)) hangs: \(nearHang)")
    }
  }

  static func describe(_ hang: HangSection) -> String {
    var text = "\(Figures.seconds(hang.durationSeconds)) at \(Figures.fixed(hang.start, 3)) s"
    if let blamed = hang.blamedFunction {
      text += " in \(TextReport.place(of: blamed, in: hang.stack))"
    } else if let frame = hang.stack.blamed {
      text += " in \(TextReport.place(frame))"
    }
    var parts: [String: Double] = hang.blockedByCause
    parts["running"] = hang.runningSeconds
    parts["waiting for a CPU"] = hang.runnableSeconds
    let causes = TextReport.causes(parts, TextReport.waited)
    return causes.isEmpty ? text : text + ": " + causes
  }

  private static func describe(_ blocking: BlockingSection) -> String {
    var text =
      "\(TextReport.waited(blocking.seconds)) in \(Figures.count(blocking.count, "wait")), "
      + TextReport.words(Escaped.text(blocking.cause))
    if let frame = blocking.stack.blamed { text += ": \(TextReport.place(frame))" }
    if let waker = blocking.waker {
      text += ", woken by \(Columns.clip(Escaped.text(waker), to: 40))"
    }
    return text
  }
}
