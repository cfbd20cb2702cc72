import CBPF
import Glibc

/// The calls into the kernel that its programs tell: writes them, and says what others want to know of them.
final class KernelCalls {
  private let writer: KernelWriter
  private var repeats = KernelRepeats()
  private var observations: [Observation] = []
  /// What comes later than it was is not told before what was written in the round before.
  var earliest: UInt64 = 0

  init(_ writer: KernelWriter) { self.writer = writer }

  /// Takes a record in; false where it is of something else.
  func take(_ record: UnsafeRawPointer) -> Bool {
    let call = record.load(as: lull_kernel_call_record.self)
    switch lull_kernel_kind(UInt32(call.head.kind)) {
    case lull_kernel_call: takeFirst(call, spins: false)
    case lull_kernel_spin: takeFirst(call, spins: true)
    case lull_kernel_calls: takeRow(call, of: repeats.ended(call, spins: false), spins: false)
    case lull_kernel_spins: takeRow(call, of: repeats.ended(call, spins: true), spins: true)
    case lull_kernel_path: take(call, KernelPaths(record))
    default: return false
    }
    return true
  }

  /// Takes in what followed the first calls of the rows that stand.
  func takeStanding(_ programs: KernelPrograms) {
    for row in repeats.standing({ programs.row(at: $0) }) {
      takeRow(row.call, of: row.count, spins: row.spins)
    }
  }

  func takeObservations() -> [Observation] {
    defer { observations.removeAll(keepingCapacity: true) }
    return observations
  }

  private func takeFirst(_ call: lull_kernel_call_record, spins: Bool) {
    if call.generation > 0 { repeats.began(call, spins: spins) }
    take(call, spins: spins)
  }

  /// So many calls, which came after the first.
  private func takeRow(_ call: lull_kernel_call_record, of count: UInt64, spins: Bool) {
    guard count > 0 else { return }
    var call = call
    call.head.time = max(call.head.time, earliest)
    call.head.flags = UInt32(clamping: count)
    take(call, spins: spins)
  }

  private func take(_ call: lull_kernel_call_record, spins: Bool) {
    if spins { return writer.tell(call, spins: true) }
    writer.tell(call, spins: false)
    // A write that would have to wait (EAGAIN).
    if call.result == -11 { writer.tell(call, spins: true) }
    guard SystemCallFilter.matters(Int64(call.number)) else { return }
    observations.append(
      .systemCall(
        pid: call.pid, tid: call.tid, time: call.head.time,
        call: SystemCallResult(
          number: Int64(call.number), result: call.result, first: call.words.0,
          second: call.words.1, third: call.words.2)))
  }

  private func take(_ call: lull_kernel_call_record, _ paths: KernelPaths) {
    if let path = paths.first, SystemCallFilter.opens.contains(Int64(call.number)),
      path.hasPrefix("/") || SystemCallFilter.folders(of: call)[0] == AT_FDCWD
    {
      observations.append(.pathOpening(tid: call.tid, time: call.head.time &- 1, path: path))
    }
    writer.tell(call, paths)
    take(call, spins: false)
  }
}
