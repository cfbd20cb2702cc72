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
  /// Programs as they begin, each with one mapping.
  private static func programs(_ programs: [(pid: Int32, path: String)]) -> [UInt8] {
    programs.flatMap { pid, path in
      RecordBuilder.comm(
        pid: pid, tid: pid, name: String(path.dropFirst(5)), isExec: true, time: 1_000_000_000,
        id: 1)
        + RecordBuilder.mmap2(
          MmapRecord(pid: pid, tid: pid, start: 0x1000, length: 0x1000, fileOffset: 0, path: path),
          time: 1_000_000_000, id: 1)
    }
  }

  /// Of 100's, three in four are in `/bin/busy` at 0x1010, the others at 0x1020.
  static func trace(
    of attribute: EventAttribute, samples: Int = 2000, period: UInt64 = 1_000_000,
    command: [String] = ["perf", "record", "-e", "x", "busy"], otherShare: Int = 10
  ) throws -> Trace {
    var records = programs([(Int32(300), "/bin/sleep"), (200, "/bin/other"), (100, "/bin/busy")])
    for index in 0..<samples {
      let pid: Int32 = index % otherShare == 0 ? 200 : 100
      let address: UInt64 = index % 4 == 3 ? 0x1020 : 0x1010
      let hasStack = attribute.sampleType.contains(.callchain)
      records += RecordBuilder.sample(
        attribute: attribute, id: 1, time: 1_000_000_000 + UInt64(index) * 1_000_000, pid: pid,
        tid: pid, cpu: 0, period: period, ip: address,
        callchain: hasStack ? [CallchainContext.user, address, 0x1800] : [], misc: 2)
    }
    var features = FileFeatures()
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

  // All that was past its length stood in the last column.
  @Test func `of a window the overview's columns are the window's`() throws {
    let trace = try Self.trace(of: Self.clock).last(0.5)
    let overview = Overview.measure(trace, signals: try Measurement.measure(trace))
    #expect(abs(overview.start - 1.5) < 0.002)
    #expect(abs(overview.secondsPerColumn - 0.5 / 60) < 1e-4)
    // Nine of ten samples are the subject's, a millisecond each.
    #expect(abs(overview.cores.reduce(0, +) * overview.secondsPerColumn - 0.45) < 0.005)
    #expect(overview.cores.allSatisfy { $0 > 0.5 && $0 < 1.3 }, "\(overview.cores)")
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

  /// Sums of one event's periods and another's tell nothing; those of one event on two kinds of cores do.
  @Test(
    arguments: [
      (["cache-references", "branch-misses"], [UInt64(2), 5], [UInt32(0), 0], 40),
      (["cpu_core/cycles/", "cpu_atom/cycles/"], [4 << 32, 8 << 32], [0, 0], 100),
      (["cpu_core/topdown/", "cpu_atom/topdown/"], [0x80, 0x81], [4, 10], 100),
      (["cpu_core/topdown/", "cpu_atom/slots/"], [0x80, 0x81], [4, 10], 40),
      (["r80", "r81"], [0x80, 0x81], [4, 4], 40),
    ] as [([String], [UInt64], [UInt32], Int)])
  func `of several events one is taken, of all cores`(
    names: [String], configs: [UInt64], types: [UInt32], expected: Int
  ) throws {
    let attributes = names.indices.map {
      EventAttribute(
        type: types[$0], config: configs[$0],
        sampleType: [.base, .instructionPointer, .period], ids: [UInt64($0) + 1], name: names[$0])
    }
    var records = RecordBuilder.comm(
      pid: 100, tid: 100, name: "busy", isExec: true, time: 1_000_000_000, id: 1)
    for index in 0..<100 {
      // Of five samples two are of the first event.
      let event = index % 5 < 2 ? 0 : 1
      records += RecordBuilder.sample(
        attribute: attributes[event], id: UInt64(event) + 1,
        time: 1_000_000_000 + UInt64(index) * 1_000_000, pid: 100, tid: 100, cpu: 0,
        period: 1000, ip: 0x1010)
    }
    var features = FileFeatures()
    features.commandLine = ["perf", "record", "busy"]
    let bytes = PerfDataWriter.file(attributes: attributes, records: records, features: features)
    let trace = try TemporaryDirectory.withFile(bytes) { try Trace.load(path: $0) }
    let signals = try Measurement.measure(trace)
    #expect(signals.blame.cpuEvent == names[0])
    #expect(signals.blame.cpu.reduce(0) { $0 + $1.count } == Double(expected * 1000))
  }

  /// Words of a sample as `perf record --off-cpu` writes it once all is over, by tools/perf/util/bpf_off_cpu.c: of
  /// Linux 6.0 with a callchain, since 6.16 with all that counts in the raw payload. A time makes it a single wait, in
  /// which the BPF program puts the thread first (tools/perf/util/bpf_skel/off_cpu.bpf.c).
  private static func offCPU(
    pid: UInt64, tid: UInt64, nanoseconds: UInt64, stack: [UInt64], isRaw: Bool, time: UInt64?,
    number: UInt64
  ) -> [UInt8] {
    let user = UInt64(bitPattern: -512)
    let chain = [UInt64(stack.count + 1), user] + stack
    let sum = 0xffff_ffff_0000_0000 + number
    var bytes: [UInt8] = []
    func put(_ words: [UInt64]) {
      for word in words { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
    }
    let size: UInt64
    if isRaw {
      // IDENTIFIER, IP, TID, TIME, CPU, PERIOD, the payload's size in four bytes, and at its end four that fill up.
      let task = time == nil ? tid << 32 | pid : pid << 32 | tid
      let payload = [task, nanoseconds] + chain + [7]
      size = UInt64(8 * (7 + payload.count + 1))
      // A single wait is sampled while the CPU is idle, of which perf_event tells the thread and the period.
      put([size << 48 | 2 << 32 | 9, 2, 0, 0, time ?? sum, 0, time == nil ? 0 : 1])
      let rawSize = UInt32(8 * payload.count + 4)
      withUnsafeBytes(of: rawSize.littleEndian) { bytes += $0 }
      put(payload)
      bytes += [0, 0, 0, 0]
    } else {
      size = UInt64(8 * (7 + chain.count))
      put([size << 48 | 2 << 32 | 9, 2, stack[0], tid << 32 | pid, sum, 0, nanoseconds] + chain)
    }
    return bytes
  }

  /// Process 100 has two threads and 500 ms of CPU time; its waits are in the file only as what perf sums of them.
  @Test(arguments: [false, true])
  func `time off the CPUs is blocked time of the thread that waited`(isRaw: Bool) throws {
    let fields: SampleFields = [.identifier, .instructionPointer, .tid, .time, .cpu, .period]
    let attribute = EventAttribute(
      type: 1, config: 10, sampleType: fields.union(isRaw ? .raw : .callchain), ids: [2],
      name: "offcpu-time")
    var records = Self.programs([(Int32(200), "/bin/other"), (100, "/bin/busy")])
    records += RecordBuilder.fork(
      pid: 100, parentPid: 100, tid: 101, parentTid: 100, time: 1_000_000_000, id: 1)
    for index in 0..<500 {
      records += RecordBuilder.sample(
        attribute: Self.clock, id: 1, time: 1_000_000_000 + UInt64(index) * 1_000_000, pid: 100,
        tid: 100, cpu: 0, period: 1_000_000, ip: 0x1010)
    }
    let waits: [(pid: UInt64, tid: UInt64, milliseconds: UInt64, address: UInt64, time: UInt64?)] =
      [
        (100, 100, 120, 0x1030, nil), (100, 101, 80, 0x1040, nil), (200, 200, 900, 0x1030, nil),
        // A second sum of the same place, as in another state (S or D), and one longer than the threshold.
        (100, 101, 5, 0x1040, nil), (100, 101, 300, 0x1050, isRaw ? 1_400_000_000 : nil),
      ]
    for (number, wait) in waits.enumerated() {
      records += Self.offCPU(
        pid: wait.pid, tid: wait.tid, nanoseconds: wait.milliseconds * 1_000_000,
        stack: [wait.address, 0x1800], isRaw: isRaw, time: wait.time, number: UInt64(number))
    }
    var features = FileFeatures()
    features.commandLine = ["perf", "record", "--off-cpu", "-e", "cpu-clock", "busy"]
    let bytes = PerfDataWriter.file(
      attributes: [Self.clock, attribute], records: records, features: features)
    let trace = try TemporaryDirectory.withFile(bytes) { try Trace.load(path: $0) }
    #expect(trace.subject.pid == 100)
    // 500 samples in 499 ms, and no time that only puts sums last.
    #expect(abs(trace.metadata.durationSeconds - 0.499) < 1e-9)
    #expect(trace.metadata.undecodable.isEmpty && !trace.metadata.truncated)
    let signals = try Measurement.measure(trace)
    #expect(abs(try #require(signals.cpu).totalSeconds - 0.5) < 1e-9)
    #expect(abs(signals.blame.blocked.reduce(0) { $0 + $1.selfSeconds } - 0.505) < 1e-9)
    var byThread: [Int32: Double] = [:]
    for sample in trace.blockedSamples where sample.pid == 100 {
      byThread[sample.tid, default: 0] += sample.length.seconds
    }
    #expect(abs(byThread[100]! - 0.12) < 1e-9 && abs(byThread[101]! - 0.385) < 1e-9)
    #expect(byThread.count == 2 && trace.blockedSamples.count == 5)
    let lines = FoldedStacks.lines(trace, .offcpu)
    for (place, microseconds) in [("0x30", 120_000), ("0x40", 85_000), ("0x50", 300_000)] {
      let found = lines.filter { $0.contains("busy+\(place)") }
      #expect(found.count == 1 && found[0].hasSuffix(" \(microseconds)"), "\(lines)")
      #expect(found.allSatisfy { $0.contains("busy+0x800;") || $0.contains("busy+0x7ff;") })
    }
    #expect(FoldedStacks.lines(trace, .cpu).count == 1)
  }

  /// A thread that waits for a lock takes others meanwhile, for which it spins, and spins for a mutex before it sleeps;
  /// include/trace/events/lock.h tells which lock each event is of, and that only beginnings say how.
  @Test func `a wait for a lock of the kernel ends with that lock, less what was spun`() throws {
    let names = ["contention_begin", "contention_end"]
    let attributes = names.indices.map {
      EventAttribute(
        type: 2, config: 407 + UInt64($0), sampleType: [.base, .raw], ids: [UInt64($0) + 1],
        name: "lock:" + names[$0])
    }
    var features = FileFeatures()
    features.commandLine = ["perf", "lock", "record", "busy"]
    features.tracingData = TracingData(
      formats: names.enumerated().map { index, name in
        TracingData.Format(
          system: "lock",
          text: "name: \(name)\nID: \(407 + index)\nformat:\n"
            + "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
            + "\tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n")
      })
    var records = RecordBuilder.comm(
      pid: 100, tid: 100, name: "busy", isExec: true, time: 1_000_000_000, id: 1)
    // Milliseconds, which of the two, the thread, the lock, and how: 1 spinning, 4 writing, 32 a mutex.
    let (semaphore, queue, mutex) = (UInt64(0xffff_8881_0000_0100), UInt64(0x200), UInt64(0x300))
    for (time, event, tid, lock, flags): (UInt64, Int, Int32, UInt64, UInt32) in [
      // A semaphore for 50 ms, in which the lock of a CPU's queue is spun for twice.
      (10, 0, 100, semaphore, 4), (11, 0, 100, queue, 1), (12, 1, 100, queue, 0),
      (20, 0, 101, semaphore, 4), (40, 0, 100, queue, 1), (41, 1, 100, queue, 0),
      (60, 1, 100, semaphore, 0), (90, 1, 101, semaphore, 0),
      // A mutex for 40 ms: spun for 10, slept for 20, spun for 3 and slept for 7.
      (100, 0, 100, mutex, 33), (110, 0, 100, mutex, 32), (130, 0, 100, mutex, 33),
      (133, 0, 100, mutex, 32), (140, 1, 100, mutex, 0),
      // One that is only spun for, an end without a beginning, and a beginning without an end.
      (150, 0, 100, mutex, 33), (155, 1, 100, mutex, 0), (160, 1, 101, mutex, 0),
      (170, 0, 101, mutex, 32),
    ] {
      var raw = [UInt8](repeating: 0, count: 20)
      withUnsafeBytes(of: lock.littleEndian) { raw.replaceSubrange(8..<16, with: $0) }
      withUnsafeBytes(of: flags.littleEndian) { raw.replaceSubrange(16..<20, with: $0) }
      records += RecordBuilder.sample(
        attribute: attributes[event], id: UInt64(event) + 1,
        time: 1_000_000_000 + time * 1_000_000, pid: 100, tid: tid, cpu: 0, raw: raw)
    }
    let bytes = PerfDataWriter.file(attributes: attributes, records: records, features: features)
    let trace = try TemporaryDirectory.withFile(bytes) { try Trace.load(path: $0) }
    let told = trace.blockedSamples.map { ($0.tid, Int($0.length.nanoseconds / 1_000_000)) }
    #expect(told.map(\.0) == [100, 101, 100] && told.map(\.1) == [50, 70, 27], "\(told)")
    #expect(trace.blockedSamples.allSatisfy { $0.cause == .lock })
    let signals = try Measurement.measure(trace)
    #expect(abs(signals.blame.blocked.reduce(0) { $0 + $1.selfSeconds } - 0.147) < 1e-9)
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
