extension PerfDataFile {
  /// Decodes a sample with every field that its attribute asked for.
  public func sample(_ record: RecordEntry) throws(PerfDataError) -> Sample {
    guard record.type == RecordType.sample, let range = range(of: record) else {
      throw PerfDataError(.malformed("the record is no sample"), offset: record.offset)
    }
    guard let attribute = attribute(of: record) else {
      throw PerfDataError(.unknownAttribute, offset: record.offset)
    }
    var decoder = SampleDecoder(
      attribute: attribute, storage: storage,
      cursor: ByteCursor(storage.bytes, from: range.lowerBound + 8, to: range.upperBound))
    return try decoder.decode()
  }
}

/// Decodes one sample in the order in which the kernel writes the fields.
private struct SampleDecoder {
  let attribute: EventAttribute
  let storage: ByteStorage
  var cursor: ByteCursor
  var sample = Sample()

  init(attribute: EventAttribute, storage: ByteStorage, cursor: ByteCursor) {
    self.attribute = attribute
    self.storage = storage
    self.cursor = cursor
  }

  mutating func decode() throws(PerfDataError) -> Sample {
    let fields = attribute.sampleType
    try decodeFixed(fields)
    if fields.contains(.read) { try decodeRead() }
    if fields.contains(.callchain) {
      sample.callchain = try cursor.words(try cursor.u64("callchain length"), "callchain")
    }
    if fields.contains(.raw) {
      let size = try cursor.u32("raw size")
      let range = try cursor.range(UInt64(size), "raw payload")
      sample.raw = RawPayload(storage: storage, offset: range.lowerBound, count: range.count)
    }
    if fields.contains(.branchStack) { try decodeBranches() }
    if fields.contains(.userRegisters) {
      sample.userRegisters = try registers(mask: attribute.sampleRegsUser, "user registers")
    }
    if fields.contains(.userStack) { try decodeStack() }
    if !fields.isDisjoint(with: [.weight, .weightStruct]) {
      sample.weight = try cursor.u64("weight")
    }
    if fields.contains(.dataSource) { sample.dataSource = try cursor.u64("data source") }
    if fields.contains(.transaction) { sample.transaction = try cursor.u64("transaction") }
    if fields.contains(.interruptRegisters) {
      sample.interruptRegisters = try registers(
        mask: attribute.sampleRegsIntr, "interrupt registers")
    }
    if fields.contains(.physicalAddress) {
      sample.physicalAddress = try cursor.u64("physical address")
    }
    if fields.contains(.cgroup) { sample.cgroup = try cursor.u64("cgroup") }
    if fields.contains(.dataPageSize) { sample.dataPageSize = try cursor.u64("data page size") }
    if fields.contains(.codePageSize) { sample.codePageSize = try cursor.u64("code page size") }
    if fields.contains(.aux) {
      sample.aux = try cursor.array(try cursor.u64("aux size"), "aux data")
    }
    return sample
  }

  private mutating func decodeFixed(_ fields: SampleFields) throws(PerfDataError) {
    if fields.contains(.identifier) { sample.id = try cursor.u64("identifier") }
    if fields.contains(.instructionPointer) { sample.ip = try cursor.u64("instruction pointer") }
    if fields.contains(.tid) {
      sample.pid = try cursor.read(Int32.self, "pid")
      sample.tid = try cursor.read(Int32.self, "tid")
    }
    if fields.contains(.time) { sample.time = try cursor.u64("time") }
    if fields.contains(.address) { sample.address = try cursor.u64("address") }
    if fields.contains(.id) { sample.id = try cursor.u64("id") }
    if fields.contains(.streamID) { sample.streamID = try cursor.u64("stream id") }
    if fields.contains(.cpu) {
      sample.cpu = try cursor.read(Int32.self, "cpu")
      _ = try cursor.u32("reserved")
    }
    if fields.contains(.period) { sample.period = try cursor.u64("period") }
  }

  private mutating func decodeRead() throws(PerfDataError) {
    let format = ReadFormat(rawValue: attribute.readFormat)
    let isGroup = format.contains(.group)
    let first = try cursor.u64("counter")
    if format.contains(.timeEnabled) { sample.readTimes.enabled = try cursor.u64("time enabled") }
    if format.contains(.timeRunning) { sample.readTimes.running = try cursor.u64("time running") }
    // Each value takes 8 bytes at least, so a count beyond that is not believed.
    let count = isGroup ? first : 1
    guard count <= UInt64(cursor.remaining / 8) + 1 else {
      throw cursor.shortage("\(count) counter values", count.multipliedFullWidth(by: 8).low)
    }
    for _ in 0..<count {
      var reading = CounterReading(value: isGroup ? try cursor.u64("counter") : first)
      if format.contains(.id) { reading.id = try cursor.u64("counter id") }
      if format.contains(.lost) { reading.lost = try cursor.u64("counter's lost") }
      sample.readings.append(reading)
    }
  }

  private mutating func decodeBranches() throws(PerfDataError) {
    let count = try cursor.u64("branch count")
    sample.branchesAreCalls = attribute.branchSampleType & (1 << 11) != 0
    // PERF_SAMPLE_BRANCH_HW_INDEX puts an index before the entries, _COUNTERS words after them.
    if attribute.branchSampleType & (1 << 17) != 0 { _ = try cursor.u64("branch index") }
    guard count <= UInt64(cursor.remaining / 24) else {
      throw cursor.shortage("\(count) branches", count.multipliedFullWidth(by: 24).low)
    }
    for _ in 0..<count {
      sample.branches.append(
        BranchEntry(
          from: try cursor.u64("branch source"), to: try cursor.u64("branch target"),
          flags: try cursor.u64("branch flags")))
    }
    if attribute.branchSampleType & (1 << 19) != 0 { _ = try cursor.words(count, "counters") }
  }

  private mutating func registers(
    mask: UInt64, _ what: String
  ) throws(PerfDataError) -> UserRegisters? {
    let abi = try cursor.u64(what + " ABI")
    guard abi != 0 else { return nil }
    let values = try cursor.words(UInt64(mask.nonzeroBitCount), what)
    return UserRegisters(abi: abi, mask: mask, values: values)
  }

  private mutating func decodeStack() throws(PerfDataError) {
    let size = try cursor.u64("user stack size")
    guard size > 0 else { return }
    let range = try cursor.range(size, "user stack")
    let used = min(try cursor.u64("used part of the user stack"), size)
    sample.userStack = [UInt8](storage.bytes[range.lowerBound..<range.lowerBound + Int(used)])
  }
}
