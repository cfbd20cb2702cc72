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
    var writer = SampleWriter(id: id, pid: pid, tid: tid, time: time, cpu: cpu)
    writer.period = period
    writer.ip = ip
    writer.callchain = callchain.prefix(1024)
    writer.take(attribute, raw: raw, userRegisters: userRegisters, userStack: userStack)
    SampleLayout(attribute).walk(&writer)
    return record(type: RecordType.sample, misc: misc, body: writer.body)
  }

  /// How many whole records these bytes are.
  public static func count(_ records: [UInt8]) -> Int {
    var (count, at) = (0, 0)
    while at + 8 <= records.count {
      let size = Int(records[at + 6]) | Int(records[at + 7]) << 8
      guard size >= 8, size <= records.count - at else { break }
      (count, at) = (count + 1, at + size)
    }
    return count
  }

  /// The samples of a synthetic event with this payload: one, or as many as it takes.
  public static func synthetic(
    _ attribute: EventAttribute, id: UInt64, time: UInt64, pid: Int32, tid: Int32, raw: [UInt8]
  ) -> [UInt8] {
    SyntheticParts.split(raw).flatMap {
      sample(attribute: attribute, id: id, time: time, pid: pid, tid: tid, cpu: 0, raw: $0)
    }
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
