import Quantities

/// A sample's raw payload: a tracepoint's fields, or a synthetic event's bytes.
public struct RawPayload: Sendable {
  private let storage: ByteStorage
  private let offset: Int
  /// Number of bytes.
  public let count: Int

  /// Copies bytes.
  public init(bytes: [UInt8]) {
    storage = ByteStorage(bytes)
    offset = 0
    count = bytes.count
  }

  /// Names a range of a trace without copying; the caller has checked the bounds.
  init(storage: ByteStorage, offset: Int, count: Int) {
    self.storage = storage
    self.offset = offset
    self.count = count
  }

  /// A copy of the bytes.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// Lends the bytes without copying.
  public func withUnsafeBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(storage.bytes.view(offset..<offset + count).pointer)
  }

  /// The little-endian unsigned integer of `size` bytes (1 to 8) at `position`.
  public func unsignedInteger(at position: Int, size: Int) -> UInt64? {
    guard position >= 0, size >= 1, size <= 8, position <= count - size else { return nil }
    let start = offset + position
    switch size {
    case 8: return storage.bytes.load(UInt64.self, at: start)
    case 4: return UInt64(storage.bytes.load(UInt32.self, at: start))
    default:
      var value: UInt64 = 0
      for index in 0..<size { value |= UInt64(storage.bytes[start + index]) << UInt64(8 * index) }
      return value
    }
  }
}

/// Registers of the user's code at a sample.
public struct UserRegisters: Sendable, Hashable {
  /// PERF_SAMPLE_REGS_ABI_*: 0 none, 1 32-bit, 2 64-bit.
  public var abi: UInt64
  /// Which registers `values` holds, lowest first.
  public var mask: UInt64
  /// The registers' values.
  public var values: [UInt64]

  /// Makes a set of registers.
  public init(abi: UInt64, mask: UInt64, values: [UInt64]) {
    self.abi = abi
    self.mask = mask
    self.values = values
  }

  /// The value of a register by perf's number for this architecture.
  public subscript(register: Int) -> UInt64? {
    guard register >= 0, register < 64, mask & (1 << UInt64(register)) != 0 else { return nil }
    let index = (mask & ((1 << UInt64(register)) - 1)).nonzeroBitCount
    return index < values.count ? values[index] : nil
  }
}

/// A counter's value in a sample (PERF_SAMPLE_READ).
public struct CounterReading: Sendable, Hashable {
  /// The count.
  public var value: UInt64
  /// The event's id where the read format has it.
  public var id: UInt64?
  /// Lost samples of the event where the read format has it.
  public var lost: UInt64?
}

/// One taken branch (perf_branch_entry).
public struct BranchEntry: Sendable, Hashable {
  /// Source address.
  public var from: UInt64
  /// Target address.
  public var to: UInt64
  /// Prediction bits, cycles and kind as the kernel packs them.
  public var flags: UInt64
}

/// A sample with every field that its attribute asked for.
public struct Sample: Sendable {
  /// Event id.
  public var id: UInt64?
  /// Instruction pointer.
  public var ip: UInt64?
  /// Nanoseconds on the trace's clock.
  public var time: UInt64 = 0
  /// The process; 0 when an idle CPU was interrupted.
  public var pid: Int32 = -1
  /// The thread.
  public var tid: Int32 = -1
  /// The CPU.
  public var cpu: Int32 = -1
  /// How many events this sample stands for.
  public var period: UInt64?
  /// Data address.
  public var address: UInt64?
  /// PERF_SAMPLE_STREAM_ID.
  public var streamID: UInt64?
  /// Counter values (one, or the group's).
  public var readings: [CounterReading] = []
  /// Time enabled and running of the counters, where the read format has them.
  public var readTimes: (enabled: UInt64?, running: UInt64?) = (nil, nil)
  /// Addresses innermost first, with PERF_CONTEXT_* markers between kernel and user parts.
  public var callchain: [UInt64] = []
  /// Tracepoint fields or a synthetic event's payload.
  public var raw: RawPayload?
  /// Last branch records, newest first.
  public var branches: [BranchEntry] = []
  /// The branches are the calls that have not returned (PERF_SAMPLE_BRANCH_CALL_STACK), so they are a callchain.
  public var branchesAreCalls = false
  /// Registers of the user's code.
  public var userRegisters: UserRegisters?
  /// User stack from the stack pointer up: as many bytes as the kernel could copy.
  public var userStack: [UInt8] = []
  /// WEIGHT or WEIGHT_STRUCT as the kernel packs it.
  public var weight: UInt64?
  /// DATA_SRC.
  public var dataSource: UInt64?
  /// TRANSACTION.
  public var transaction: UInt64?
  /// Registers at interrupt.
  public var interruptRegisters: UserRegisters?
  /// PHYS_ADDR.
  public var physicalAddress: UInt64?
  /// CGROUP.
  public var cgroup: UInt64?
  /// DATA_PAGE_SIZE.
  public var dataPageSize: UInt64?
  /// CODE_PAGE_SIZE.
  public var codePageSize: UInt64?
  /// AUX bytes.
  public var aux: [UInt8] = []

  /// The time as a point on the trace's clock.
  public var timestamp: Timestamp { Timestamp(nanoseconds: time) }

  /// An empty sample.
  public init() {}
}

/// Markers in a callchain that tell what the following addresses are (PERF_CONTEXT_*).
public enum CallchainContext {
  /// Hypervisor addresses follow.
  public static let hypervisor = UInt64(bitPattern: -32)
  /// Kernel addresses follow.
  public static let kernel = UInt64(bitPattern: -128)
  /// User addresses follow.
  public static let user = UInt64(bitPattern: -512)
  /// Addresses from here up are markers, not code.
  public static let firstMarker = UInt64(bitPattern: -4095)
}
