import Glibc
import PerfData
import TestSupport
import Testing

@testable import TraceModel

/// Recordings that were kept in several files.
struct RecordingPartsTests {
  private static let second: UInt64 = 1_000_000_000

  /// A part of one second: process 10 writes 100 bytes five times, a counter counts to ten times its number.
  private static func part(_ number: Int, isOver: Bool = true) throws -> TraceBuilder {
    let start = UInt64(number) * second
    var standing = TraceBuilder()
    if number > 1 {
      try standing.capture(time: start, rootPid: 10, mode: .attach, complete: false)
    }
    try standing.process(time: start, pid: 10, kind: number > 1 ? .attach : .start)
    try standing.descriptor(time: start, pid: 10, fd: 3, path: "/srv/log")
    standing.footprint(time: start, pid: 10, anonymous: 1 << 20)
    if number > 1 {
      var base = CounterEvent(name: "joules", value: Double(number - 1) * 10)
      base.isBase = true
      try standing.synthetic(base, time: start)
    }
    var part = TraceBuilder()
    try part.synthetic(
      PartEvent(
        number: number, standingRecords: number > 1 ? RecordBuilder.count(standing.records) : 0),
      time: start, pid: 10)
    part.append(standing.records)
    part.thread(10, of: 10)
    for index in 0..<5 {
      part.exitSyscall(
        time: start + UInt64(index + 1) * 100_000_000, tid: 10, number: 1, result: 100,
        arguments: [3, 0, 100])
    }
    part.footprint(time: start + 900_000_000, pid: 10, anonymous: 2 << 20)
    try part.counter(time: start + 900_000_000, name: "joules", value: Double(number) * 10)
    guard isOver else { return part }
    var capture = CaptureEvent(
      mode: number > 1 ? .attach : .wrap, scope: .system, rootPid: 10, overheadCPUSeconds: 0.5,
      complete: true,
      sampled: [
        .init(
          source: "x", fromNs: start, toNs: start + 10, period: 251, count: 3, samples: 1)
      ], exactCounts: [.init(source: "y", count: 7)])
    capture.part = number
    try part.synthetic(capture, time: start + 950_000_000, pid: 10)
    return part
  }

  private static func withParts(
    _ numbers: [Int], run: String = "app", killed: Int? = nil, _ body: (String) throws -> Void
  ) throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    for number in numbers {
      let part = try part(number)
      let path = folder.path + "/" + PartFolder.name(run: run, number: number)
      try (number == killed ? part.buildKilled() : part.build()).write(to: path)
    }
    try body(folder.path)
  }

  @Test func `what parts tell adds up, and what stood at a boundary is not told twice`() throws {
    try Self.withParts([1, 2, 3]) { folder in
      let trace = try Trace.load(path: folder)
      #expect(trace.subject.bytesWritten == 1500)
      #expect(trace.footprints.count == 4)
      #expect(trace.counters.first?.value == 30)
      let capture = try #require(trace.capture)
      #expect(capture.mode == .wrap && capture.complete)
      #expect(capture.exactCounts == [.init(source: "y", count: 21)])
      #expect(capture.sampled.count == 3)
      #expect(capture.overheadCPUSeconds == 1.5)
      #expect(!trace.metadata.truncated)
    }
  }

  @Test func `the last seconds that are written are all that a report is of`() throws {
    try Self.withParts([1, 2, 3]) { folder in
      let paths = try (PartFolder.parts(in: folder) ?? []).map(\.path)
      let copy = folder + "/copy"
      let seconds = try TraceCopy.make(ofLast: 1.2, in: paths, at: copy, because: "test")
      #expect(seconds == 1.2)
      let trace = try Trace.load(path: copy)
      // Its end is at 3.95 s, and the second part's last write at 2.5 s.
      #expect(abs(trace.metadata.durationSeconds - 1.2) < 1e-9)
      #expect(trace.fileOperations.count == 5)
      #expect(trace.subject.bytesWritten == 500)
      #expect(trace.subject.executable == "/usr/bin/program")
      #expect(trace.fileOperations.allSatisfy { $0.path == "/srv/log" })
      #expect(trace.trigger?.kind == .asked && !trace.metadata.truncated)
      // What was before is in no file that is needed.
      #expect(trace.capture?.exactCounts == [.init(source: "y", count: 14)])
      let whole = try Trace.load(
        path: copy, options: TraceOptions(window: TraceWindow(from: 0)))
      #expect(whole.subject.bytesWritten == 1000)
    }
  }

  @Test func `more seconds than there are is all of them`() throws {
    try Self.withParts([1, 2]) { folder in
      let paths = try (PartFolder.parts(in: folder) ?? []).map(\.path)
      let copy = folder + "/copy"
      let seconds = try TraceCopy.make(ofLast: 60, in: paths, at: copy, because: "test")
      #expect(abs(seconds - 1.95) < 1e-9)
      #expect(try Trace.load(path: copy).subject.bytesWritten == 1000)
    }
  }

  @Test func `of a part that goes on what was told meanwhile is added to the parts before`() throws
  {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    for number in 1...3 {
      var part = try Self.part(number, isOver: number < 3)
      var capture = CaptureEvent(
        mode: .attach, scope: .system, rootPid: 10, complete: false,
        sampled: [.init(source: "x", fromNs: 1, toNs: 2, period: 251, count: 1, samples: 1)])
      capture.part = number
      try part.synthetic(
        capture, time: UInt64(number) * Self.second + 500_000_000, pid: 10)
      let path = folder.path + "/" + PartFolder.name(run: "app", number: number)
      try (number == 3 ? part.buildKilled() : part.build()).write(to: path)
    }
    let capture = try #require(
      try Trace.load(path: folder.path, options: TraceOptions(isOngoing: true)).capture)
    // One at the end of each finished part, and the last one's so far.
    #expect(capture.sampled.count == 3 && capture.part == 3)
    #expect(capture.mode == .wrap && !capture.complete)
    #expect(capture.exactCounts == [.init(source: "y", count: 14)])
  }

  @Test func `the last parts are read without the first`() throws {
    try Self.withParts([2, 3]) { folder in
      let trace = try Trace.load(path: folder)
      #expect(trace.subject.bytesWritten == 1000)
      #expect(trace.subject.executable == "/usr/bin/program")
      #expect(trace.fileOperations.allSatisfy { $0.path == "/srv/log" })
      #expect(trace.footprints.count == 3)
      #expect(trace.counters.first?.value == 20)
      #expect(trace.capture?.mode == .attach)
      #expect(trace.capture?.exactCounts == [.init(source: "y", count: 14)])
    }
  }

  @Test func `where a part is missing, what stood after it is told by the next`() throws {
    try Self.withParts([1, 3]) { folder in
      let trace = try Trace.load(path: folder)
      #expect(trace.subject.bytesWritten == 1000)
      #expect(trace.footprints.count == 4)
    }
  }

  @Test func `a part that was not finished is passed over as far as it is there`() throws {
    try Self.withParts([1, 2], killed: 2) { folder in
      let trace = try Trace.load(path: folder)
      #expect(trace.subject.bytesWritten == 1000)
      #expect(trace.footprints.count == 3)
      #expect(trace.metadata.truncated)
    }
  }

  @Test func `the parts of two recordings are told apart`() throws {
    try Self.withParts([1, 2]) { folder in
      try Self.part(1).build().write(to: folder + "/" + PartFolder.name(run: "b", number: 1))
      let error = #expect(throws: TraceError.self) { try Trace.load(path: folder) }
      #expect(error?.description.contains("parts of 2 recordings") == true)
    }
  }

  @Test func `parts are in the order of their numbers, and other files are none`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    for name in [
      "a.1000000.perf.data", "a.000002.perf.data", "a.000001.perf.data", "a.perf.data",
      "a.00001.perf.data", "000001.perf.data", "a.000003.perf.data.77.new",
    ] {
      try [UInt8]().write(to: folder.path + "/" + name)
    }
    #expect(try PartFolder.parts(in: folder.path)?.map(\.number) == [1, 2, 1_000_000])
    #expect(try PartFolder.parts(in: folder.path + "/a.perf.data") == nil)
  }

  @Test func `old parts go, of other recordings first, and one that stays is an error`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let others = [1, 2].map { PartFolder.name(run: "z", number: $0) }
    let own = [3, 4, 5].map { PartFolder.name(run: "a", number: $0) }
    for name in others + own { try [UInt8]().write(to: "\(folder.path)/\(name)") }
    func keep(_ count: Int) throws {
      try PartFolder.removeOldest(in: folder.path, run: "a", keeping: count)
    }
    func there() throws -> [String] {
      try #require(try PartFolder.parts(in: folder.path)).map { $0.run + String($0.number) }
    }
    try keep(3)
    #expect(try there() == ["a3", "a4", "a5"])
    // What cannot be removed keeps none of the others.
    let stuck = "\(folder.path)/\(own[0])"
    unlink(stuck)
    mkdir(stuck, 0o700)
    defer { rmdir(stuck) }
    let error = #expect(throws: PerfDataError.self) { try keep(1) }
    #expect(error?.description.hasPrefix("removal of \(stuck) failed: ") == true)
    #expect(try there() == ["a3", "a5"])
    // Of a folder that is gone nothing stays.
    try PartFolder.removeOldest(in: folder.path + "/gone", run: "a", keeping: 1)
  }
}

extension [UInt8] {
  fileprivate func write(to path: String) throws {
    let file = try #require(fopen(path, "wx"))
    defer { fclose(file) }
    #expect(withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) } == count)
  }
}
