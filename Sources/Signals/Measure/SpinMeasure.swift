import PerfData
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
    var rows: [Int32: (last: Timestamp, calls: UInt64, count: UInt64)] = [:]
    func endRow(_ tid: Int32) {
      guard let row = rows.removeValue(forKey: tid), row.calls >= fewestInARow else { return }
      counts[tid, default: [:]][.wouldBlock, default: 0] += row.count
    }
    var successes = Successes(subject)
    // Another recorder's call that stands for more is a sample: it does not tell what came between.
    let areCounted = subject.trace.capture?.recorder == CaptureEvent.kernelRecorder
    for call in subject.trace.spinCalls where call.pid == subject.pid {
      signal.recorded = (signal.recorded ?? 0) + 1
      guard call.kind == .wouldBlock else {
        counts[call.tid, default: [:]][call.kind, default: 0] += call.weight
        continue
      }
      let calls = areCounted ? call.weight : 1
      if let row = rows[call.tid], (call.time - row.last).seconds <= rowSeconds,
        !successes.has(call.tid, after: row.last, until: call.time)
      {
        rows[call.tid] = (call.time, row.calls + calls, row.count + call.weight)
      } else {
        endRow(call.tid)
        rows[call.tid] = (call.time, calls, call.weight)
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

/// When threads that were told that they would have to wait did find something.
private struct Successes {
  private var times: [Int32: [Timestamp]] = [:]
  private var next: [Int32: Int] = [:]

  init(_ subject: SubjectView) {
    let askers = Set(
      subject.trace.spinCalls.lazy.filter { $0.pid == subject.pid && $0.kind == .wouldBlock }
        .map(\.tid))
    guard !askers.isEmpty else { return }
    for transfer in subject.trace.transfers
    where transfer.pid == subject.pid && askers.contains(transfer.tid) {
      times[transfer.tid, default: []].append(transfer.time)
    }
    for operation in subject.trace.fileOperations.matching({ $0.pid == subject.pid })
    where askers.contains(operation.tid) {
      times[operation.tid, default: []].append(operation.time)
    }
    // Not each transfer is told. What no timer woke was given something to wake up for.
    for wakeup in subject.trace.wakeups
    where wakeup.context != .hardInterrupt && askers.contains(wakeup.tid) {
      times[wakeup.tid, default: []].append(wakeup.time)
    }
    for tid in Array(times.keys) { times[tid]?.sort() }
  }

  /// Whether it was so between two moments, which come in order.
  mutating func has(_ tid: Int32, after start: Timestamp, until end: Timestamp) -> Bool {
    guard let own = times[tid] else { return false }
    var place = next[tid] ?? 0
    while place < own.count, own[place] <= start { place += 1 }
    next[tid] = place
    return place < own.count && own[place] < end
  }
}
