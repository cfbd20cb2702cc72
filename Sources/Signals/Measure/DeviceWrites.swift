import TraceModel

/// What the subject handed to storage, in bytes, by the kernel's count (`write_bytes` of /proc/PID/io).
///
/// As a child is waited for, its count is added to its parent's; a program that takes another's place goes on with
/// that one's.
struct DeviceWrites {
  /// Nil where it was not read, or where it has a part of children that are known to have written.
  let bytes: UInt64?
  /// Those that are the program's alone whatever children did unseen; nil where others may have a part.
  let certainBytes: UInt64?

  /// Who has the CPU for less before it runs its program does nothing but prepare that, a choice.
  private static let asPreparation = 0.1

  init(_ subject: SubjectView) {
    let samples = subject.trace.footprints.filter { $0.pid == subject.pid }
    guard let first = samples.first, let last = samples.last else {
      (bytes, certainBytes) = (nil, nil)
      return
    }
    let total = last.sample.storageWriteBytes
    let children = subject.trace.processes.filter {
      $0.parentPid == subject.pid && $0.pid != subject.pid && $0.end != nil
    }
    // Their last readings may be of before they wrote.
    let others = children.contains { child in
      guard child.end.map({ $0 <= last.time }) == true else { return false }
      let own = subject.trace.footprints.last { $0.pid == child.pid }
      return own.map { $0.sample.storageWriteBytes > 0 } ?? true
    }
    guard !others || total == 0 else {
      (bytes, certainBytes) = (nil, nil)
      return
    }
    // A wrapped program starts at zero; an attached one had written before.
    let own = total &- (subject.trace.startsLate ? first.sample.storageWriteBytes : 0)
    bytes = own
    let hadWritten = subject.trace.subject.earlier.map {
      $0.bytesWritten > 0 || $0.cpuSeconds >= Self.asPreparation
    }
    certainBytes = children.isEmpty && hadWritten != true ? own : nil
  }
}
