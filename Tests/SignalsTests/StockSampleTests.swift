import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

/// Traces of `perf record` with samples and nothing else, as anybody's first one is.
@Suite struct `Samples of stock perf` {
  static let clock = EventAttribute(
    type: 1, config: 0, sampleType: [.base, .instructionPointer, .period], ids: [1],
    name: "cpu-clock:pppH")
  static let stackedClock = EventAttribute(
    type: 1, config: 1, sampleType: [.base, .instructionPointer, .period, .callchain], ids: [1],
    name: "task-clock")
  static let cycles = EventAttribute(
    type: 0, config: 4 << 32, sampleType: [.base, .instructionPointer, .period, .callchain],
    ids: [1], name: "cpu_core/cycles/")
  static let faults = EventAttribute(
    type: 1, config: 2, sampleType: [.base, .instructionPointer, .period], ids: [2],
    name: "page-faults")

  /// Two processes on one CPU from 1 s on: every millisecond a sample, of ten one of 200 and all others of 100.
  ///
  /// Of 100's, three in four are in `/bin/busy` at 0x1010, the others at 0x1020.
  static func trace(
    of attribute: EventAttribute, samples: Int = 2000, period: UInt64 = 1_000_000,
    command: [String] = ["perf", "record", "-e", "x", "busy"], otherShare: Int = 10
  ) throws -> Trace {
    var records: [UInt8] = []
    for (pid, path) in [(Int32(300), "/bin/sleep"), (200, "/bin/other"), (100, "/bin/busy")] {
      records += RecordBuilder.comm(
        pid: pid, tid: pid, name: String(path.dropFirst(5)), isExec: true, time: 1_000_000_000,
        id: 1)
      records += RecordBuilder.mmap2(
        MmapRecord(pid: pid, tid: pid, start: 0x1000, length: 0x1000, fileOffset: 0, path: path),
        time: 1_000_000_000, id: 1)
    }
    for index in 0..<samples {
      let pid: Int32 = index % otherShare == 0 ? 200 : 100
      let address: UInt64 = index % 4 == 3 ? 0x1020 : 0x1010
      let hasStack = attribute.sampleType.contains(.callchain)
      records += RecordBuilder.sample(
        attribute: attribute, id: 1, time: 1_000_000_000 + UInt64(index) * 1_000_000, pid: pid,
        tid: pid, cpu: 0, period: period, ip: address,
        callchain: hasStack ? [CallchainContext.user, address, 0x1800] : [], misc: 2)
    }
    var features = WrittenFeatures()
    features.commandLine = command
    features.cpusOnline = 1
    let bytes = PerfDataWriter.file(
      attributes: [attribute, faults], records: records, features: features)
    return try TemporaryDirectory.withFile(bytes) { try Trace.load(path: $0) }
  }

  @Test(arguments: [clock, stackedClock])
  func `a clock's periods are CPU time`(attribute: EventAttribute) throws {
    let trace = try Self.trace(of: attribute)
    let signals = try Measurement.measure(trace)
    // 1800 of 2000 samples of a millisecond.
    #expect(trace.subject.pid == 100)
    #expect(abs(try #require(signals.cpu).totalSeconds - 1.8) < 1e-9)
    #expect(abs((signals.threads.first { $0.tid == 100 }?.cpuSeconds ?? 0) - 1.8) < 1e-9)
    #expect(trace.processes.map(\.cpuSeconds).reduce(0, +) == 2)
    // Of each second 900 ms.
    #expect(abs((signals.cpu?.medianShare ?? 0) - 0.9) < 0.01)
    let overview = Overview.measure(trace, signals: signals)
    #expect(abs(overview.cores.reduce(0, +) * overview.secondsPerColumn - 1.8) < 1e-9)
    let blamed = signals.blame.cpu.reduce(0) { $0 + $1.selfSeconds }
    #expect(abs(blamed - 1.8) < 1e-9 && signals.blame.cpuEvent == nil)
    // 500 of the samples are at the second place; those of 200 are all at the first.
    let lines = FoldedStacks.lines(trace, .cpu)
    #expect(lines.contains { $0.contains("busy+0x20") && $0.hasSuffix(" 500000") }, "\(lines)")
    #expect(lines.contains { $0.contains("busy+0x10") && $0.hasSuffix(" 1300000") }, "\(lines)")
  }

  @Test func `samples of another event are shares and no time`() throws {
    let trace = try Self.trace(of: Self.cycles, period: 3_000_000)
    let signals = try Measurement.measure(trace)
    #expect(signals.cpu == nil)
    #expect(signals.unavailable[.cpu]?.contains("cpu_core/cycles/") == true)
    #expect(signals.blame.cpuEvent == "cpu_core/cycles/")
    #expect(signals.blame.cpu.reduce(0) { $0 + $1.selfSeconds } == 0)
    #expect(signals.blame.cpu.reduce(0) { $0 + $1.count } == 1800 * 3_000_000)
    let lines = FoldedStacks.lines(trace, .cpu)
    #expect(lines.contains { $0.contains("busy+0x20") && $0.hasSuffix(" 1500000000") }, "\(lines)")
  }

  /// As `perf record --off-cpu` writes it: sums by stack, at the end, of BPF's output.
  @Test func `time off the CPUs is blocked time`() throws {
    let attribute = EventAttribute(
      type: 1, config: 10, sampleType: [.base, .instructionPointer, .period, .callchain], ids: [1],
      name: "offcpu-time")
    let trace = try Self.trace(of: attribute, samples: 40, period: 5_000_000)
    let signals = try Measurement.measure(trace, options: MeasurementOptions())
    // 36 of the 40 sums of 5 ms are of process 100.
    #expect(trace.subject.pid == 100)
    #expect(abs(signals.blame.blocked.reduce(0) { $0 + $1.selfSeconds } - 0.18) < 1e-9)
    let lines = FoldedStacks.lines(trace, .offcpu)
    #expect(lines.contains { $0.contains("[unknown]") && $0.contains("busy+0x20") }, "\(lines)")
    #expect(FoldedStacks.lines(trace, .cpu).isEmpty && signals.cpu == nil)
  }

  @Test func `a recording of all processes is about who used most, unless it names another`() throws
  {
    let all = ["perf", "record", "-a", "-g", "-e", "cpu-clock", "sleep", "2"]
    for (command, share, pid, isByUse) in [
      (all, 10, Int32(100), true), (all, 1, 200, true),
      (["perf", "record", "-a", "-o", "x", "--", "/bin/other", "1"], 10, 200, false),
      // The first of the machine's processes is what perf was to wait for.
      (["perf", "record", "-a", "--", "sleep", "1"], 10, 100, true),
      (["perf", "sched", "record", "-q", "-o", "s.data", "./other", "50", "1"], 10, 200, false),
      (["perf", "record", "-p", "200"], 10, 200, false),
      (["perf", "record", "--pid=200", "-g"], 10, 200, false), ([], 10, 100, true),
    ] {
      let trace = try Self.trace(of: Self.clock, samples: 200, command: command, otherShare: share)
      #expect(trace.subject.pid == pid, "\(command)")
      #expect(trace.metadata.isSubjectByUse == isByUse, "\(command)")
      let shares = try Self.trace(
        of: Self.cycles, samples: 200, command: command, otherShare: share)
      #expect(shares.subject.pid == pid, "\(command)")
    }
  }
}
