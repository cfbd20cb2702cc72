import PerfData
import TestSupport
import Testing

struct RecoveryTests {
  /// Where the header says that the data begin and end.
  private func data(_ bytes: [UInt8]) -> Range<Int> {
    bytes.withUnsafeBytes {
      let start = Int($0.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
      return start..<start + Int($0.loadUnaligned(fromByteOffset: 48, as: UInt64.self))
    }
  }

  @Test func `a file cut at any byte loses only its tail`() throws {
    let bytes = SmallTrace.bytes
    let range = data(bytes)
    let whole = try PerfDataFile(bytes: bytes).orderedRecords().sorted { $0.offset < $1.offset }
    for length in 0..<bytes.count {
      let cut = Array(bytes[..<length])
      guard length >= range.lowerBound else {
        #expect(throws: PerfDataError.self) { _ = try PerfDataFile(bytes: cut) }
        continue
      }
      let file = try PerfDataFile(bytes: cut)
      let kept = whole.filter { $0.offset + Int($0.size) <= length }
      #expect(file.orderedRecords().sorted { $0.offset < $1.offset } == kept)
      SmallTrace.exercise(file)
      // The last section's padding may go unnoticed, nothing else.
      if length < bytes.count - 8 {
        #expect(file.isTruncated, "cut to \(length) bytes")
        #expect(!file.problems.isEmpty)
      }
      if length <= range.upperBound {
        let end = kept.last.map { $0.offset + Int($0.size) } ?? range.lowerBound
        #expect(file.tornBytes == length - end)
      }
    }
  }

  @Test func `a recording killed at any byte keeps its whole records and the early names`() throws {
    var bytes = SmallTrace.bytes
    let range = data(bytes)
    let whole = try PerfDataFile(bytes: bytes).orderedRecords().sorted { $0.offset < $1.offset }
    for index in 48..<104 { bytes[index] = 0 }
    let early = try #require(whole.first { $0.type != RecordType.headerFeature }).offset
    for length in range.lowerBound...range.upperBound {
      let file = try PerfDataFile(bytes: Array(bytes[..<length]))
      #expect(file.isTruncated)
      #expect(file.orderedRecords().count == whole.count { $0.offset + Int($0.size) <= length })
      guard length >= early else { continue }
      #expect(file.attributes == SmallTrace.attributes)
      #expect(file.features.hostname == "häuschen")
      #expect(file.features.tracepoints[42]?.name == "thing")
    }
  }

  /// A thread's name has sixteen bytes; in what is behind it are no records either.
  @Test func `a record that is longer than its kind can be is none`() throws {
    var bytes = SmallTrace.bytes
    let whole = try PerfDataFile(bytes: bytes).orderedRecords().sorted { $0.offset < $1.offset }
    let fork = try #require(whole.first { $0.type == RecordType.fork })
    let length = data(bytes).upperBound - fork.offset
    // Up to the end of the data, where there is another time.
    let records = SmallTrace.recordList + [[UInt8]](repeating: SmallTrace.recordList[2], count: 40)
    bytes = PerfDataWriter.file(
      attributes: SmallTrace.attributes, records: records.flatMap { $0 },
      features: SmallTrace.features)
    let size = length + 40 * SmallTrace.recordList[2].count
    try #require(size > 1024)
    bytes[fork.offset + 6] = UInt8(size & 0xff)
    bytes[fork.offset + 7] = UInt8(size >> 8)
    let file = try PerfDataFile(bytes: bytes)
    let kept = file.orderedRecords()
    #expect(!kept.contains { $0.type == RecordType.fork })
    // What follows it is found again.
    #expect(kept.count == whole.count - 1 + 40)
    #expect(!file.problems.isEmpty)
  }

  @Test func `a writer that never finishes leaves a readable trace`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/killed"
    do {
      let writer = try PerfDataWriter(
        path: path, attributes: SmallTrace.attributes, features: SmallTrace.features)
      try writer.append(SmallTrace.recordList.flatMap { $0 })
    }
    let file = try PerfDataFile(path: path)
    #expect(file.isTruncated)
    #expect(file.attributes == SmallTrace.attributes)
    #expect(file.features.tracingData == SmallTrace.features.tracingData)
    #expect(SmallTrace.exercise(file) == 2)
  }

  @Test func `early features may be written again and the newest count`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/killed"
    var features = SmallTrace.features
    do {
      let writer = try PerfDataWriter(
        path: path, attributes: SmallTrace.attributes, features: features)
      features.hostname = "second"
      features.otherSections[200] = [UInt8](repeating: 9, count: 150_000)
      try writer.updateEarlyFeatures(features)
    }
    let file = try PerfDataFile(path: path)
    #expect(file.features.hostname == "second")
    #expect(file.features.otherSections[200]?.count == 150_000)
  }

  @Test func `zeros after the last record are counted`() throws {
    var bytes = SmallTrace.bytes
    let end = data(bytes).upperBound
    for index in 48..<104 { bytes[index] = 0 }
    bytes = Array(bytes[..<end]) + [UInt8](repeating: 0, count: 4096)
    let file = try PerfDataFile(bytes: bytes)
    #expect(file.tornBytes == 4096)
    #expect(SmallTrace.exercise(file) == 2)
  }

  @Test func `an empty finished trace is whole`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/empty"
    try PerfDataWriter(path: path, attributes: SmallTrace.attributes)
      .finish(features: SmallTrace.features)
    let file = try PerfDataFile(path: path)
    #expect(!file.isTruncated)
    #expect(file.features.hostname == "häuschen")
  }

  @Test func `unknown record types are counted and passed over`() throws {
    let unknown: [UInt8] = [200, 0, 0, 0, 0, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    let bytes = PerfDataWriter.file(
      attributes: SmallTrace.attributes,
      records: unknown + SmallTrace.recordList.flatMap { $0 } + unknown,
      features: SmallTrace.features)
    let file = try PerfDataFile(bytes: bytes)
    #expect(file.unknownRecords == 2)
    #expect(!file.isTruncated)
    #expect(SmallTrace.exercise(file) == 2)
  }
}
