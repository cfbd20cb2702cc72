import Quantities

/// The report as plain text: the verdict first, then the signals, then how the recording went.
package enum TextReport {
  /// The report as text; no line is wider than the options' width.
  package static func render(_ report: Report, options: TextOptions = .init()) -> String {
    var canvas = TextCanvas(options: options)
    title(report, &canvas)
    VerdictText.write(report, to: &canvas)
    TimelineText.write(report, to: &canvas)
    MainThreadText.write(report, to: &canvas)
    ThreadsText.write(report, to: &canvas)
    ConcurrencyText.write(report, to: &canvas)
    SerialQueuesText.write(report, to: &canvas)
    SignalsText.write(report, to: &canvas)
    SystemCallsText.write(report, to: &canvas)
    BlameText.write(report, to: &canvas)
    ProcessesText.write(report, to: &canvas)
    RecordingText.write(report, to: &canvas)
    return canvas.text
  }

  private static func title(_ report: Report, _ canvas: inout TextCanvas) {
    let process = report.process
    canvas.line(
      ("Lull: ", .heading), (Columns.clip(Escaped.text(process.name), to: 32), .heading),
      (" (pid \(process.pid))", .heading),
      (", \(Figures.seconds(report.trace.durationSeconds)) recorded", .plain))
  }

  /// A frame as it is shown: the function, and its place where it is known, else its module.
  static func place(_ frame: ReportFrame) -> String {
    var text = Columns.clip(Escaped.text(frame.function), to: 120)
    if let file = frame.file {
      let name = file.split(separator: "/").last.map(String.init) ?? file
      text += " (\(Columns.clip(Escaped.text(name), to: 40))"
      if let line = frame.line { text += ":\(line)" }
      text += ")"
    } else if !frame.module.isEmpty {
      let name = frame.module.split(separator: "/").last.map(String.init) ?? frame.module
      text += " in \(Columns.clip(Escaped.text(name), to: 40))"
    }
    if frame.isTailCall == true { text += ", in a tail call" }
    return text
  }

  /// The frame that carries a function's name, so that its place can be shown.
  static func place(of function: String, in stack: [ReportFrame]) -> String {
    if let frame = stack.first(where: { $0.function == function }) { return place(frame) }
    return Columns.clip(Escaped.text(function), to: 120)
  }

  /// The causes of waits or wakeups, the largest first.
  static func causes(_ values: [String: Double], _ show: (Double) -> String) -> String {
    values.filter { $0.value > 0 }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\(words(Escaped.text($0.key))) \(show($0.value))" }
      .joined(separator: ", ")
  }

  /// How long threads waited: what is less than any wait takes is what is left of other figures, and stands for waits
  /// that were too short to be timed.
  static func waited(_ seconds: Double) -> String {
    seconds > 0 && seconds < 1e-6 ? "under 1 µs" : Figures.seconds(seconds)
  }

  /// A key such as `sameProcess` in words.
  static func words(_ key: String) -> String {
    guard !key.contains(" ") else { return key }
    var result = ""
    for character in key {
      if character.isUppercase && !result.isEmpty && result.last?.isUppercase != true {
        result += " "
      }
      result += character.lowercased()
    }
    return result
  }
}
