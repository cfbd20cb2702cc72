import PerfData
import Quantities

/// An event that a trace may hold millions of: what it tells is read as the record is found.
///
/// Everything else goes through `DecodingContext`, as these do where their samples have parts of varying size.
struct FrequentEvent {
  enum Kind: UInt8 {
    case scheduleSwitch, scheduleWaking
    /// The same in a PID namespace.
    case namespaceSwitch, namespaceWaking
    case systemCallEnter, systemCallExit

    /// The integer fields that are read.
    fileprivate var fields: [String] {
      switch self {
      case .scheduleSwitch, .namespaceSwitch: ["prev_pid", "next_pid", "prev_state"]
      case .scheduleWaking: ["pid", "common_flags", "common_flags"]
      case .namespaceWaking: ["pid", "common_flags", "common_pid"]
      case .systemCallEnter: ["id", "id", "id"]
      case .systemCallExit: ["id", "ret", "ret"]
      }
    }
  }

  let kind: Kind
  /// What to ask the reader for.
  let demand: SampleDemand

  /// Nil where the samples or the fields are not as needed.
  init?(
    _ kind: Kind, _ attribute: EventAttribute, payload: Int?, format: TracepointFormat?,
    countsCalls: Bool
  ) {
    guard let payload, let format else { return nil }
    let fields = kind.fields.compactMap { format.field($0).flatMap { IntegerField($0) } }
    guard fields.count == 3 else { return nil }
    self.kind = kind
    demand =
      switch kind {
      case .systemCallExit where countsCalls && attribute.standsForOne:
        SampleDemand(payload: payload, fields[0], fields[1], fields[1].upperHalf)
      case .systemCallExit:
        // The arguments are in the registers, and how many calls it stands for is in the sample.
        SampleDemand(
          payload: payload, number: fields[0], result: fields[1], named: SystemCallDecoder.telling,
          others: countsCalls ? .values : .count)
      case .scheduleSwitch, .scheduleWaking, .namespaceSwitch, .namespaceWaking, .systemCallEnter:
        SampleDemand(payload: payload, fields[0], fields[1], fields[2])
      }
  }
}

extension FrequentEvent.Kind {
  /// Takes in a sample of which all that is wanted is here.
  @inline(__always)
  func pass(_ record: OrderedRecord, _ state: inout LoaderState) {
    let values = record.values
    switch self {
    case .scheduleSwitch:
      SchedulerDecoder.switched(
        from: values.first, to: values.second, previousState: Int64(values.third),
        on: Int32(record.cpu), at: record.timestamp, &state)
    case .scheduleWaking:
      SchedulerDecoder.woke(
        values.first, by: record.tid, of: record.pid, flags: Int64(values.second),
        at: record.timestamp, &state)
    case .namespaceSwitch: passSwitch(values, record, &state)
    case .namespaceWaking: passWaking(values, record, &state)
    case .systemCallEnter:
      SystemCallDecoder.entered(
        pid: record.pid, tid: record.tid, number: values.first, at: record.timestamp, &state)
    case .systemCallExit:
      SystemCallDecoder.sysExit(
        pid: record.pid, tid: record.tid, number: values.first, result: values.result,
        at: record.timestamp, &state)
    }
  }
}

extension FrequentEvent.Kind {
  /// The event in which a thread is named by its other id.
  func namespaced() -> Self {
    switch self {
    case .scheduleSwitch: .namespaceSwitch
    case .scheduleWaking: .namespaceWaking
    default: self
    }
  }

  @inline(never)
  private func passSwitch(
    _ values: PayloadValues, _ record: OrderedRecord, _ state: inout LoaderState
  ) {
    let time = record.timestamp
    SchedulerDecoder.switched(
      from: state.leaver(values.first, record.tid, at: time),
      to: state.thread(values.second, at: time), previousState: Int64(values.third),
      on: Int32(record.cpu), at: time, &state)
  }

  @inline(never)
  private func passWaking(
    _ values: PayloadValues, _ record: OrderedRecord, _ state: inout LoaderState
  ) {
    let time = record.timestamp
    SchedulerDecoder.woke(
      state.thread(values.first, at: time),
      by: KernelThreadIDs.maker(record.tid, values.third), of: record.pid,
      flags: Int64(values.second), at: time, &state)
  }
}

extension EventAttribute {
  /// Each sample is of one event and holds nothing of what its thread had in its registers.
  fileprivate var standsForOne: Bool {
    !sampleType.contains(.userRegisters) && !usesFrequency && samplePeriod <= 1
  }
}
