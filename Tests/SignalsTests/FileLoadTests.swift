import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000
private let path = "/data/big.bin"

/// Measures the disk of a program, pid 100, that reads 200 MB from 2.0 to 2.2 s in reads of 4 KiB, of which no call was
/// recorded; its footprint grows by so many bytes meanwhile. Between the halves it may pause for tenths of a second.
private func measure(
  growing held: UInt64, open: [(path: String, size: UInt64?, kind: DescriptorEvent.Kind)],
  received: Int = 0, pause: UInt64 = 0, late: Int = 0, recordsSmall: Bool = false,
  waitsForChild: Bool = false
) throws -> DiskSignal {
  try #require(
    try signals(
      growing: held, open: open, received: received, pause: pause, late: late,
      recordsSmall: recordsSmall, waitsForChild: waitsForChild
    ).disk)
}

private func signals(
  growing held: UInt64, open: [(path: String, size: UInt64?, kind: DescriptorEvent.Kind)],
  received: Int = 0, pause: UInt64 = 0, late: Int = 0, recordsSmall: Bool = false,
  waitsForChild: Bool = false
) throws -> SignalSet {
  var builder = TraceBuilder()
  var capture = CaptureEvent(
    mode: .wrap, scope: .system, rootPid: 100, intervalNs: second / 10, complete: true,
    recordsLargeReads: true)
  if recordsSmall { capture.recordsSmallReads = true }
  try builder.synthetic(capture, time: second, pid: 100)
  try builder.process(time: second, pid: 100)
  builder.comm(time: second, pid: 100, tid: 100, name: "program")
  builder.switchIn(time: second, 100)
  for (index, file) in open.enumerated() {
    let time = second * 19 / 10 + UInt64(index) * 1000
    builder.exitSyscall(time: time, tid: 100, number: 257, result: 5 + index)
    try builder.descriptor(
      time: time + 1, pid: 100, fd: 5 + index, path: file.path, kind: file.kind, size: file.size)
  }
  if waitsForChild {
    builder.fork(time: second * 3 / 2, pid: 200, tid: 200, parentPid: 100)
    builder.exit(time: second * 2, pid: 200, tid: 200, parentPid: 100)
  }
  if received > 0 {
    for hundredths in [205, 215] as [UInt64] {
      builder.receive(
        time: second * hundredths / 100, tid: 100, socket: 7, bytes: received / 2)
    }
  }
  for step in UInt64(0)...30 {
    var sample = FootprintSample()
    let share: UInt64 = step >= 12 + pause ? 2 : step >= 11 ? 1 : 0
    sample.anonymous = 10_000_000 + held * share / 2
    sample.resident = sample.anonymous
    sample.peakResident = sample.anonymous
    sample.readChars = 100_000_000 * share
    // 200 MB in reads of 4096 bytes are 48,828 whole ones and a rest.
    sample.readCalls = 10 + [0, 24_414, 48_829][Int(share)]
    builder.footprint(time: second + step * second / 10, pid: 100, sample)
  }
  // After the last look at /proc.
  if late > 0 {
    builder.exitSyscall(time: second * 9 / 2, tid: 100, number: 0, result: late, arguments: [5])
  }
  builder.exit(time: 5 * second, pid: 100, tid: 100)
  let trace = try builder.withFile { try Trace.load(path: $0) }
  return try Measurement.measure(trace)
}

struct FileLoadTests {
  @Test func `a file is read in one go however small the calls, and what is kept of it shows`()
    throws
  {
    let disk = try measure(growing: 200_000_000, open: [(path, 200_000_000, .regular)])
    let load = try #require(disk.loads.first)
    #expect(disk.loads.count == 1 && load.path == path)
    #expect(load.bytes == 200_000_000 && load.reads == 48_829 && load.heldBytes == 200_000_000)
    #expect(abs(load.start - 1) < 1e-9 && abs(load.durationSeconds - 0.2) < 1e-9)
    #expect(disk.bytesRead == 200_000_000 && disk.reads == 48_839)
    #expect(disk.files.first { $0.path == path }?.bytesRead == 200_000_000)
  }

  @Test(arguments: [(3, [200_000_000]), (8, [100_000_000, 100_000_000])] as [(UInt64, [UInt64])])
  func `pauses of less than half a second are one go`(pause: UInt64, bytes: [UInt64]) throws {
    let disk = try measure(growing: 0, open: [(path, 200_000_000, .regular)], pause: pause)
    #expect(disk.loads.map(\.bytes) == bytes, "\(disk.loads)")
  }

  /// The thread ran all the time, and there was no other.
  @Test func `the only thread that ran read the file, and that is access on the main thread`()
    throws
  {
    let access = try #require(
      try signals(growing: 0, open: [(path, 200_000_000, .regular)]).mainThread?.fileAccess)
    #expect(access.files.map(\.path) == [path] && access.bytes == 200_000_000)
    // The calls and the open.
    #expect(access.calls == 48_829 || access.calls == 48_830)
  }

  @Test func `a file that goes through a buffer is not kept`() throws {
    let disk = try measure(growing: 400_000, open: [(path, 200_000_000, .regular)])
    #expect(disk.loads.map(\.heldBytes) == [400_000])
  }

  @Test func `the file is the one whose size was read`() throws {
    let disk = try measure(
      growing: 0,
      open: [
        ("/data/other", 50_000_000, .regular), (path, 200_000_000, .regular), ("pipe", nil, .pipe),
      ])
    #expect(disk.loads.map(\.path) == [path])
  }

  @Test func `where a pipe may have been read no file is named`() throws {
    let disk = try measure(
      growing: 0, open: [(path, 900_000_000, .regular), ("pipe:[7]", nil, .pipe)])
    #expect(disk.loads.map(\.path) == [nil] && disk.loads.map(\.bytes) == [200_000_000])
  }

  @Test func `a program ends after the last look, and what it read by then is counted`() throws {
    let disk = try measure(
      growing: 0, open: [(path, 200_000_000, .regular)], late: 1_000_000)
    #expect(disk.bytesRead == 201_000_000 && disk.reads == 48_840)
    #expect(disk.files.first { $0.path == path }?.bytesRead == 201_000_000)
  }

  @Test func `what many small files brought is told for all of them`() throws {
    let small = (0..<30).map {
      ("/data/note\($0)", UInt64(7_000_000), DescriptorEvent.Kind.regular)
    }
    let disk = try measure(growing: 0, open: small + [("pipe:[7]", nil, .pipe)])
    #expect(disk.otherReads == OtherReads(files: 30, reads: 48_839, bytes: 200_000_000))
    // Of what is known by file nothing is left but what any program reads.
    let known = try measure(growing: 0, open: [(path, 200_000_000, .regular)])
    #expect(known.files.map(\.path) == [path] && known.otherReads == nil)
  }

  @Test func `where small reads of files are recorded, what is none of them was of no file`() throws
  {
    let disk = try measure(
      growing: 0, open: [(path, 200_000_000, .regular)], late: 5_000, recordsSmall: true)
    #expect(disk.loads.isEmpty)
    #expect(disk.files.map(\.bytesRead) == [5_000] && disk.files.map(\.reads) == [1])
    #expect(disk.otherReads == OtherReads(files: 0, reads: 48_839, bytes: 200_000_000))
  }

  // The kernel adds what a child that was waited for read to its parent's sums.
  @Test func `what an ended child read is not its parent's`() throws {
    let disk = try measure(
      growing: 0, open: [(path, 200_000_000, .regular)], late: 5_000, recordsSmall: true,
      waitsForChild: true)
    #expect(disk.reads == 1 && disk.bytesRead == 5_000 && disk.readsAreLeast)
    #expect(disk.otherReads == nil)
    #expect(try !measure(growing: 0, open: []).readsAreLeast)
  }

  // What `recv` brings is in none of the kernel's sums of reads: less it, nothing was left of what files gave.
  @Test func `what sockets gave makes what files did no less than is known`() throws {
    let disk = try measure(
      growing: 0, open: [(path, 200_000_000, .regular)], received: 300_000_000, late: 5_000,
      recordsSmall: true)
    #expect(disk.reads == 48_838 && disk.bytesRead == 5_000 && disk.readsAreLeast)
  }

  @Test func `what sockets gave is no file`() throws {
    let disk = try measure(
      growing: 0, open: [(path, 200_000_000, .regular)], received: 200_000_000)
    #expect(disk.loads == [] && disk.bytesRead == 0)
  }
}
