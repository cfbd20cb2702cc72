import PerfData
import Quantities

/// A table of a trace: what happened of one kind, of which a part may be looked at alone.
protocol TraceTable: Sendable {
  /// Leaves out what a process did before a moment, as another program.
  mutating func leaveOut(_ pid: Int32, before time: Timestamp)

  /// Keeps what was in a window.
  mutating func keep(_ window: TraceWindow.Bounds)
}

/// Something that is done to each table.
protocol TableVisitor {
  func visit(_ table: inout some TraceTable)
}

extension Array: TraceTable where Element: TableRow {
  mutating func leaveOut(_ pid: Int32, before time: Timestamp) {
    keepRows { $0.leavingOut(pid, before: time) }
  }

  mutating func keep(_ window: TraceWindow.Bounds) { keepRows { $0.kept(in: window) } }

  /// Puts what is left of each row in the place of the rows.
  private mutating func keepRows(_ kept: (Element) -> Element?) {
    var count = 0
    for index in indices {
      guard let row = kept(self[index]) else { continue }
      self[count] = row
      count += 1
    }
    removeSubrange(count...)
  }
}

/// A table of rows that are packed, so that to change one is to pack them all again.
protocol PackedTable: TraceTable, Sequence where Element: TableRow {
  /// The earliest row's time.
  var earliest: Timestamp { get }

  init(_ rows: some Sequence<Element>)
}

extension PackedTable {
  mutating func leaveOut(_ pid: Int32, before time: Timestamp) {
    guard earliest < time else { return }
    self = Self(lazy.compactMap { $0.leavingOut(pid, before: time) })
  }

  mutating func keep(_ window: TraceWindow.Bounds) {
    self = Self(lazy.compactMap { $0.kept(in: window) })
  }
}
