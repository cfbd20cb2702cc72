import PerfData
import Quantities

/// A span in which transfers of one direction were sampled, and counted by the kernel besides.
struct CountedSpan: Sendable {
  var direction: Transfer.Direction
  var from: Timestamp
  var to: Timestamp
  /// What each process moved over internet sockets and was not recorded by itself; who is not in it moved nothing.
  var counts: [Int32: CaptureEvent.ProcessTransfers]
  /// Processes of which only a part is looked at.
  var partly: Set<Int32> = []

  /// The spans of a recording, in order of time.
  static func all(of capture: CaptureEvent?) -> [CountedSpan] {
    (capture?.sampled ?? []).compactMap { span in
      guard let counts = span.transfers else { return nil }
      return CountedSpan(
        direction: span.source == SampleWeights.sends ? .send : .receive,
        from: Timestamp(nanoseconds: span.fromNs), to: Timestamp(nanoseconds: span.toNs),
        counts: Dictionary(counts.map { (Int32(clamping: $0.pid), $0) }) { first, _ in first })
    }.sorted { $0.from < $1.from }
  }
}

extension CountedSpan: TableRow {
  func leavingOut(_ pid: Int32, before time: Timestamp) -> CountedSpan? {
    var rest = self
    if to <= time {
      rest.counts[pid] = nil
    } else if from < time {
      rest.partly.insert(pid)
    }
    return rest
  }

  func kept(in window: TraceWindow.Bounds) -> CountedSpan? {
    window.contains(from) && window.contains(to) ? self : nil
  }
}
