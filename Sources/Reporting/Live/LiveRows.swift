import Quantities

/// `lull top --plain`: a row at a time, for logs and for terminals that can do no more.
package enum LiveRows {
  /// The names of the columns.
  package static var header: String {
    (["time"] + LiveFigure.allCases.map(\.rawValue) + ["score"]).joined(separator: "\t")
  }

  /// What a report says of its part of the recording, with the minute's score; `-` is not measured.
  package static func row(_ view: LiveView, time: String) -> String {
    let figures = LiveFigure.allCases.map { $0.value(view.now) ?? "-" }
    return ([time] + figures + [ShownScore(view.minute.score).text("-") ?? "-"]).joined(
      separator: "\t")
  }
}
