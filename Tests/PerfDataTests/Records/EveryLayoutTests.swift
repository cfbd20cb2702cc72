import Quantities
import Testing

@testable import PerfData

/// Every field alone, with every other, all at once, and combinations at random, in every format, as bytes written by
/// hand.
struct EveryLayoutTests {
  /// The sets of fields; of the two forms of weight, which exclude each other, one at most.
  private static let combinations: [UInt64] = {
    var random = SeededGenerator(seed: 31)
    let bits = (0..<25).map { UInt64(1) << UInt64($0) }
    let pairs = bits.flatMap { one in bits.map { one | $0 } }
    let sets = pairs + [(1 << 25) - 1] + (0..<1500).map { _ in random.next() & ((1 << 25) - 1) }
    return sets.map { $0 & 1 << 14 != 0 ? $0 & ~(1 << 24) : $0 }
  }()

  private static func attribute(
    _ fields: UInt64, _ random: inout SeededGenerator
  ) -> EventAttribute {
    var attribute = EventAttribute(
      type: 0, config: 0, sampleType: SampleFields(rawValue: fields),
      readFormat: random.next() % 32, sampleRegsUser: 0b1011_0000 & random.next(), ids: [],
      name: "every")
    attribute.sampleRegsIntr = 0b1101 & random.next()
    // Call stack, index, counters.
    attribute.branchSampleType = random.next() & (1 << 11 | 1 << 17 | 1 << 19)
    return attribute
  }

  private static func each(_ body: (HandLaidSample, UInt64) throws -> Void) rethrows {
    var random = SeededGenerator(seed: 7)
    for fields in combinations {
      try body(HandLaidSample(attribute(fields, &random), &random), fields)
    }
  }

  private static func file(_ attribute: EventAttribute, _ record: [UInt8]) throws -> PerfDataFile {
    try PerfDataFile(
      bytes: PerfDataWriter.file(
        attributes: [attribute], records: record, features: FileFeatures()))
  }

  private static func entry(_ file: PerfDataFile) throws -> RecordEntry {
    try #require(file.orderedRecords().first { $0.type == RecordType.sample })
  }

  @Test func `each sample is decoded as it was laid out`() throws {
    try Self.each { laid, fields in
      let file = try Self.file(laid.attribute, laid.record())
      let entry = try Self.entry(file)
      let sample = try file.sample(entry)
      func has(_ bit: UInt64) -> Bool { fields & 1 << bit != 0 }
      let format = laid.attribute.readFormat
      #expect(sample.id == (has(16) || has(6) ? laid.id : nil))
      #expect(sample.ip == (has(0) ? laid.ip : nil))
      #expect(sample.pid == (has(1) ? Int32(laid.pid) : -1) && entry.pid == sample.pid)
      #expect(sample.tid == (has(1) ? Int32(laid.tid) : -1) && entry.tid == sample.tid)
      #expect(sample.time == (has(2) ? laid.time : 0) && entry.time == sample.time)
      #expect(sample.address == (has(3) ? laid.address : nil))
      #expect(sample.streamID == (has(9) ? laid.id : nil))
      #expect(sample.cpu == (has(7) ? Int32(laid.cpu) : -1) && entry.cpu == sample.cpu)
      #expect(
        sample.period == (has(8) ? laid.period : nil) && file.period(of: entry) == sample.period)
      #expect(sample.readings.map(\.value) == (has(4) ? laid.counters.map { $0[0] } : []))
      #expect(
        sample.readings.compactMap(\.id)
          == (has(4) && format & 4 != 0 ? laid.counters.map { $0[1] } : []))
      #expect(
        sample.readings.compactMap(\.lost)
          == (has(4) && format & 16 != 0 ? laid.counters.map { $0[2] } : []))
      #expect(sample.readTimes.enabled == (has(4) && format & 1 != 0 ? laid.enabled : nil))
      #expect(sample.readTimes.running == (has(4) && format & 2 != 0 ? laid.running : nil))
      #expect(sample.callchain == (has(5) ? laid.callchain : []))
      #expect(sample.raw?.bytes == (has(10) ? laid.raw : nil))
      #expect(file.payload(of: entry).map(Array.init) == sample.raw?.bytes)
      #expect(
        sample.branches.map { [$0.from, $0.to, $0.flags] } == (has(11) ? laid.branches : []))
      let hasRegisters = has(12) && laid.userABI != 0
      #expect(sample.userRegisters?.values == (hasRegisters ? laid.userRegisters : nil))
      for number in 0..<8 {
        #expect(file.userRegister(number, of: entry) == sample.userRegisters?[number])
      }
      #expect(
        sample.userStack == (has(13) ? Array(laid.stack.prefix(Int(laid.stackUsed))) : []))
      #expect(sample.weight == (has(14) || has(24) ? laid.words[0] : nil))
      #expect(sample.dataSource == (has(15) ? laid.words[1] : nil))
      #expect(sample.transaction == (has(17) ? laid.words[2] : nil))
      let hasInterrupt = has(18) && laid.interruptABI != 0
      #expect(sample.interruptRegisters?.values == (hasInterrupt ? laid.interruptRegisters : nil))
      #expect(sample.physicalAddress == (has(19) ? laid.words[3] : nil))
      #expect(sample.cgroup == (has(21) ? laid.words[4] : nil))
      #expect(sample.dataPageSize == (has(22) ? laid.words[5] : nil))
      #expect(sample.codePageSize == (has(23) ? laid.words[6] : nil))
      #expect(sample.aux == (has(20) ? laid.aux : []))
    }
  }

  @Test func `what is redacted is found`() throws {
    Self.each { laid, fields in
      let record = laid.record()
      let contents = SampleLayout(laid.attribute).contents(of: record)
      let raw = laid.offset(ofBit: 10) + 4
      #expect(contents?.raw == (fields & 1 << 10 != 0 ? raw..<raw + laid.raw.count : nil))
      let stack = laid.offset(ofBit: 13)
      let size = laid.stack.isEmpty ? 8 : 16 + laid.stack.count
      #expect(contents?.stack == (fields & 1 << 13 != 0 ? stack..<stack + size : nil))
    }
  }

  @Test func `where the payload is at one place it is told`() {
    Self.each { laid, fields in
      let isFixed = fields & 1 << 10 != 0 && fields & (1 << 4 | 1 << 5) == 0
      #expect(
        PayloadLocator(laid.attribute).fixedPayload == (isFixed ? laid.offset(ofBit: 10) : nil))
    }
  }

  @Test func `a sample of a big-endian machine is turned round whole, and back`() {
    Self.each { laid, _ in
      let swapper = RecordSwapper(attributes: [laid.attribute], tracepoints: [:])
      for isBigEndian in [true, false] {
        let turned = laid.record(isBigEndian: isBigEndian).withView {
          swapper.swapped($0, toHost: isBigEndian)
        }
        #expect(turned == laid.record(isBigEndian: !isBigEndian))
      }
    }
  }

  @Test func `a sample is written as it is laid out`() {
    var random = SeededGenerator(seed: 8)
    for fields in Self.combinations {
      let attribute = Self.attribute(fields, &random)
      let given = HandLaidSample(attribute, &random)
      // What the writer does not take is zero or empty, a group is of one counter.
      var laid = HandLaidSample(attribute)
      (laid.id, laid.ip, laid.pid, laid.tid) = (given.id, given.ip, given.pid, given.tid)
      (laid.time, laid.cpu, laid.period) = (given.time, given.cpu, given.period)
      laid.counters = [[given.period, given.id, 0]]
      (laid.callchain, laid.raw, laid.stack) = (given.callchain, given.raw, given.stack)
      laid.raw[0] = 1
      laid.stackUsed = UInt64(given.stack.count)
      laid.userRegisters = given.userRegisters
      laid.userABI = given.userRegisters.isEmpty ? 0 : 2
      let written = RecordBuilder.sample(
        attribute: attribute, id: laid.id, time: laid.time, pid: Int32(laid.pid),
        tid: Int32(laid.tid), cpu: Int32(laid.cpu), period: laid.period, ip: laid.ip,
        callchain: laid.callchain, raw: laid.raw, userRegisters: laid.userRegisters,
        userStack: laid.stack)
      var expected = laid.record()
      // The branches' index, which is 9 where the hand lays it.
      if fields & 1 << 11 != 0, attribute.branchSampleType & 1 << 17 != 0 {
        expected[laid.offset(ofBit: 11) + 8] = 0
      }
      #expect(written == expected)
    }
  }

  /// Cut anywhere, or with a count of anything, a sample is refused or decoded, and never read beyond its end.
  @Test func `a malformed sample is refused`() throws {
    var random = SeededGenerator(seed: 9)
    for fields in Self.combinations.shuffled(using: &random).prefix(300) {
      let laid = HandLaidSample(Self.attribute(fields, &random), &random)
      let layout = SampleLayout(laid.attribute)
      let whole = laid.record()
      for size in stride(from: 8, to: whole.count, by: 8) {
        var cut = Array(whole[..<size])
        (cut[6], cut[7]) = (UInt8(size & 0xff), UInt8(size >> 8))
        let file = try Self.file(laid.attribute, cut)
        let entry = try Self.entry(file)
        let error = #expect(throws: PerfDataError.self) { _ = try file.sample(entry) }
        #expect(error?.offset.map { $0 <= entry.offset + size } ?? false)
        #expect(layout.contents(of: cut) == nil)
        _ = (file.payload(of: entry), file.period(of: entry), file.userRegister(5, of: entry))
        let swapper = RecordSwapper(attributes: [laid.attribute], tracepoints: [:])
        #expect(cut.withView { swapper.swapped($0, toHost: true) }.count == size)
      }
      for bit in [4, 5, 11, 13, 20] where fields & 1 << UInt64(bit) != 0 {
        guard bit != 4 || laid.attribute.readFormat & 8 != 0 else { continue }
        let counts: [UInt64] = [.max, .max / 8, .max / 24 + 2, 1 << 61, 100_000]
        for count in counts {
          var harmed = whole
          let place = laid.offset(ofBit: bit)
          for byte in 0..<8 {
            harmed[place + byte] = UInt8(truncatingIfNeeded: count >> UInt64(8 * byte))
          }
          let file = try Self.file(laid.attribute, harmed)
          let entry = try Self.entry(file)
          #expect(throws: PerfDataError.self) { _ = try file.sample(entry) }
          #expect(layout.contents(of: harmed) == nil)
        }
      }
    }
  }

  @Test func `an error tells what was needed and where`() throws {
    let attribute = EventAttribute(
      type: 0, config: 0, sampleType: [.time, .period], ids: [], name: "short")
    let file = try Self.file(attribute, Array(HandLaidSample(attribute).record()[..<16]).sized())
    let entry = try Self.entry(file)
    let error = #expect(throws: PerfDataError.self) { _ = try file.sample(entry) }
    let text = error.map(String.init(describing:)) ?? ""
    #expect(text.contains("period") && text.contains("8 bytes") && text.contains("0 available"))
  }

  @Test(arguments: 0..<128)
  func `a trailer is found whatever it holds`(set: UInt64) throws {
    let bits: [UInt64] = [1, 2, 6, 9, 7, 16]
    let fields = bits.enumerated().reduce(UInt64(0)) {
      $0 | (set >> UInt64($1.offset) & 1) << $1.element
    }
    let numbers: [[HandLaidSample.Number]] = [
      [(11, 4), (12, 4)], [(13, 8)], [(14, 8)], [(15, 8)], [(16, 4), (0, 4)], [(14, 8)],
    ]
    let trailer = zip(bits, numbers).filter { fields & 1 << $0.0 != 0 }.flatMap(\.1)
    // Half of them without sample_id_all, so that there is none.
    let hasTrailer = set < 64
    let attribute = EventAttribute(
      type: 1, config: 9, sampleType: SampleFields(rawValue: fields),
      flags: hasTrailer ? EventAttribute.sampleIDAllFlag : 0, ids: [14], name: "dummy:HG")
    let size = hasTrailer ? trailer.reduce(0) { $0 + $1.width } : 0
    // LOST: id and count.
    let record: [HandLaidSample.Number] =
      [(2, 4), (0, 2), (UInt64(24 + size), 2), (14, 8), (99, 8)] + (hasTrailer ? trailer : [])
    let bytes = HandLaidSample.bytes(record, isBigEndian: false)
    let file = try Self.file(attribute, bytes)
    let entry = try #require(file.orderedRecords().first { $0.type == RecordType.lost })
    func has(_ bit: UInt64) -> Bool { hasTrailer && fields & 1 << bit != 0 }
    #expect(SampleLayout(attribute).trailerSize == size)
    #expect(entry.pid == (has(1) ? 11 : -1) && entry.tid == (has(1) ? 12 : -1))
    #expect(entry.time == (has(2) ? 13 : 0) && entry.cpu == (has(7) ? 16 : -1))
    #expect(file.lost(entry) == 99)
    let swapped = HandLaidSample.bytes(record, isBigEndian: true).withView {
      RecordSwapper(attributes: [attribute], tracepoints: [:]).swapped($0, toHost: true)
    }
    #expect(swapped == bytes)
  }
}

extension [UInt8] {
  /// With its own size in the header.
  fileprivate func sized() -> [UInt8] {
    var record = self
    (record[6], record[7]) = (UInt8(count & 0xff), UInt8(count >> 8))
    return record
  }
}
