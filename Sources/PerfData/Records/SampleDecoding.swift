extension PerfDataFile {
  /// Decodes a sample with every field that its attribute asked for.
  public func sample(_ record: RecordEntry) throws(PerfDataError) -> Sample {
    guard record.type == RecordType.sample, let range = range(of: record) else {
      throw PerfDataError(.malformed("the record is no sample"), offset: record.offset)
    }
    guard locators.indices.contains(Int(record.attribute)) else {
      throw PerfDataError(.unknownAttribute, offset: record.offset)
    }
    let layout = locators[Int(record.attribute)].layout
    var decoder = SampleDecoder(
      layout: layout, storage: storage,
      cursor: ByteCursor(storage.bytes, from: range.lowerBound + 8, to: range.upperBound))
    decoder.sample.branchesAreCalls =
      layout.fields.contains(.branchStack) && layout.branchesAreCalls
    try layout.walk(&decoder)
    return decoder.sample
  }
}

/// Takes in the parts of one sample.
private struct SampleDecoder: SampleVisitor {
  private let layout: SampleLayout
  private let storage: ByteStorage
  private var cursor: ByteCursor
  var sample = Sample()
  /// PERF_SAMPLE_REGS_ABI_* of the registers that come next.
  private var abi: UInt64 = 0
  /// Where the user stack is, of which a number that follows tells how much was used.
  private var stack = 0..<0

  init(layout: SampleLayout, storage: ByteStorage, cursor: ByteCursor) {
    self.layout = layout
    self.storage = storage
    self.cursor = cursor
  }

  @inline(__always)
  mutating func number(_ part: SamplePart) throws(PerfDataError) -> UInt64 {
    switch part.width {
    case 2: return take(UInt64(try cursor.read(UInt16.self, part.rawValue)), part)
    case 4: return take(UInt64(try cursor.u32(part.rawValue)), part)
    default: return take(try cursor.u64(part.rawValue), part)
    }
  }

  @inline(__always)
  private mutating func take(_ value: UInt64, _ part: SamplePart) -> UInt64 {
    switch part {
    case .identifier, .id: sample.id = value
    case .instructionPointer: sample.ip = value
    case .pid: sample.pid = Int32(truncatingIfNeeded: value)
    case .tid: sample.tid = Int32(truncatingIfNeeded: value)
    case .time: sample.time = value
    case .address: sample.address = value
    case .streamID: sample.streamID = value
    case .cpu: sample.cpu = Int32(truncatingIfNeeded: value)
    case .period: sample.period = value
    case .counter: sample.readings = [CounterReading(value: value)]
    case .counterID: sample.readings[0].id = value
    case .counterLost: sample.readings[0].lost = value
    case .timeEnabled: sample.readTimes.enabled = value
    case .timeRunning: sample.readTimes.running = value
    case .userABI, .interruptABI: abi = value
    case .stackUsed:
      let used = min(value, UInt64(stack.count))
      sample.userStack = [UInt8](storage.bytes[stack.lowerBound..<stack.lowerBound + Int(used)])
    case .weight, .weight1: sample.weight = value
    case .weight2: sample.weight = (sample.weight ?? 0) | value << 32
    case .weight3: sample.weight = (sample.weight ?? 0) | value << 48
    case .dataSource: sample.dataSource = value
    case .transaction: sample.transaction = value
    case .physicalAddress: sample.physicalAddress = value
    case .cgroup: sample.cgroup = value
    case .dataPageSize: sample.dataPageSize = value
    case .codePageSize: sample.codePageSize = value
    default: break
    }
    return value
  }

  @inline(__always)
  mutating func entries(
    _ count: UInt64, words: Int, _ part: SamplePart
  ) throws(PerfDataError) {
    // A count that cannot be is refused before room is made for so many.
    guard count <= UInt64(cursor.remaining / (8 * words)) else {
      let (size, overflow) = count.multipliedReportingOverflow(by: UInt64(8 * words))
      throw cursor.shortage(
        words > 1 ? "\(count) \(part.rawValue)" : part.rawValue, overflow ? .max : size)
    }
    let values = try cursor.words(count * UInt64(words), part.rawValue)
    switch part {
    case .callchain: sample.callchain = values
    case .userRegisters:
      sample.userRegisters = UserRegisters(abi: abi, mask: layout.userRegisters, values: values)
    case .interruptRegisters:
      sample.interruptRegisters = UserRegisters(
        abi: abi, mask: layout.interruptRegisters, values: values)
    case .branches:
      sample.branches = stride(from: 0, to: values.count, by: words).map {
        BranchEntry(from: values[$0], to: values[$0 + 1], flags: values[$0 + 2])
      }
    case .counterValues:
      let hasID = layout.readFormat.contains(.id)
      sample.readings = stride(from: 0, to: values.count, by: words).map {
        var reading = CounterReading(value: values[$0])
        if hasID { reading.id = values[$0 + 1] }
        if layout.readFormat.contains(.lost) { reading.lost = values[$0 + words - 1] }
        return reading
      }
    default: break
    }
  }

  @inline(__always)
  mutating func bytes(_ count: UInt64, _ part: SamplePart) throws(PerfDataError) {
    let range = try cursor.range(count, part.rawValue)
    switch part {
    case .raw:
      sample.raw = RawPayload(storage: storage, offset: range.lowerBound, count: range.count)
    case .stack: stack = range
    case .aux: sample.aux = [UInt8](storage.bytes[range])
    default: break
    }
  }
}
