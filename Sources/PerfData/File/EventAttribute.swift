/// The fields that a sample carries (perf_event_attr.sample_type).
public struct SampleFields: OptionSet, Hashable, Sendable {
  /// PERF_SAMPLE_* bits.
  public let rawValue: UInt64

  /// Makes a set from PERF_SAMPLE_* bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// PERF_SAMPLE_IP.
  public static let instructionPointer = SampleFields(rawValue: 1 << 0)
  /// PERF_SAMPLE_TID.
  public static let tid = SampleFields(rawValue: 1 << 1)
  /// PERF_SAMPLE_TIME.
  public static let time = SampleFields(rawValue: 1 << 2)
  /// PERF_SAMPLE_ADDR.
  public static let address = SampleFields(rawValue: 1 << 3)
  /// PERF_SAMPLE_READ.
  public static let read = SampleFields(rawValue: 1 << 4)
  /// PERF_SAMPLE_CALLCHAIN.
  public static let callchain = SampleFields(rawValue: 1 << 5)
  /// PERF_SAMPLE_ID.
  public static let id = SampleFields(rawValue: 1 << 6)
  /// PERF_SAMPLE_CPU.
  public static let cpu = SampleFields(rawValue: 1 << 7)
  /// PERF_SAMPLE_PERIOD.
  public static let period = SampleFields(rawValue: 1 << 8)
  /// PERF_SAMPLE_STREAM_ID.
  public static let streamID = SampleFields(rawValue: 1 << 9)
  /// PERF_SAMPLE_RAW.
  public static let raw = SampleFields(rawValue: 1 << 10)
  /// PERF_SAMPLE_BRANCH_STACK.
  public static let branchStack = SampleFields(rawValue: 1 << 11)
  /// PERF_SAMPLE_REGS_USER.
  public static let userRegisters = SampleFields(rawValue: 1 << 12)
  /// PERF_SAMPLE_STACK_USER.
  public static let userStack = SampleFields(rawValue: 1 << 13)
  /// PERF_SAMPLE_WEIGHT.
  public static let weight = SampleFields(rawValue: 1 << 14)
  /// PERF_SAMPLE_DATA_SRC.
  public static let dataSource = SampleFields(rawValue: 1 << 15)
  /// PERF_SAMPLE_IDENTIFIER.
  public static let identifier = SampleFields(rawValue: 1 << 16)
  /// PERF_SAMPLE_TRANSACTION.
  public static let transaction = SampleFields(rawValue: 1 << 17)
  /// PERF_SAMPLE_REGS_INTR.
  public static let interruptRegisters = SampleFields(rawValue: 1 << 18)
  /// PERF_SAMPLE_PHYS_ADDR.
  public static let physicalAddress = SampleFields(rawValue: 1 << 19)
  /// PERF_SAMPLE_AUX.
  public static let aux = SampleFields(rawValue: 1 << 20)
  /// PERF_SAMPLE_CGROUP.
  public static let cgroup = SampleFields(rawValue: 1 << 21)
  /// PERF_SAMPLE_DATA_PAGE_SIZE.
  public static let dataPageSize = SampleFields(rawValue: 1 << 22)
  /// PERF_SAMPLE_CODE_PAGE_SIZE.
  public static let codePageSize = SampleFields(rawValue: 1 << 23)
  /// PERF_SAMPLE_WEIGHT_STRUCT.
  public static let weightStruct = SampleFields(rawValue: 1 << 24)
  /// From here on fields are not known to Lull.
  package static let firstUnknown: UInt64 = 1 << 25

  /// What every attribute of Lull's own carries, so that every record can be told and ordered.
  public static let base: SampleFields = [.identifier, .tid, .time, .cpu]
}

/// One event attribute of the file with its ids and name ("sched:sched_switch", "lull:footprint").
///
/// The fields are those of the kernel's `perf_event_attr`, in host units.
public struct EventAttribute: Sendable, Hashable {
  /// PERF_TYPE_*.
  public var type: UInt32
  /// The event within its type: a tracepoint's id, PERF_COUNT_SW_*, …
  public var config: UInt64
  /// What each sample holds.
  public var sampleType: SampleFields
  /// PERF_FORMAT_* bits, the layout of a sample's counter values.
  public var readFormat: UInt64
  /// Which user registers a sample holds.
  public var sampleRegsUser: UInt64
  /// The most user stack bytes that a sample holds.
  public var sampleStackUser: UInt32
  /// The bit field: disabled is bit 0, inherit bit 1, …, sample_id_all bit 18.
  public var flags: UInt64
  /// Period, or frequency when flag bit 10 is set.
  public var samplePeriod: UInt64
  /// The event ids that samples of this attribute carry.
  public var ids: [UInt64]
  /// The event's name as EVENT_DESC gives it.
  public var name: String

  /// wakeup_events or wakeup_watermark.
  public var wakeupEvents: UInt32 = 0
  /// bp_type.
  public var breakpointType: UInt32 = 0
  /// config1 or bp_addr.
  public var config1: UInt64 = 0
  /// config2 or bp_len.
  public var config2: UInt64 = 0
  /// PERF_SAMPLE_BRANCH_* bits.
  public var branchSampleType: UInt64 = 0
  /// The clock of the samples when `usesClockID`.
  public var clockID: Int32 = 0
  /// Which registers at interrupt a sample holds.
  public var sampleRegsIntr: UInt64 = 0
  /// aux_watermark.
  public var auxWatermark: UInt32 = 0
  /// sample_max_stack.
  public var sampleMaxStack: UInt16 = 0
  /// aux_sample_size.
  public var auxSampleSize: UInt32 = 0
  /// sig_data.
  public var sigData: UInt64 = 0
  /// config3 (kernel 6.3).
  public var config3: UInt64 = 0

  /// flags bit 18: every record, not only samples, ends in a sample id.
  public static let sampleIDAllFlag: UInt64 = 1 << 18
  /// flags bit 10: `samplePeriod` is a frequency, so that periods vary.
  public static let usesFrequencyFlag: UInt64 = 1 << 10
  /// flags bit 25: times are of `clockID`.
  public static let useClockIDFlag: UInt64 = 1 << 25

  /// Whether records other than samples end in a sample id.
  public var sampleIDAll: Bool { flags & Self.sampleIDAllFlag != 0 }
  /// Whether times are of `clockID` rather than of the scheduler's clock.
  public var usesClockID: Bool { flags & Self.useClockIDFlag != 0 }
  /// Whether periods vary.
  public var usesFrequency: Bool { flags & Self.usesFrequencyFlag != 0 }
  /// Whether nothing is recorded while the kernel works for the program.
  public var excludesKernel: Bool { flags & (1 << 5) != 0 }
  /// Whether SWITCH records tell when threads get and leave a CPU.
  public var tellsSwitches: Bool { flags & (1 << 26) != 0 }

  /// Makes an attribute; by default with `sample_id_all` and CLOCK_MONOTONIC times.
  public init(
    type: UInt32, config: UInt64, sampleType: SampleFields, readFormat: UInt64 = 0,
    sampleRegsUser: UInt64 = 0, sampleStackUser: UInt32 = 0,
    flags: UInt64 = sampleIDAllFlag | useClockIDFlag, samplePeriod: UInt64 = 1,
    clockID: Int32 = 1, ids: [UInt64], name: String
  ) {
    self.type = type
    self.config = config
    self.sampleType = sampleType
    self.readFormat = readFormat
    self.sampleRegsUser = sampleRegsUser
    self.sampleStackUser = sampleStackUser
    self.flags = flags
    self.samplePeriod = samplePeriod
    self.clockID = clockID
    self.ids = ids
    self.name = name
  }
}
