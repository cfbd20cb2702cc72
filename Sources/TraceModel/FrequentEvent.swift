import PerfData

/// An event that a trace may hold millions of: what it tells is read where it lies, together with the record's time.
///
/// Everything else goes through `DecodingContext`, as these do where their samples have parts of varying size.
struct FrequentEvent {
  enum Kind: UInt8 {
    case scheduleSwitch, scheduleWaking, systemCallExit
  }

  let kind: Kind
  /// What to ask the reader for.
  let demand: SampleDemand

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
    demand =
      switch kind {
      case .systemCallExit:
        SampleDemand(
          payload: payload,
          returnsOf: CallFilter(
            number: fields[0], result: fields[1], isWanted: SyscallDecoder.decodedNumbers))
      case .scheduleSwitch, .scheduleWaking:
        SampleDemand(payload: payload, fields[0], fields[1], fields[2])
      }
  }
}
