import PerfData
import Quantities

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

extension Tables {
  /// What each process moved over internet sockets: exactly where the recorder counted it.
  public var transferTotals: [Int32: TransferTotals] {
    TransferTotals.byProcess(transfers, counted: countedSpans)
  }
}
