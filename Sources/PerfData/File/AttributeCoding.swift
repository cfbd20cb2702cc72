extension EventAttribute {
  /// Bytes of the attribute as Lull writes it (PERF_ATTR_SIZE_VER7; VER8 where config3 is used).
  static func encodedSize(of attributes: [EventAttribute]) -> Int {
    attributes.contains { $0.config3 != 0 } ? 136 : 128
  }

  /// The kernel's perf_event_attr of `size` bytes, 128 or 136.
  func encoded(size: Int) -> [UInt8] {
    var output = ByteBuilder()
    output.append(type)
    output.append(UInt32(size))
    output.append(config)
    output.append(samplePeriod)
    output.append(sampleType.rawValue)
    output.append(readFormat)
    output.append(flags)
    output.append(wakeupEvents)
    output.append(breakpointType)
    output.append(config1)
    output.append(config2)
    output.append(branchSampleType)
    output.append(sampleRegsUser)
    output.append(sampleStackUser)
    output.append(clockID)
    output.append(sampleRegsIntr)
    output.append(auxWatermark)
    output.append(sampleMaxStack)
    output.append(UInt16(0))
    output.append(auxSampleSize)
    output.append(UInt32(0))
    output.append(sigData)
    if size >= 136 { output.append(config3) }
    return output.bytes
  }

  /// Reads a perf_event_attr in `range`, of whatever version: what an old one lacks is zero.
  init(
    decoding bytes: ByteView, range: Range<Int>, isBigEndian: Bool = false
  ) throws(PerfDataError) {
    var cursor = ByteCursor(
      bytes, from: range.lowerBound, to: range.upperBound, isBigEndian: isBigEndian)
    let type = try cursor.u32("attribute type")
    var size = Int(try cursor.u32("attribute's own size"))
    // perf writes 0 for the first published version.
    if size == 0 { size = 64 }
    guard size >= 64 else {
      throw PerfDataError(
        .malformed("an attribute of \(size) bytes is too short"), offset: range.lowerBound + 4)
    }
    guard range.count >= 64 else { throw cursor.shortage("attribute", 64) }
    cursor = ByteCursor(
      bytes, from: range.lowerBound + 8, to: min(range.upperBound, range.lowerBound + size),
      isBigEndian: isBigEndian)
    self.init(
      type: type, config: try cursor.u64("config"), sampleType: [], flags: 0, samplePeriod: 0,
      clockID: 0, ids: [], name: "")
    samplePeriod = try cursor.u64("sample period")
    sampleType = SampleFields(rawValue: try cursor.u64("sample type"))
    readFormat = try cursor.u64("read format")
    flags = try cursor.u64("flags")
    // A C bit field counts its bits from the other end there.
    if isBigEndian { flags = flags.bitReversed }
    wakeupEvents = try cursor.u32("wakeup events")
    breakpointType = try cursor.u32("breakpoint type")
    config1 = try cursor.u64("config1")
    // Each line from here on may be the end of an older version.
    if cursor.remaining >= 8 { config2 = try cursor.u64("config2") }
    if cursor.remaining >= 8 { branchSampleType = try cursor.u64("branch sample type") }
    if cursor.remaining >= 8 { sampleRegsUser = try cursor.u64("user registers") }
    if cursor.remaining >= 8 {
      sampleStackUser = try cursor.u32("user stack")
      clockID = try cursor.read(Int32.self, "clock")
    }
    if cursor.remaining >= 8 { sampleRegsIntr = try cursor.u64("interrupt registers") }
    if cursor.remaining >= 8 {
      auxWatermark = try cursor.u32("aux watermark")
      sampleMaxStack = try cursor.read(UInt16.self, "max stack")
      _ = try cursor.read(UInt16.self, "reserved")
    }
    if cursor.remaining >= 8 {
      auxSampleSize = try cursor.u32("aux sample size")
      _ = try cursor.u32("reserved")
    }
    if cursor.remaining >= 8 { sigData = try cursor.u64("signal data") }
    if cursor.remaining >= 8 { config3 = try cursor.u64("config3") }
  }

  /// Reads the attributes section: entries of an attribute and where its ids are.
  static func list(
    _ bytes: ByteView, header: FileHeader
  ) throws(PerfDataError) -> [EventAttribute] {
    let entrySize = header.attributeSize
    guard entrySize >= 80, entrySize <= 4096 else {
      throw PerfDataError(
        .malformed("an attribute entry of \(entrySize) bytes cannot be"), offset: 16)
    }
    guard let section = header.attributes.range(in: bytes.count) else {
      throw PerfDataError(
        .outOfBounds(
          what: "attributes section", needed: header.attributes.size,
          available: max(0, bytes.count - Int(clamping: header.attributes.offset))),
        offset: Int(clamping: header.attributes.offset))
    }
    let size = Int(entrySize)
    var attributes: [EventAttribute] = []
    var start = section.lowerBound
    while section.upperBound - start >= size {
      var attribute = try EventAttribute(
        decoding: bytes, range: start..<start + size - 16, isBigEndian: header.isBigEndian)
      var cursor = ByteCursor(
        bytes, from: start + size - 16, to: start + size, isBigEndian: header.isBigEndian)
      let ids = FileSection(
        offset: try cursor.u64("ids offset"), size: try cursor.u64("ids size"))
      guard let range = ids.range(in: bytes.count) else {
        throw PerfDataError(
          .outOfBounds(
            what: "ids of attribute \(attributes.count)", needed: ids.size,
            available: max(0, bytes.count - Int(clamping: ids.offset))), offset: start + size - 16)
      }
      var words = ByteCursor(
        bytes, from: range.lowerBound, to: range.upperBound, isBigEndian: header.isBigEndian)
      attribute.ids = try words.words(UInt64(range.count / 8), "ids")
      attributes.append(attribute)
      start += size
    }
    return attributes
  }

  /// A name for an attribute that EVENT_DESC does not name.
  func fallbackName(tracepoints: [Int: TracepointFormat]) -> String {
    if type == 2, let id = Int(exactly: config), let format = tracepoints[id] {
      return "\(format.system):\(format.name)"
    }
    let software = [
      "cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
      "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
      "bpf-output", "cgroup-switches",
    ]
    if type == 1, config < UInt64(software.count) { return software[Int(config)] }
    let hardware = [
      "cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
      "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
    ]
    if type == 0, config < UInt64(hardware.count) { return hardware[Int(config)] }
    return "type\(type):0x" + String(config, radix: 16)
  }
}

extension UInt64 {
  /// The 64 bits in the opposite order.
  var bitReversed: UInt64 {
    var result: UInt64 = 0
    for bit in UInt64(0)..<64 where self & 1 << bit != 0 { result |= 1 << (63 - bit) }
    return result
  }
}
