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

/// What a process moved over internet sockets.
public struct TransferTotals: Sendable, Equatable {
  public var sends: UInt64 = 0
  public var receives: UInt64 = 0
  public var bytesSent: UInt64 = 0
  public var bytesReceived: UInt64 = 0

  /// Nothing.
  public init() {}

  fileprivate mutating func add(_ direction: Transfer.Direction, _ count: UInt64, _ bytes: UInt64) {
    switch direction {
    case .send:
      sends &+= count
      bytesSent &+= bytes
    case .receive:
      receives &+= count
      bytesReceived &+= bytes
    }
  }

  /// Adds up what was recorded, and what was counted where only samples were.
  static func byProcess(
    _ transfers: some Sequence<Transfer>, counted spans: [CountedSpan]
  ) -> [Int32: TransferTotals] {
    var totals: [Int32: TransferTotals] = [:]
    let ordered = [Transfer.Direction.send, .receive].map { direction in
      spans.filter { $0.direction == direction }
    }
    for transfer in transfers where transfer.isInternet {
      let spans = ordered[transfer.direction == .send ? 0 : 1]
      let after = spans.partitioningIndex { $0.from > transfer.time }
      if transfer.isSample, after > 0, transfer.time < spans[after - 1].to,
        !spans[after - 1].partly.contains(transfer.pid)
      {
        continue
      }
      totals[transfer.pid, default: TransferTotals()].add(
        transfer.direction, transfer.weight, transfer.bytes &* transfer.weight)
    }
    for span in spans {
      for (pid, counted) in span.counts where !span.partly.contains(pid) {
        totals[pid, default: TransferTotals()].add(span.direction, counted.count, counted.bytes)
      }
    }
    return totals
  }
}

extension Trace {
  /// What each process moved over internet sockets: exactly where the recorder counted it.
  public var transferTotals: [Int32: TransferTotals] {
    TransferTotals.byProcess(transfers, counted: countedSpans)
  }
}
