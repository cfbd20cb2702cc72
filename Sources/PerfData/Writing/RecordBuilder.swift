/// Builders of records, for the recorder's synthetic events and for tests.
///
/// Records other than samples end in the sample id TID, TIME, CPU, IDENTIFIER that every attribute
/// of Lull's own (`SampleFields.base` with `sample_id_all`) asks for.
public enum RecordBuilder {
  /// A record's size is a 16-bit number, and records are 8-aligned.
  public static let largestRecord = 65528
  /// The most raw bytes that a sample of a synthetic event can hold.
  public static let largestRawPayload = largestRecord - 8 - 32 - 8

  /// A sample with the fields that the attribute asks for.
  ///
  /// Fields that this does not take (branches, weights, …) are written as zero or empty; lists
  /// that do not fit a record are cut (callchain, user stack) or emptied (raw).
  public static func sample(
    attribute: EventAttribute, id: UInt64, time: UInt64, pid: Int32, tid: Int32, cpu: Int32,
    period: UInt64 = 1, ip: UInt64 = 0, callchain: [UInt64] = [], raw: [UInt8] = [],
    userRegisters: [UInt64] = [], userStack: [UInt8] = [], misc: UInt16 = 2
  ) -> [UInt8] {
    let fields = attribute.sampleType
    var body = ByteBuilder()
    if fields.contains(.identifier) { body.append(id) }
    if fields.contains(.instructionPointer) { body.append(ip) }
    if fields.contains(.tid) {
      body.append(pid)
      body.append(tid)
    }
    if fields.contains(.time) { body.append(time) }
    if fields.contains(.address) { body.append(UInt64(0)) }
    if fields.contains(.id) { body.append(id) }
    if fields.contains(.streamID) { body.append(id) }
    if fields.contains(.cpu) {
      body.append(cpu)
      body.append(UInt32(0))
    }
    if fields.contains(.period) { body.append(period) }
    if fields.contains(.read) { appendRead(attribute, id: id, value: period, to: &body) }
    if fields.contains(.callchain) {
      let chain = callchain.prefix(1024)
      body.append(UInt64(chain.count))
      for address in chain { body.append(address) }
    }
    if fields.contains(.raw) { appendRaw(raw, to: &body) }
    if fields.contains(.branchStack) {
      body.append(UInt64(0))
      if attribute.branchSampleType & (1 << 17) != 0 { body.append(UInt64(0)) }
    }
    if fields.contains(.userRegisters) {
      appendRegisters(userRegisters, mask: attribute.sampleRegsUser, to: &body)
    }
    if fields.contains(.userStack) {
      appendStack(userStack, attribute: attribute, to: &body)
    }
    let zeroes: [SampleFields] = [.dataSource, .transaction]
    if fields.contains(.weight) || fields.contains(.weightStruct) { body.append(UInt64(0)) }
    for field in zeroes where fields.contains(field) { body.append(UInt64(0)) }
    if fields.contains(.interruptRegisters) { body.append(UInt64(0)) }
    let last: [SampleFields] = [.physicalAddress, .cgroup, .dataPageSize, .codePageSize, .aux]
    for field in last where fields.contains(field) { body.append(UInt64(0)) }
    return record(type: RecordType.sample, misc: misc, body: body)
  }

  private static func appendRead(
    _ attribute: EventAttribute, id: UInt64, value: UInt64, to body: inout ByteBuilder
  ) {
    let format = ReadFormat(rawValue: attribute.readFormat)
    if format.contains(.group) { body.append(UInt64(1)) } else { body.append(value) }
    if format.contains(.timeEnabled) { body.append(UInt64(0)) }
    if format.contains(.timeRunning) { body.append(UInt64(0)) }
    if format.contains(.group) { body.append(value) }
    if format.contains(.id) { body.append(id) }
    if format.contains(.lost) { body.append(UInt64(0)) }
  }

  private static func appendRaw(_ raw: [UInt8], to body: inout ByteBuilder) {
    let raw = raw.count <= largestRawPayload ? raw : []
    // The size and the bytes together are a multiple of 8. JSON is padded with spaces, which a
    // JSON reader skips, binary payloads with zeros.
    let padded = (raw.count + 4 + 7) / 8 * 8 - 4
    let filler: UInt8 = raw.first == 0x7b ? 0x20 : 0
    body.append(UInt32(padded))
    body.append(contentsOf: raw)
    body.append(contentsOf: [UInt8](repeating: filler, count: padded - raw.count))
  }

  private static func appendRegisters(
    _ values: [UInt64], mask: UInt64, to body: inout ByteBuilder
  ) {
    let count = mask.nonzeroBitCount
    guard !values.isEmpty, count > 0 else {
      body.append(UInt64(0))
      return
    }
    body.append(UInt64(2))
    for index in 0..<count { body.append(index < values.count ? values[index] : 0) }
  }

  private static func appendStack(
    _ stack: [UInt8], attribute: EventAttribute, to body: inout ByteBuilder
  ) {
    let room = max(0, largestRecord - 8 - body.count - 256)
    let kept = stack.prefix(min(room, max(Int(attribute.sampleStackUser), stack.count)))
    let size = min((max(Int(attribute.sampleStackUser), kept.count) + 7) / 8 * 8, room / 8 * 8)
    let dynamic = min(kept.count, size)
    body.append(UInt64(size))
    guard size > 0 else { return }
    body.append(contentsOf: [UInt8](kept.prefix(dynamic)))
    body.append(contentsOf: [UInt8](repeating: 0, count: size - dynamic))
    body.append(UInt64(dynamic))
  }

  /// A record of a whole body; what does not fit 16 bits of size is cut to the header alone.
  static func record(type: UInt32, misc: UInt16, body: ByteBuilder) -> [UInt8] {
    var record = ByteBuilder()
    let body = body.count + 8 <= 65535 ? body.bytes : []
    record.append(type)
    record.append(misc)
    record.append(UInt16(body.count + 8))
    record.append(contentsOf: body)
    return record.bytes
  }
}
