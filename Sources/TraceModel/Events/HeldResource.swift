import PerfData
import Quantities

/// A lock or an inhibitor that a process held, by the recorder's looks.
public struct HeldResource: Sendable {
  public var event: HeldEvent
  public var pid: Int32
  /// When it was first seen.
  public var start: Timestamp
  /// When it was seen to be gone; nil if it was held at the last look.
  public var end: Timestamp?

  init(_ event: HeldEvent, pid: Int32, start: Timestamp) {
    self.event = event
    self.pid = pid
    self.start = start
  }
}

extension HeldResource: TableRow {
  func leavingOut(_ pid: Int32, before time: Timestamp) -> HeldResource? {
    self.pid == pid && end.map { $0 < time } == true ? nil : self
  }

  func kept(in window: TraceWindow.Bounds) -> HeldResource? {
    window.meets(start, end) ? self : nil
  }
}
