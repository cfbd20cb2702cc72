import Foundation
import PerfData
import Quantities
import TestSupport
import Testing

/// Files of trace-cmd: made byte by byte, and a real one compared with what trace-cmd says of it.
struct FtraceTests {
  private struct Line: Hashable {
    var tid: Int32
    var cpu: Int32
    var time: UInt64
    var event: String
  }

  private func lines(_ file: PerfDataFile) -> [Line] {
    file.orderedRecords().compactMap { record in
      guard record.type == RecordType.sample else { return nil }
      let name = file.tracepoint(of: record)?.name ?? "?"
      return Line(tid: record.tid, cpu: record.cpu, time: record.time, event: name)
    }
  }

  @Test(arguments: [false, true])
  func `events of every kind have their times and fields`(isBigEndian: Bool) throws {
    var made = FtraceFile(isBigEndian: isBigEndian)
    var first = made.event(0, tid: 5, woken: 10)
    first += made.event(100, tid: 5, woken: 11)
    // TIME_EXTEND: 3 << 27 nanoseconds and 7.
    first += made.head(30, 7) + made.number(UInt32(3))
    first += made.longEvent(1, tid: 5, woken: 12)
    // A discarded event: 8 bytes with the word of its length.
    first += made.head(29, 50) + made.number(UInt32(8)) + made.number(UInt32(0))
    first += made.event(2, tid: 5, woken: 13)
    // TIME_STAMP: an absolute time, of which the page's has the highest bits.
    let absolute: UInt64 = 50_000_000_123
    first += made.head(31, UInt32(absolute & 0x7ff_ffff)) + made.number(UInt32(absolute >> 27))
    first += made.event(5, tid: 5, woken: 14)
    made.add(cpu: 0, time: 1_000_000_000, first)
    made.add(cpu: 0, time: 60_000_000_000, made.event(9, tid: 5, woken: 15), missed: 4)
    made.add(cpu: 1, time: 1_000_000_050, made.event(0, tid: 6, woken: 20))
    let file = try PerfDataFile(bytes: made.bytes)
    #expect(file.problems.isEmpty, "\(file.problems)")
    let extended = UInt64(1_000_000_100 + 7) + 3 << 27
    let expected: [(UInt64, Int32, Int64)] = [
      (1_000_000_000, 5, 10), (1_000_000_050, 6, 20), (1_000_000_100, 5, 11),
      (extended + 1, 5, 12), (extended + 53, 5, 13), (absolute + 5, 5, 14),
      (60_000_000_009, 5, 15),
    ]
    let samples = file.orderedRecords().filter { $0.type == RecordType.sample }
    try #require(samples.count == expected.count)
    for (sample, wanted) in zip(samples, expected) {
      let payload = try #require(file.payload(of: sample))
      let format = try #require(file.tracepoint(of: sample))
      #expect(sample.time == wanted.0 && sample.tid == wanted.1)
      #expect(format.field("pid")?.integer(in: payload) == wanted.2)
      #expect(format.field("comm")?.string(in: payload) == "name")
    }
    let others = file.orderedRecords()
    #expect(others.compactMap { file.lost($0) } == [4])
    #expect(others.compactMap { file.comm($0)?.name } == ["five", "six"])
    #expect(file.features.clockID == 1)
  }

  @Test func `a file of trace-cmd cut at any byte is refused or read as far as it goes`() throws {
    var made = FtraceFile(isBigEndian: false)
    for page in UInt64(0)..<3 {
      made.add(
        cpu: Int(page % 2), time: 1000 + page * 1000,
        (0..<20).flatMap { made.event(UInt32($0), tid: 5, woken: 10) })
    }
    let bytes = made.bytes
    let whole = try lines(PerfDataFile(bytes: bytes))
    #expect(whole.count == 60)
    let start = bytes.count - 3 * FtraceFile.pageSize
    for length in Array(0..<start) + Array(stride(from: start, to: bytes.count, by: 7)) {
      guard let file = try? PerfDataFile(bytes: Array(bytes[..<length])) else {
        #expect(length <= start, "\(length) of \(bytes.count) bytes were refused")
        continue
      }
      #expect(file.isTruncated, "cut to \(length) bytes")
      #expect(Set(lines(file)).isSubset(of: Set(whole)))
    }
  }

  @Test(arguments: [UInt64(1), UInt64.random(in: 0 ... .max)])
  func `no broken file of trace-cmd makes the reader crash`(seed: UInt64) throws {
    print("trace-cmd fuzz seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let recorded = try Data(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Traces/sh.trace.dat"))
    var made = FtraceFile(isBigEndian: false)
    made.add(
      cpu: 0, time: 1000, (0..<50).flatMap { made.event(UInt32($0), tid: 5, woken: 10) })
    for (original, rounds) in [(made.bytes, 1500), (Array(recorded), 60)] {
      var opened = 0
      for _ in 0..<rounds {
        var bytes = original
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let place = Int.random(in: 12..<bytes.count, using: &random)
          bytes[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
        }
        guard let file = try? PerfDataFile(bytes: bytes) else { continue }
        opened += 1
        SmallTrace.exercise(file)
      }
      #expect(opened * 4 > rounds || original.count == recorded.count, "seed \(seed)")
    }
  }

  private static let hasTraceCmd =
    Perf.run(["trace-cmd", "--version"]).map { $0.text.contains("trace-cmd") } ?? false

  @Test(
    .enabled(if: hasTraceCmd, "trace-cmd is not installed"),
    arguments: [[], ["--compression", "none"], ["--file-version", "6"]])
  func `a real file in every version is read as trace-cmd reads it`(convert: [String]) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    var path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Traces/sh.trace.dat").standardizedFileURL.path
    if !convert.isEmpty {
      let converted = directory.path + "/trace.dat"
      _ = Perf.run(["trace-cmd", "convert", "-i", path, "-o", converted] + convert)
      path = converted
    }
    let report = try #require(Perf.run(["sh", "-c", "trace-cmd report -t \(path) 2>/dev/null"]))
    // "   sh-11947 [001] 14169.206913657: sys_enter:   NR 9 (…)"
    let theirs = report.text.split(separator: "\n").compactMap { line -> Line? in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(where: { $0.hasPrefix("[") && $0.hasSuffix("]") }),
        place > 0, words.count > place + 2, let cpu = Int32(words[place].dropFirst().dropLast()),
        let tid = words[place - 1].split(separator: "-").last.flatMap({ Int32($0) })
      else { return nil }
      let time = words[place + 1].dropLast().split(separator: ".").compactMap { UInt64($0) }
      guard time.count == 2 else { return nil }
      return Line(
        tid: tid, cpu: cpu, time: time[0] * 1_000_000_000 + time[1],
        event: String(words[place + 2].dropLast()))
    }
    try #require(theirs.count > 2000, "\(report.text.prefix(300))")
    let file = try PerfDataFile(path: path)
    #expect(file.problems.isEmpty, "\(file.problems)")
    let ours = lines(file)
    #expect(ours.map(\.time) == theirs.map(\.time) && Set(ours) == Set(theirs))
    #expect(ours.count == theirs.count)
  }
}
