import PerfData
import Quantities

/// A row of a table, which says what is left of it where a part of the trace is looked at.
protocol TableRow: Sendable {
  /// Without what a process did before a moment, as another program; nil where that is all of it.
  func leavingOut(_ pid: Int32, before time: Timestamp) -> Self?

  /// What of it was in a window; nil where nothing was.
  func kept(in window: TraceWindow.Bounds) -> Self?
}

/// Something that one process did, or that was done to it, at one moment.
protocol EventRow: TableRow {
  var time: Timestamp { get }
  var pid: Int32 { get }
}

extension EventRow {
  func leavingOut(_ pid: Int32, before time: Timestamp) -> Self? {
    self.pid == pid && self.time < time ? nil : self
  }

  func kept(in window: TraceWindow.Bounds) -> Self? { window.contains(time) ? self : nil }
}

extension BlockedSample: EventRow {}
extension CreatedTask: EventRow {}
extension FileOperation: EventRow {}
extension Footprint: EventRow {}
extension ProcessorSample: EventRow {}
extension SignalDelivery: EventRow {}
extension SpinCall: EventRow {}
extension Transfer: EventRow {}
extension TransferFailure: EventRow {}
extension Wakeup: EventRow {}

/// A row that is looked at as a whole but for what it says itself, whichever part of the trace is.
///
/// Others refer to connections by their places, and an interval's marks may be on both sides of a window's ends.
protocol WholeRow: TableRow {}

extension WholeRow {
  func leavingOut(_ pid: Int32, before time: Timestamp) -> Self? { self }

  func kept(in window: TraceWindow.Bounds) -> Self? { self }
}

extension Connection: WholeRow {}
extension Listener: WholeRow {}
extension MarkRecord: WholeRow {}

extension CapturedPacket: WholeRow {
  func kept(in window: TraceWindow.Bounds) -> CapturedPacket? {
    window.contains(time) ? self : nil
  }
}

extension ContentReading: WholeRow {
  func kept(in window: TraceWindow.Bounds) -> ContentReading? {
    window.contains(time) ? self : nil
  }
}

extension TestRun: WholeRow {
  func kept(in window: TraceWindow.Bounds) -> TestRun? {
    window.meets(start, end) ? self : nil
  }
}
