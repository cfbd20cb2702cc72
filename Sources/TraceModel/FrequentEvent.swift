import PerfData

/// An event that a trace may hold millions of, with the places of its fields, so that a sample is read where it lies.
///
/// Everything else goes through `DecodingContext`, as these do where their samples have parts of varying size.
struct FrequentEvent {
  private enum Kind {
    case scheduleSwitch, scheduleWaking, systemCallExit
  }

  private let kind: Kind
  /// Bytes from the record's start to the raw payload's size.
  private let payload: Int
  private let first: IntegerField
  private let second: IntegerField
  private let third: IntegerField

  /// Nil for any other event, and where the samples or the fields are not as needed.
  init?(_ attribute: EventAttribute, payload: Int?, format: TracepointFormat?) {
    guard let payload, let format else { return nil }
    func field(_ name: String) -> IntegerField? { format.field(name).flatMap { IntegerField($0) } }
    let names: [String]
    switch attribute.name {
    case "sched:sched_switch":
      (kind, names) = (.scheduleSwitch, ["prev_pid", "next_pid", "prev_state"])
    case "sched:sched_waking":
      (kind, names) = (.scheduleWaking, ["pid", "common_flags", "common_flags"])
    case "raw_syscalls:sys_exit": (kind, names) = (.systemCallExit, ["id", "ret", "ret"])
    default: return nil
    }
    let fields = names.compactMap(field)
    guard fields.count == 3 else { return nil }
    self.payload = payload
    (first, second, third) = (fields[0], fields[1], fields[2])
  }

  /// Reads a sample; false where it must be looked at in full.
  @inline(__always)
  func read(_ record: RecordEntry, in bytes: UnsafeRawBufferPointer, _ state: inout LoaderState)
    -> Bool
  {
    let start = payload + 4
    guard Int(record.size) >= start else { return false }
    let size = Int(
      bytes.loadUnaligned(fromByteOffset: record.offset + payload, as: UInt32.self))
    guard size <= Int(record.size) - start else { return false }
    let begin = record.offset + start
    let raw = UnsafeRawBufferPointer(rebasing: bytes[begin..<begin + size])
    guard let first = first.value(in: raw), let second = second.value(in: raw),
      let third = third.value(in: raw)
    else { return false }
    switch kind {
    case .scheduleSwitch:
      SchedulerDecoder.switched(
        from: first, to: second, previousState: third, at: record.timestamp, &state)
    case .scheduleWaking: SchedulerDecoder.woke(first, by: record, flags: second, &state)
    case .systemCallExit: return second < 0 || !SyscallDecoder.isDecoded(number: first)
    }
    return true
  }
}
