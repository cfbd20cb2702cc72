import PerfData
import Quantities

/// A file, pipe, socket or device that a process had open, as far as the trace tells.
public struct OpenFile: Sendable {
  public var pid: Int32
  public var descriptor: Int
  public var path: String?
  /// What it is; nil when no source could tell it.
  public var kind: DescriptorEvent.Kind?
  public var start: Timestamp
  /// When it was closed; nil if it was open at the end, or the close was not seen.
  public var end: Timestamp?
  /// How large a regular file was as the recorder looked at it, in bytes.
  public var size: UInt64?
  /// open's flags (`fcntl.h`), where known.
  public var flags: Int?
  /// How a property list is written: `DescriptorEvent.binaryFormat` or `textFormat`; nil of other files.
  public var format: String?

  /// It was opened for writing alone (O_WRONLY).
  public var isWriteOnly: Bool { flags.map { $0 & 3 == 1 } ?? false }

  /// Whether it was open at some time from one moment to another.
  public func meets(_ from: Timestamp, _ to: Timestamp) -> Bool {
    start <= to && end.map { $0 >= from } ?? true
  }
}

extension OpenFile: TableRow {
  func leavingOut(_ pid: Int32, before time: Timestamp) -> OpenFile? {
    self.pid == pid && end.map { $0 < time } == true ? nil : self
  }

  func kept(in window: TraceWindow.Bounds) -> OpenFile? { window.meets(start, end) ? self : nil }
}
