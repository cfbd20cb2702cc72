/// How the kernel lays out the records of one attribute: the only place that knows the order of fields.
///
/// `perf_output_sample` writes a sample's fields one after another, those that `sample_type` names; all other records
/// end in a trailer of some of them (`sample_id_all`). Who reads, writes, changes or measures a record is a visitor
/// that is led along.
package struct SampleLayout: Sendable {
  let fields: SampleFields
  let readFormat: ReadFormat
  private let hasBranchIndex: Bool
  private let hasBranchCounters: Bool
  /// The branches are the calls that have not returned (PERF_SAMPLE_BRANCH_CALL_STACK).
  let branchesAreCalls: Bool
  /// Which registers of the user's code a sample holds.
  let userRegisters: UInt64
  let interruptRegisters: UInt64
  /// Records that are no samples end in a trailer.
  let hasTrailer: Bool

  /// Of records with the fields that every attribute of Lull's own has.
  package static let base = SampleLayout(.base)

  /// Of records with these fields, if the attribute asks for nothing more about them.
  package init(_ fields: SampleFields) {
    self.init(EventAttribute(type: 0, config: 0, sampleType: fields, ids: [], name: ""))
  }

  /// Of the records of an attribute.
  package init(_ attribute: EventAttribute) {
    fields = attribute.sampleType
    readFormat = ReadFormat(rawValue: attribute.readFormat)
    // PERF_SAMPLE_BRANCH_HW_INDEX puts an index before the branches, _COUNTERS words behind them.
    hasBranchIndex = attribute.branchSampleType & 1 << 17 != 0
    hasBranchCounters = attribute.branchSampleType & 1 << 19 != 0
    branchesAreCalls = attribute.branchSampleType & 1 << 11 != 0
    userRegisters = attribute.sampleRegsUser
    interruptRegisters = attribute.sampleRegsIntr
    hasTrailer = attribute.sampleIDAll
  }

  /// Leads along a sample's body.
  @inline(__always)
  func walk<V: SampleVisitor>(_ visitor: inout V) throws(V.Failure) {
    try walkFixed(&visitor)
    try walkVariable(&visitor)
  }

  /// Leads along the fields that have one size, which come first.
  @inline(__always)
  func walkFixed<V: SampleVisitor>(_ visitor: inout V) throws(V.Failure) {
    if fields.contains(.identifier) { _ = try visitor.number(.identifier) }
    if fields.contains(.instructionPointer) { _ = try visitor.number(.instructionPointer) }
    if fields.contains(.tid) { try walkTask(&visitor) }
    if fields.contains(.time) { _ = try visitor.number(.time) }
    if fields.contains(.address) { _ = try visitor.number(.address) }
    if fields.contains(.id) { _ = try visitor.number(.id) }
    if fields.contains(.streamID) { _ = try visitor.number(.streamID) }
    if fields.contains(.cpu) { try walkCPU(&visitor) }
    if fields.contains(.period) { _ = try visitor.number(.period) }
  }

  /// Leads along what comes after them.
  @inline(__always)
  func walkVariable<V: SampleVisitor>(_ visitor: inout V) throws(V.Failure) {
    if fields.contains(.read) { try walkRead(&visitor) }
    if fields.contains(.callchain) {
      try visitor.entries(try visitor.number(.callchainLength), words: 1, .callchain)
    }
    if fields.contains(.raw) { try visitor.bytes(try visitor.number(.rawSize), .raw) }
    if fields.contains(.branchStack) { try walkBranches(&visitor) }
    if fields.contains(.userRegisters), try visitor.number(.userABI) != 0 {
      try visitor.entries(UInt64(userRegisters.nonzeroBitCount), words: 1, .userRegisters)
    }
    if fields.contains(.userStack) {
      let size = try visitor.number(.stackSize)
      if size > 0 {
        try visitor.bytes(size, .stack)
        _ = try visitor.number(.stackUsed)
      }
    }
    if fields.contains(.weight) {
      _ = try visitor.number(.weight)
    } else if fields.contains(.weightStruct) {
      for part in [SamplePart.weight1, .weight2, .weight3] { _ = try visitor.number(part) }
    }
    if fields.contains(.dataSource) { _ = try visitor.number(.dataSource) }
    if fields.contains(.transaction) { _ = try visitor.number(.transaction) }
    if fields.contains(.interruptRegisters), try visitor.number(.interruptABI) != 0 {
      try visitor.entries(UInt64(interruptRegisters.nonzeroBitCount), words: 1, .interruptRegisters)
    }
    if fields.contains(.physicalAddress) { _ = try visitor.number(.physicalAddress) }
    if fields.contains(.cgroup) { _ = try visitor.number(.cgroup) }
    if fields.contains(.dataPageSize) { _ = try visitor.number(.dataPageSize) }
    if fields.contains(.codePageSize) { _ = try visitor.number(.codePageSize) }
    if fields.contains(.aux) { try visitor.bytes(try visitor.number(.auxSize), .aux) }
  }

  /// Leads along the trailer of a record that is no sample.
  @inline(__always)
  func walkTrailer<V: SampleVisitor>(_ visitor: inout V) throws(V.Failure) {
    if fields.contains(.tid) { try walkTask(&visitor) }
    if fields.contains(.time) { _ = try visitor.number(.time) }
    if fields.contains(.id) { _ = try visitor.number(.id) }
    if fields.contains(.streamID) { _ = try visitor.number(.streamID) }
    if fields.contains(.cpu) { try walkCPU(&visitor) }
    if fields.contains(.identifier) { _ = try visitor.number(.identifier) }
  }

  @inline(__always)
  private func walkTask<V: SampleVisitor>(_ visitor: inout V) throws(V.Failure) {
    _ = try visitor.number(.pid)
    _ = try visitor.number(.tid)
  }

  @inline(__always)
  private func walkCPU<V: SampleVisitor>(_ visitor: inout V) throws(V.Failure) {
    _ = try visitor.number(.cpu)
    _ = try visitor.number(.reserved)
  }

  /// One counter's value, or the values of a group, each with what the format adds to it.
  private func walkRead<V: SampleVisitor>(_ visitor: inout V) throws(V.Failure) {
    let isGroup = readFormat.contains(.group)
    let count = try visitor.number(isGroup ? .counterCount : .counter)
    if readFormat.contains(.timeEnabled) { _ = try visitor.number(.timeEnabled) }
    if readFormat.contains(.timeRunning) { _ = try visitor.number(.timeRunning) }
    let (hasID, hasLost) = (readFormat.contains(.id), readFormat.contains(.lost))
    if isGroup {
      let words = 1 + (hasID ? 1 : 0) + (hasLost ? 1 : 0)
      try visitor.entries(count, words: words, .counterValues)
    } else {
      if hasID { _ = try visitor.number(.counterID) }
      if hasLost { _ = try visitor.number(.counterLost) }
    }
  }

  private func walkBranches<V: SampleVisitor>(_ visitor: inout V) throws(V.Failure) {
    let count = try visitor.number(.branchCount)
    if hasBranchIndex { _ = try visitor.number(.branchIndex) }
    try visitor.entries(count, words: 3, .branches)
    if hasBranchCounters { try visitor.entries(count, words: 1, .branchCounters) }
  }
}

/// Something that a record is led along, part by part.
protocol SampleVisitor {
  associatedtype Failure: Error

  /// One number, of the part's width; its value tells what comes next.
  mutating func number(_ part: SamplePart) throws(Failure) -> UInt64

  /// So many entries of some 64-bit numbers each.
  mutating func entries(_ count: UInt64, words: Int, _ part: SamplePart) throws(Failure)

  /// So many bytes.
  mutating func bytes(_ count: UInt64, _ part: SamplePart) throws(Failure)
}

/// What a record is led along by: each number, and each list. The text is what an error calls it.
package enum SamplePart: String, Sendable {
  case identifier, pid, tid, time, address, id, cpu, reserved, period
  case instructionPointer = "instruction pointer"
  case streamID = "stream id"
  case counter
  case counterCount = "number of counter values"
  case counterValues = "counter values"
  case counterID = "counter id"
  case counterLost = "counter's lost"
  case timeEnabled = "time enabled"
  case timeRunning = "time running"
  case callchainLength = "callchain length"
  case callchain
  case rawSize = "raw size"
  case raw = "raw payload"
  case branchCount = "branch count"
  case branchIndex = "branch index"
  case branches
  case branchCounters = "branch counters"
  case userABI = "user registers ABI"
  case userRegisters = "user registers"
  case stackSize = "user stack size"
  case stack = "user stack"
  case stackUsed = "used part of the user stack"
  case weight
  case weight1 = "first weight"
  case weight2 = "second weight"
  case weight3 = "third weight"
  case dataSource = "data source"
  case transaction
  case interruptABI = "interrupt registers ABI"
  case interruptRegisters = "interrupt registers"
  case physicalAddress = "physical address"
  case cgroup
  case dataPageSize = "data page size"
  case codePageSize = "code page size"
  case auxSize = "aux size"
  case aux = "aux data"

  /// Bytes of a number.
  @inline(__always)
  package var width: Int {
    switch self {
    case .pid, .tid, .cpu, .reserved, .rawSize, .weight1: 4
    case .weight2, .weight3: 2
    default: 8
    }
  }
}
