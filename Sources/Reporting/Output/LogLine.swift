/// A message of Lull's own as a line of JSON, for what collects logs.
package struct LogLine: Encodable {
  /// When it was said, as ISO 8601 in UTC.
  var time: String
  /// `notice`, `error` or `report`.
  var level: String
  var message: String
  /// With the level `report`: the whole report, as `lull report --format json` gives it.
  var report: Report?

  package init(level: String, message: String, nanoseconds: UInt64, report: Report? = nil) {
    time = WallClock.text(nanoseconds)
    self.level = level
    self.message = message
    self.report = report
  }

  /// The line with its end.
  package var text: String {
    // A text cannot fail to be encoded, and a number that is not finite becomes null.
    (try? JSONReport.compact(self)).map { $0 + "\n" } ?? ""
  }
}
