import Quantities
import TestSupport
import Testing

@testable import PerfData

struct SampleDemandTests {
  private static let event = "sched:sched_waking"

  /// Fields of all widths, signed and not, at any place of payloads of any length, up to the last byte of the memory that is read.
  @Test(arguments: 0..<50)
  func `what is read as samples are found is what their fields say`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let fields = try (0..<3).map { _ in
      try #require(
        IntegerField(
          TracepointField(
            name: "x", typeName: "int", offset: Int(random.next() % 12),
            size: Int(1 + random.next() % 8), isSigned: random.next() % 2 == 0)))
    }
    var builder = TraceBuilder()
    var payloads: [[UInt8]] = []
    for time in 1...200 {
      var raw = (0..<random.next() % 28).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // A brace begins a text, which is padded with spaces.
      if raw.first == UInt8(ascii: "{") { raw[0] = 0 }
      payloads.append(raw)
      builder.sample(Self.event, time: UInt64(time), tid: 7, pid: 5, cpu: 3, raw: raw)
    }
    let index = try #require(builder.attributes.firstIndex { $0.name == Self.event })
    let payload = try #require(PayloadLocator(builder.attributes[index]).fixedPayload)
    let demand = SampleDemand(payload: payload, fields[0], fields[1], fields[2])
    let records = try records(of: builder, demand: demand, at: index)

    #expect(records.map(\.time) == (1...200).map { UInt64($0) })
    for (record, raw) in zip(records, payloads) {
      // The sample pads its payload to whole words, of which the last holds nothing that counts for a field.
      let padded = raw + [UInt8](repeating: 0, count: (8 - (raw.count + 4) % 8) % 8)
      let wanted = padded.withUnsafeBytes { bytes in fields.map { $0.value(in: bytes) } }
      guard record.offset == nil else {
        // Only where a field is beyond the payload, or the memory ends too soon to read whole words.
        #expect(wanted.contains(nil) || record.time > 195)
        continue
      }
      #expect(record.tid == 7 && record.pid == 5 && record.cpu == 3 && record.attribute == index)
      #expect(
        [record.values.first, record.values.second, record.values.third]
          == wanted.map { $0.map { Int32(truncatingIfNeeded: $0) } })
    }
    #expect(records.contains { $0.offset == nil } && records.contains { $0.offset != nil })
  }

  @Test func `what is only counted is, and what is ignored is not`() throws {
    for (use, counted) in [(SampleDemand.Use.count, 50), (.ignore, 0)] {
      var builder = TraceBuilder()
      for time in 1...50 { builder.sample(Self.event, time: UInt64(time), tid: 7, raw: [1, 2]) }
      let index = try #require(builder.attributes.firstIndex { $0.name == Self.event })
      var times = PassTimes()
      let given = try records(of: builder, demand: SampleDemand(use), at: index, &times)
      #expect(given.isEmpty && times.count == counted)
      #expect(times.latest == UInt64(counted) && times.earliest == (counted > 0 ? 1 : .max))
    }
  }

  private func records(
    of builder: TraceBuilder, demand: SampleDemand, at index: Int
  ) throws -> [OrderedRecord] {
    var times = PassTimes()
    return try records(of: builder, demand: demand, at: index, &times)
  }

  /// Reads the records alone: there is no header before them and nothing behind.
  private func records(
    of builder: TraceBuilder, demand: SampleDemand, at index: Int, _ times: inout PassTimes
  ) throws -> [OrderedRecord] {
    let storage = ByteStorage(builder.records)
    let decoder = EntryDecoder(
      storage.bytes, layouts: ContiguousArray(builder.attributes.map(RecordLayout.init)),
      lookup: AttributeLookup(builder.attributes))
    var demands = builder.attributes.map { _ in SampleDemand(.name) }
    demands[index] = demand
    var stream = RecordStream(
      scanner: RecordScanner(decoder, in: 0..<storage.count), range: 0..<storage.count,
      storage: storage, late: nil, demands: demands)
    let part = RecordPart()
    var all: [OrderedRecord] = []
    while stream.nextPart(part) { all += part.ordered.records }
    times = stream.times
    return all
  }
}
