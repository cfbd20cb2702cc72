import PerfData
import TestSupport
import Testing

struct RoundTripTests {
  @Test func `attributes come back with their names and ids`() throws {
    let file = try PerfDataFile(bytes: SmallTrace.bytes)
    #expect(file.attributes == SmallTrace.attributes)
    #expect(!file.isTruncated)
    #expect(file.problems.isEmpty)
    #expect(file.unknownRecords == 0)
    #expect(file.tornBytes == 0)
  }

  @Test func `features come back`() throws {
    let read = try PerfDataFile(bytes: SmallTrace.bytes).features
    let written = SmallTrace.features
    #expect(read.hostname == "häuschen")
    #expect(read.osRelease == written.osRelease)
    #expect(read.perfVersion == written.perfVersion)
    #expect(read.architecture == written.architecture)
    #expect(read.cpusOnline == 2)
    #expect(read.cpusAvailable == 4)
    #expect(read.commandLine == written.commandLine)
    #expect(read.cpuDescription == "CPU")
    #expect(read.totalMemoryBytes == 123 * 1024)
    #expect(read.clockID == 1)
    #expect(read.clockData == written.clockData)
    #expect(read.sampleTime == written.sampleTime)
    #expect(read.buildIDs == written.buildIDs)
    #expect(read.tracingData == written.tracingData)
    #expect(read.otherSections == written.otherSections)
    #expect(read.tracepoints[42]?.field("value")?.offset == 8)
  }

  @Test func `what was read can be written again to the same bytes`() throws {
    let bytes = SmallTrace.bytes
    let file = try PerfDataFile(bytes: bytes)
    let again = PerfDataWriter.file(
      attributes: file.attributes, records: SmallTrace.recordList.flatMap { $0 },
      features: file.features)
    #expect(again == bytes)
  }

  @Test func `records come back in the order of time`() throws {
    let file = try PerfDataFile(bytes: SmallTrace.bytes)
    let timed = file.orderedRecords().filter { $0.time > 0 }
    #expect(timed.map(\.time) == [10, 20, 21, 30, 40, 50, 55, 60])
    #expect(file.recordCounts[RecordType.sample] == 2)
    // The round's end has no time and stays behind the sample at 50.
    let types = file.orderedRecords().map(\.type)
    let round = try #require(types.firstIndex(of: RecordType.finishedRound))
    #expect(file.orderedRecords()[round - 1].time == 50)
  }

  @Test func `a sample comes back with all its fields`() throws {
    let file = try PerfDataFile(bytes: SmallTrace.bytes)
    let record = try #require(file.orderedRecords().first { $0.time == 50 })
    #expect(record.pid == 5)
    #expect(record.tid == 6)
    #expect(record.cpu == 1)
    #expect(file.attribute(of: record)?.name == "test:thing")
    let sample = try file.sample(record)
    #expect(sample.id == 9)
    #expect(sample.ip == 0x1234)
    #expect(sample.period == 3)
    #expect(sample.callchain == [CallchainContext.kernel, 1, CallchainContext.user, 2])
    #expect(sample.userStack == Array(0..<50))
    let registers = try #require(sample.userRegisters)
    #expect(registers[6] == 11)
    #expect(registers[7] == 12)
    #expect(registers[8] == 13)
    #expect(registers[5] == nil)
    #expect(registers[64] == nil)
    let raw = try #require(sample.raw)
    let format = try #require(file.tracepoint(of: record))
    #expect(format.field("value")?.integer(in: raw) == -2)
    #expect(format.field("common_flags")?.integer(in: raw) == 0x10)
  }

  @Test func `tasks, names, mappings and losses come back`() throws {
    let file = try PerfDataFile(bytes: SmallTrace.bytes)
    func record(_ time: UInt64) throws -> RecordEntry {
      try #require(file.orderedRecords().first { $0.time == time })
    }
    let comm = try #require(file.comm(record(10)))
    #expect(comm == (5, 5, "thing", true))
    let mapping = try #require(file.mmap2(record(20)))
    #expect(
      mapping
        == MmapRecord(
          pid: 5, tid: 6, start: 0x1000, length: 0x2000, fileOffset: 0x300, protection: 5,
          flags: 2, path: "/bin/x", buildID: Array(1...20)))
    #expect(try file.mmap2(record(21))?.buildID == nil)
    #expect(try file.mmap2(record(21))?.path == "//anon")
    let fork = try #require(file.task(record(30)))
    #expect(fork == (5, 5, 9, 6))
    #expect(try record(30).tid == 9)
    #expect(try file.lost(record(55)) == 17)
    #expect(try file.lost(record(10)) == nil)
  }

  @Test func `the writer's file equals the one made in memory`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/t"
    let writer = try PerfDataWriter(
      path: path, attributes: SmallTrace.attributes, features: SmallTrace.features)
    for record in SmallTrace.recordList { try writer.append(record) }
    try writer.finish(features: SmallTrace.features)
    let file = try PerfDataFile(path: path)
    #expect(file.attributes == SmallTrace.attributes)
    #expect(UInt64(file.dataBytes) == writer.dataBytes)
    let memory = try PerfDataFile(bytes: SmallTrace.bytes)
    #expect(file.orderedRecords() == memory.orderedRecords())
    #expect(throws: PerfDataError.self) { try writer.append(RecordBuilder.finishedRound()) }
    #expect(throws: PerfDataError.self) {
      _ = try PerfDataWriter(path: path, attributes: SmallTrace.attributes)
    }
  }

  @Test func `a file without an event is refused`() {
    #expect(throws: PerfDataError.self) {
      _ = try PerfDataWriter(path: "/nowhere/at/all", attributes: SmallTrace.attributes)
    }
    #expect(throws: PerfDataError.self) { _ = try PerfDataWriter(path: "x", attributes: []) }
  }
}
