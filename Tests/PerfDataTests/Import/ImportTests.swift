import Foundation
import TestSupport
import Testing

@testable import PerfData

/// Forms of traces made here byte by byte.
struct ImportTests {
  /// The small trace as `perf record -o -` would have written it on a machine of either endianness.
  ///
  /// `records` stand in the place of its own.
  static func pipe(
    _ file: PerfDataFile, isBigEndian: Bool, records: [UInt8]? = nil
  ) -> [UInt8] {
    func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
      withUnsafeBytes(of: isBigEndian ? value.bigEndian : value.littleEndian) { Array($0) }
    }
    func record(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      number(type) + number(UInt16(0)) + number(UInt16(8 + body.count)) + body
    }
    var output = number(FileHeader.magic) + number(UInt64(16))
    for attribute in file.attributes {
      // The kernel's structure: widths of its fields, and the bit field, which counts from the other end.
      var bytes = attribute.encoded(size: 128)
      if isBigEndian {
        var offset = 0
        for width in [4, 4, 8, 8, 8, 8, 8, 4, 4, 8, 8, 8, 8, 4, 4, 8, 4, 2, 2, 4, 4, 8] {
          bytes[offset..<offset + width].reverse()
          offset += width
        }
        for index in 40..<48 { bytes[index] = 0 }
        for bit in 0..<64 where attribute.flags & 1 << UInt64(bit) != 0 {
          bytes[40 + bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
      }
      output += record(RecordType.attribute, bytes + attribute.ids.flatMap { number($0) })
      for id in attribute.ids {
        let name = Array(attribute.name.utf8)
        let padding = [UInt8](repeating: 0, count: 8 - name.count % 8)
        output += record(
          RecordType.eventUpdate, number(UInt64(2)) + number(id) + name + padding)
      }
    }
    if let tracing = file.features.tracingData {
      // Its text says its own endianness, which stays little here.
      // perf gives the size with the padding to a multiple of 8.
      let unpadded = tracing.encoded
      let bytes = unpadded + [UInt8](repeating: 0, count: (8 - unpadded.count % 8) % 8)
      output += record(RecordType.tracingData, number(UInt32(bytes.count))) + bytes
    }
    if let records { return output + records }
    let swapper = RecordSwapper(
      attributes: file.attributes, tracepoints: file.features.tracepoints)
    for entry in file.recordsInFileOrder
    where entry.type < RecordType.firstUser || entry.type == RecordType.finishedRound {
      let bytes = file.bytes(of: entry)
      output += isBigEndian ? bytes.withView { swapper.swapped($0, toHost: false) } : bytes
    }
    return output
  }

  /// What the records hold, without where they stand.
  private func contents(_ file: PerfDataFile) -> [[UInt8]] {
    file.orderedRecords().filter { $0.type < RecordType.firstUser }.map { file.bytes(of: $0) }
  }

  @Test(arguments: [false, true]) func `a trace from a pipe is the trace`(isBigEndian: Bool) throws
  {
    let original = try PerfDataFile(bytes: SmallTrace.bytes)
    let piped = try PerfDataFile(bytes: Self.pipe(original, isBigEndian: isBigEndian))
    #expect(piped.attributes == original.attributes)
    #expect(piped.features.tracepoints == original.features.tracepoints)
    #expect(!piped.isTruncated && piped.problems.isEmpty, "\(piped.problems)")
    #expect(contents(piped) == contents(original))
    #expect(SmallTrace.exercise(piped) == SmallTrace.exercise(original))
  }

  /// Where each record of a pipe's file ends, and its type.
  private func ends(_ bytes: [UInt8], isBigEndian: Bool) -> [(end: Int, type: UInt32)] {
    bytes.withView { bytes in
      var ends: [(end: Int, type: UInt32)] = []
      var offset = 16
      while bytes.count - offset >= 8 {
        let header = RecordHeader(bytes, at: offset, isBigEndian: isBigEndian)
        guard
          let trailing = header.trailing(
            bytes, at: offset, until: bytes.count, isBigEndian: isBigEndian)
        else { break }
        offset += header.size + trailing
        ends.append((offset, header.type))
      }
      return ends
    }
  }

  private func inFileOrder(_ file: PerfDataFile) -> [[UInt8]] {
    file.recordsInFileOrder.filter { $0.type < RecordType.firstUser }.map { file.bytes(of: $0) }
  }

  // A torn record's body was searched for records where the trace had to be written anew.
  @Test(arguments: [false, true])
  func `a trace from a pipe cut at any byte has its whole records and no others`(isBigEndian: Bool)
    throws
  {
    let bytes = try Self.pipe(PerfDataFile(bytes: SmallTrace.bytes), isBigEndian: isBigEndian)
    let whole = try inFileOrder(PerfDataFile(bytes: bytes))
    let ends = ends(bytes, isBigEndian: isBigEndian)
    let kernelEnds = ends.filter { $0.type < RecordType.firstUser }.map(\.end)
    try #require(ends.last?.end == bytes.count && kernelEnds.count == whole.count)
    let boundaries = Set(ends.map(\.end))
    var wasRead = false
    for length in 0..<bytes.count {
      guard let file = try? PerfDataFile(bytes: Array(bytes[..<length])) else {
        #expect(!wasRead, "\(length) bytes were refused, fewer were read")
        continue
      }
      wasRead = true
      let kept = kernelEnds.count { $0 <= length }
      #expect(inFileOrder(file) == Array(whole.prefix(kept)), "\(length) bytes")
      // A cut between two records cannot be told from the end.
      #expect(file.isTruncated != boundaries.contains(length), "\(length) bytes")
      #expect(file.isTruncated == !file.problems.isEmpty, "\(length) bytes")
    }
    #expect(wasRead)
  }

  @Test func `a compressed trace cut anywhere has its first records and no others`() throws {
    let path = "\(RecordedTracesTests.folder)/perf-zstd.perf.data"
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let whole = try inFileOrder(PerfDataFile(bytes: bytes))
    var most = 0
    // A prime, so that every remainder of 8 occurs.
    for length in stride(from: 104, to: bytes.count, by: 37) {
      guard let file = try? PerfDataFile(bytes: Array(bytes[..<length])) else {
        #expect(most == 0, "\(length) bytes were refused, fewer were read")
        continue
      }
      let kept = inFileOrder(file)
      #expect(kept == Array(whole.prefix(kept.count)) && kept.count >= most, "\(length) bytes")
      #expect(file.isTruncated && !file.problems.isEmpty, "\(length) bytes")
      most = max(most, kept.count)
    }
    #expect(most == whole.count)
  }

  // perf before 3.4 wrote another magic, and before that a header without features.
  @Test(arguments: [104, 72]) func `files of perf's first version are read`(headerSize: UInt8)
    throws
  {
    var bytes = SmallTrace.bytes
    bytes.replaceSubrange(0..<8, with: Array("PERFFILE".utf8))
    bytes[8] = headerSize
    let file = try PerfDataFile(bytes: bytes)
    let whole = try PerfDataFile(bytes: SmallTrace.bytes)
    #expect(contents(file) == contents(whole))
    #expect(file.features.hostname == (headerSize == 104 ? "häuschen" : nil))
  }

  static let foreignTexts: [(text: String, says: String)] = [
    (
      "sample:\n  event_type: cpu-cycles\n  time: 1\n  event_count: 1\n  thread_id: 1\n",
      "simpleperf report-sample"
    ),
    ("java 12688 cycles: \n\t    7f12 foo (/lib/x.so)\n\n", "perf script -F +time"),
    ("java 12688 cycles:\n7f12 foo (/lib/x.so)\n7f34 bar (/lib/x.so)\n\n", "perf script -F +time"),
    (
      "java 1/12688 [002] 250000 cycles:u: \n\t    7f12 foo (/lib/x.so)\n\n", "perf script -F +time"
    ),
    ("main;work;spin 12\nmain;work 3\n", "folded stacks"),
    ("SIMPLEPERF\u{1}\0\0", "protocol buffer"),
    ("hello world, this is no trace\n", "PERFILE2"),
  ]

  @Test(arguments: foreignTexts.indices)
  func `what is no trace is called what it is`(index: Int) {
    let (text, says) = Self.foreignTexts[index]
    let error = #expect(throws: PerfDataError.self) { try PerfDataFile(bytes: Array(text.utf8)) }
    #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
  }

  // A public file, fibo.compressed2.pipe.data of linux-perf-data, gave one of its 1419 records: features before them
  // had sizes that are no multiple of 8, as perf's are in a pipe.
  @Test(arguments: [0, 20, 28, 23])
  func `a compressed pipe is read wherever its records lie`(featureSize: Int) throws {
    let path = "\(RecordedTracesTests.folder)/perf-zstd.perf.data"
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let whole = try PerfDataFile(bytes: bytes)
    func word<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    // PERF_RECORD_HEADER_FEATURE of a feature that nobody knows.
    var records: [UInt8] = []
    if featureSize > 0 {
      records += word(UInt32(80)) + word(UInt16(0)) + word(UInt16(featureSize)) + word(UInt64(31))
      records += [UInt8](repeating: 1, count: featureSize - 16)
    }
    let header = try bytes.withView { bytes throws(PerfDataError) in try FileHeader(bytes) }
    var offset = Int(header.data.offset)
    var packed = 0
    while offset < Int(header.data.offset + header.data.size) {
      let header = bytes.withView { RecordHeader($0, at: offset, isBigEndian: false) }
      let record = bytes[offset..<offset + header.size]
      offset += header.size
      guard header.type == RecordType.compressed else {
        records += record
        continue
      }
      // As perf 6.16 writes it: the payload's own size, and padding that the record's size has in it.
      let payload = record.dropFirst(8)
      let padding = (8 - payload.count % 8) % 8
      records +=
        word(RecordType.compressed2) + word(UInt16(0))
        + word(UInt16(16 + payload.count + padding)) + word(UInt64(payload.count)) + payload
        + [UInt8](repeating: 0, count: padding)
      packed += 1
    }
    try #require(packed > 1)
    let piped = try PerfDataFile(bytes: Self.pipe(whole, isBigEndian: false, records: records))
    #expect(piped.problems.isEmpty && !piped.isTruncated, "\(piped.problems)")
    #expect(contents(piped) == contents(whole))
    #expect(contents(piped).count > 100)
  }

  @Test func `files of different recordings are no series`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    var builder = TraceBuilder()
    builder.comm(time: 1_000_000_000, pid: 5, tid: 5, name: "five")
    let paths = ["a", "b", "c"].map { "\(directory.path)/\($0)" }
    try Data(builder.build()).write(to: URL(fileURLWithPath: paths[0]))
    builder.comm(time: 2_000_000_000, pid: 6, tid: 6, name: "six")
    try Data(builder.build()).write(to: URL(fileURLWithPath: paths[1]))
    try Data(SmallTrace.bytes).write(to: URL(fileURLWithPath: paths[2]))
    let series = try PerfDataFile(series: Array(paths[..<2]))
    #expect(
      series.orderedRecords().compactMap { series.comm($0)?.name } == ["five", "five", "six"])
    #expect(throws: PerfDataError.self) { _ = try PerfDataFile(series: paths) }
  }

  @Test(.enabled(if: Perf.isThere, "perf is not installed"))
  func `perf reads the big-endian trace as it reads the little-endian one`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    var builder = TraceBuilder()
    builder.comm(time: 1_000_000_000, pid: 5, tid: 5, name: "five", isExec: true)
    builder.mmap(time: 1_000_001_000, pid: 5, start: 0x1000, length: 0x1000, path: "/bin/none")
    builder.fork(time: 1_100_000_000, pid: 5, tid: 6, parentPid: 5)
    for tick in UInt64(0)..<20 {
      builder.sample(
        "cpu-clock", time: 1_200_000_000 + tick * 1000, tid: 6, period: tick + 1,
        callchain: [CallchainContext.user, 0x1010 + tick, 0x1020])
    }
    builder.exit(time: 1_800_000_000, pid: 5, tid: 6)
    let file = try builder.file()
    let texts = try [false, true].map { isBigEndian in
      let path = "\(directory.path)/\(isBigEndian)"
      try Data(Self.pipe(file, isBigEndian: isBigEndian)).write(to: URL(fileURLWithPath: path))
      let result = try #require(
        Perf.run([
          // Not pid and tid: perf 6.1 exchanges them in samples of the other endianness from a pipe.
          "perf", "script", "-F", "comm,time,event", "--show-task-events", "-i", path,
        ]))
      #expect(result.status == 0, "\(result.text)")
      return result.text
    }
    #expect(texts[0].contains("five") && texts[0].contains("cpu-clock"))
    #expect(texts[0] == texts[1])
  }

  @Test func `a compressed record of size 0 or of garbage ends nothing but itself`() throws {
    let garbage: [[UInt8]] = [
      [81, 0, 0, 0, 0, 0, 0, 0],
      [81, 0, 0, 0, 0, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8],
      [83, 0, 0, 0, 0, 0, 16, 0, 255, 255, 255, 255, 255, 255, 255, 255],
      [83, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    for bad in garbage {
      var bytes = PerfDataWriter.file(
        attributes: SmallTrace.attributes, records: bad + SmallTrace.recordList.flatMap { $0 },
        features: SmallTrace.features)
      // Feature bit 27: HEADER_COMPRESSED, as of a killed recording, which has no sections.
      for index in 48..<56 { bytes[index] = 0 }
      for index in 72..<104 { bytes[index] = 0 }
      let file = try PerfDataFile(bytes: bytes)
      #expect(file.isTruncated)
      #expect(file.recordCounts[RecordType.sample] == 2, "\(bad)")
    }
  }

  @Test func `zeros in the middle cost the records they hit and no other`() throws {
    let records = (0..<200).map { index in
      RecordBuilder.sample(
        attribute: SmallTrace.footprint, id: 10, time: UInt64(1000 + index), pid: 1, tid: 1, cpu: 0,
        raw: [UInt8](repeating: UInt8(index), count: 160))
    }
    let bytes = PerfDataWriter.file(
      attributes: SmallTrace.attributes, records: records.flatMap { $0 },
      features: SmallTrace.features)
    let size = records[0].count
    let first = try #require(
      try PerfDataFile(bytes: bytes).orderedRecords().first { $0.time == 1000 })
    for start in stride(from: 0, to: 3 * size, by: 8) {
      var torn = bytes
      let from = first.offset + 50 * size + start
      let count = 4096
      for index in from..<from + count { torn[index] = 0 }
      let file = try PerfDataFile(bytes: torn)
      let times = Set(file.orderedRecords().filter { $0.attribute == 2 }.map(\.time))
      // Every record that the hole does not touch.
      for index in 0..<200 {
        let range = first.offset + index * size..<first.offset + (index + 1) * size
        if range.upperBound <= from || range.lowerBound >= from + count {
          #expect(times.contains(UInt64(1000 + index)), "hole at \(start), record \(index)")
        }
      }
      #expect(file.isTruncated && !file.problems.isEmpty)
    }
  }
}
