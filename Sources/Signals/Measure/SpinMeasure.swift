import Quantities
import TraceModel

/// Counts calls that came back at once with nothing.
enum SpinMeasure {
  static let eventName = "raw_syscalls:sys_exit/spin/"
  /// So many calls that would have blocked in a row are a loop; one or two are a non-blocking read's end.
  static let fewestInARow: UInt64 = 3
  /// Calls closer than this are in a row.
  static let rowSeconds = 0.01

  static func measure(_ subject: SubjectView) -> SpinSignal? {
    guard subject.trace.eventNames.contains(eventName) else { return nil }
    var signal = SpinSignal()
    var counts: [Int32: [SpinCall.Kind: UInt64]] = [:]
    var rows: [Int32: (last: Timestamp, count: UInt64)] = [:]
    func endRow(_ tid: Int32) {
      guard let row = rows.removeValue(forKey: tid), row.count >= fewestInARow else { return }
      counts[tid, default: [:]][.wouldBlock, default: 0] += row.count
    }
    for call in subject.trace.spinCalls where call.pid == subject.pid {
      signal.recorded = (signal.recorded ?? 0) + 1
      guard call.kind == .wouldBlock else {
        counts[call.tid, default: [:]][call.kind, default: 0] += call.weight
        continue
      }
      if let row = rows[call.tid], (call.time - row.last).seconds <= rowSeconds {
        rows[call.tid] = (call.time, row.count + call.weight)
      } else {
        endRow(call.tid)
        rows[call.tid] = (call.time, call.weight)
      }
    }
    for tid in Array(rows.keys) { endRow(tid) }
    for (tid, kinds) in counts {
      let name = subject.threads.first { $0.tid == tid }?.name ?? String(tid)
      signal.yields += Int(clamping: kinds[.yield] ?? 0)
      signal.emptyPolls += Int(clamping: kinds[.emptyPoll] ?? 0)
      signal.emptyReads += Int(clamping: kinds[.wouldBlock] ?? 0)
      let most = kinds.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
      signal.places.append(
        SpinPlace(
          thread: name, tid: Int(tid), count: Int(clamping: kinds.values.reduce(0, +)),
          call: most?.key.rawValue ?? ""))
    }
    signal.places.sort { ($1.count, $0.tid) < ($0.count, $1.tid) }
    return signal
  }
}
