import Quantities
import Signals

/// What `lull top` shows of a running process: the last moments beside the last minute, each a report on its part of
/// the recording.
package struct LiveView: Sendable {
  /// The last moments.
  package var now: Report
  /// The last minute, as far as it was recorded.
  package var minute: Report
  /// Since when it has been recorded, in seconds, and what that took.
  package var recordedSeconds: Double
  package var recordedBytes: UInt64
  package var order = ThreadRow.Order.cpu
  /// Row of the thread that is looked at, from 0.
  package var selected: Int?
  package var isFrozen = false
  /// Said in the last line, in the place of the keys.
  package var message: String?

  package init(now: Report, minute: Report, recordedSeconds: Double, recordedBytes: UInt64) {
    self.now = now
    self.minute = minute
    self.recordedSeconds = recordedSeconds
    self.recordedBytes = recordedBytes
  }

  /// The threads of the last minute.
  package var threads: [ThreadRow] { ThreadRow.rows(of: minute, by: order) }
}
