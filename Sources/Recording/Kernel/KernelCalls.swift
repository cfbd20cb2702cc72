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
    case lull_kernel_call: takeFirst(call, .writes)
    case lull_kernel_spin: takeFirst(call, .spins)
    case lull_kernel_read: takeFirst(call, .reads)
    case lull_kernel_calls: takeRow(call, of: repeats.ended(call, .writes), .writes)
    case lull_kernel_spins: takeRow(call, of: repeats.ended(call, .spins), .spins)
    case lull_kernel_reads: takeRow(call, of: repeats.ended(call, .reads), .reads)
    case lull_kernel_path: take(call, KernelPaths(record))
    default: return false
    }
    return true
  }

  /// Takes in what followed the first calls of the rows that stand, and of those that ended since the ring was emptied.
  func takeStanding(_ programs: KernelPrograms) {
    for row in repeats.standing({ programs.row(at: $0) }) {
      takeRow(row.call, of: row.sum, row.sort)
    }
    if repeats.haveEnded { _ = programs.drain() }
  }

  func takeObservations() -> [Observation] {
    defer { observations.removeAll(keepingCapacity: true) }
    return observations
  }

  private func takeFirst(_ call: lull_kernel_call_record, _ sort: KernelRepeats.Sort) {
    if call.generation > 0 { repeats.began(call, sort) }
    take(call, spins: sort == .spins)
  }

  /// So many calls, which came after the first. By now their descriptor may stand for another file: whoever wants to
  /// know of it was told of the first.
  private func takeRow(
    _ call: lull_kernel_call_record, of sum: KernelRepeats.Sum, _ sort: KernelRepeats.Sort
  ) {
    guard sum.count > 0 else { return }
    var call = call
    call.head.time = max(call.head.time, earliest)
    if sort == .reads {
      for equal in EvenTransfers.of(count: sum.count, bytes: sum.bytes) {
        call.head.flags = UInt32(clamping: equal.count)
        call.result = Int64(clamping: equal.bytes)
        tell(call, spins: false)
      }
    } else {
      call.head.flags = UInt32(clamping: sum.count)
      tell(call, spins: sort == .spins)
    }
  }

  private func tell(_ call: lull_kernel_call_record, spins: Bool) {
    writer.tell(call, spins: spins)
    // A write that would have to wait (EAGAIN).
    if !spins, call.result == -11 { writer.tell(call, spins: true) }
  }

  private func take(_ call: lull_kernel_call_record, spins: Bool) {
    tell(call, spins: spins)
    if spins { return }
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
    if let path = paths.first, SystemCallFilter.directoryChanges.contains(Int64(call.number)),
      call.result == 0
    {
      tell(call, spins: false)
      // After the call's own end, by which it is not known where the process works.
      observations.append(.moving(pid: call.pid, path: path, time: call.head.time &+ 1))
    } else {
      take(call, spins: false)
    }
  }
}
