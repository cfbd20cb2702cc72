import PerfData
import TestSupport
import Testing

struct SampleLayoutTests {
  /// A sample of the words given, of one attribute.
  private func decode(_ attribute: EventAttribute, _ words: [UInt64]) throws -> Sample {
    let size = (words.count + 1) * 8
    var record: [UInt8] = [9, 0, 0, 0, 2, 0, UInt8(size & 0xff), UInt8(size >> 8)]
    for word in words {
      for index in 0..<8 { record.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
    }
    let file = try PerfDataFile(
      bytes: PerfDataWriter.file(
        attributes: [attribute], records: record, features: FileFeatures()))
    let entry = try #require(file.orderedRecords().first { $0.type == RecordType.sample })
    return try file.sample(entry)
  }

  @Test func `every field is found in the kernel's order`() throws {
    var attribute = EventAttribute(
      type: 0, config: 0, sampleType: SampleFields(rawValue: (1 << 25) - 1 - (1 << 24)),
      readFormat: 0, sampleRegsUser: 0b11, ids: [], name: "all")
    attribute.sampleRegsIntr = 0b1
    let sample = try decode(
      attribute,
      [
        // identifier, ip, pid and tid, time, address, id, stream, cpu, period
        1, 2, 3 | 4 << 32, 5, 6, 7, 8, 9, 10,
        11,  // read
        2, 12, 13,  // callchain
        0x4141_4141_0000_0004,  // raw: four bytes
        1, 14, 15, 16,  // one branch
        2, 17, 18,  // user registers
        8, 0x0807_0605_0403_0201, 3,  // user stack: three of eight bytes used
        19, 20, 21,  // weight, data source, transaction
        2, 22,  // interrupt registers
        23, 24, 25, 26,  // physical address, cgroup, data and code page size
        8, 0xffff_ffff_ffff_ffff,  // aux
      ])
    #expect(sample.ip == 2)
    #expect(sample.pid == 3)
    #expect(sample.tid == 4)
    #expect(sample.time == 5)
    #expect(sample.address == 6)
    #expect(sample.id == 7)
    #expect(sample.streamID == 8)
    #expect(sample.cpu == 9)
    #expect(sample.period == 10)
    #expect(sample.readings.map(\.value) == [11])
    #expect(sample.callchain == [12, 13])
    #expect(sample.raw?.bytes == [0x41, 0x41, 0x41, 0x41])
    let branch = try #require(sample.branches.first)
    #expect((branch.from, branch.to, branch.flags) == (14, 15, 16))
    #expect(sample.userRegisters?.values == [17, 18])
    #expect(sample.userStack == [1, 2, 3])
    #expect(sample.weight == 19)
    #expect(sample.dataSource == 20)
    #expect(sample.transaction == 21)
    #expect(sample.interruptRegisters?.values == [22])
    #expect(sample.physicalAddress == 23)
    #expect(sample.cgroup == 24)
    #expect(sample.dataPageSize == 25)
    #expect(sample.codePageSize == 26)
    #expect(sample.aux == [UInt8](repeating: 0xff, count: 8))
  }

  @Test func `a group's counters have values, ids and losses`() throws {
    let attribute = EventAttribute(
      type: 0, config: 0, sampleType: [.read], readFormat: 31, ids: [], name: "group")
    let sample = try decode(attribute, [2, 100, 50, 1, 71, 0, 2, 72, 9])
    #expect(sample.readings.map(\.value) == [1, 2])
    #expect(sample.readings.map(\.id) == [71, 72])
    #expect(sample.readings.map(\.lost) == [0, 9])
    #expect(sample.readTimes.enabled == 100)
    #expect(sample.readTimes.running == 50)
  }

  @Test func `a count beyond the record is refused with its place`() throws {
    let attribute = EventAttribute(
      type: 0, config: 0, sampleType: [.callchain], ids: [], name: "chain")
    #expect(throws: PerfDataError.self) { _ = try decode(attribute, [.max, 1]) }
    #expect(throws: PerfDataError.self) { _ = try decode(attribute, [2, 1]) }
  }

  @Test func `events are told apart by ID where there is no identifier`() throws {
    let fields: SampleFields = [.id, .tid, .time]
    let attributes = [
      EventAttribute(type: 1, config: 0, sampleType: fields, ids: [5], name: "a"),
      EventAttribute(
        type: 1, config: 1, sampleType: [fields, .period], ids: [6], name: "b"),
    ]
    let records =
      RecordBuilder.sample(attribute: attributes[1], id: 6, time: 2, pid: 1, tid: 1, cpu: 0)
      + RecordBuilder.sample(attribute: attributes[0], id: 5, time: 1, pid: 1, tid: 1, cpu: 0)
      + RecordBuilder.sample(attribute: attributes[0], id: 99, time: 3, pid: 1, tid: 1, cpu: 0)
    let file = try PerfDataFile(
      bytes: PerfDataWriter.file(
        attributes: attributes, records: records, features: FileFeatures()))
    let samples = file.orderedRecords().filter { $0.type == RecordType.sample }
    #expect(Set(samples.map(\.attribute)) == [0, 1, -1])
    #expect(samples.first { $0.attribute == 1 }?.time == 2)
    #expect(file.unknownRecords == 1)
  }
}
