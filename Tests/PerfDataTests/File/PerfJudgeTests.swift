import Foundation
import PerfData
import TestSupport
import Testing

/// perf itself says whether a trace is one, and what is in it.
enum Perf {
  /// Runs a program; nil where there is none. Standard error joins the output.
  static func run(_ arguments: [String], output: Bool = true) -> (status: Int32, text: String)? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  static let isThere = run(["perf", "--version"])?.status == 0

  /// Whether a software clock can be recorded here.
  static let canRecord: Bool = {
    guard isThere, let directory = try? TemporaryDirectory() else { return false }
    defer { directory.remove() }
    let path = directory.path + "/probe"
    return run(["perf", "record", "-q", "-e", "cpu-clock", "-o", path, "true"])?.status == 0
  }()

  /// Runs perf in a mount namespace that has tracefs; nil where that is not allowed.
  static func withTracefs(_ command: String) -> (status: Int32, text: String)? {
    let directory = "/sys/kernel/tracing"
    let mount = "{ test -d \(directory)/events || mount -t tracefs none \(directory); }"
    return run(["unshare", "-m", "sh", "-c", "\(mount) && \(command)"])
  }

  static let hasTracefs = isThere && withTracefs("true")?.status == 0
}

@Suite(.enabled(if: Perf.isThere, "perf is not installed")) struct PerfJudgeTests {
  private func builtTrace() throws -> TraceBuilder {
    var builder = TraceBuilder()
    builder.comm(time: 1_000_000_000, pid: 5, tid: 5, name: "five", isExec: true)
    builder.mmap(time: 1_000_001_000, pid: 5, start: 0x1000, length: 0x1000, path: "/bin/none")
    builder.fork(time: 1_100_000_000, pid: 5, tid: 6, parentPid: 5)
    try builder.capture(time: 1_150_000_000, rootPid: 5)
    builder.switchOut(time: 1_200_000_000, 6)
    builder.waking(time: 1_200_000_500, by: 0, of: 6, context: .softInterrupt)
    builder.switchIn(time: 1_300_000_000, 6)
    builder.blockedStack(
      time: 1_400_000_000, 6, callchain: [CallchainContext.user, 0x1010],
      registers: [1, 2, 0x1010], stack: Array(0..<100))
    builder.exitSyscall(time: 1_500_000_000, tid: 6, number: 1, result: 100)
    builder.open(time: 1_600_000_000, tid: 6, path: "/tmp/x", fd: 3)
    builder.footprint(time: 1_700_000_000, pid: 5, anonymous: 4096)
    builder.exit(time: 1_800_000_000, pid: 5, tid: 6)
    return builder
  }

  @Test func `perf script prints each sample of a trace of ours`() throws {
    try builtTrace().withFile { path in
      let fields = ["-F", "comm,tid,cpu,time,event", "-i", path]
      let result = try #require(Perf.run(["perf", "script"] + fields))
      #expect(result.status == 0)
      let lines = result.text.split(separator: "\n").filter { $0.contains("[000]") }
      let file = try PerfDataFile(path: path)
      let samples = file.orderedRecords().filter { $0.type == RecordType.sample }
      #expect(lines.count == samples.count)
      for (line, sample) in zip(lines, samples) {
        let name = file.attribute(of: sample)?.name ?? ""
        #expect(line.contains(" \(name):"), "\(line)")
        let words = line.split(separator: " ")
        #expect(words.count > 3 && words[1] == "\(sample.tid)")
      }
    }
  }

  @Test
  func
    `perf prints what comes later than its round promised where it comes, here it has its place`()
    throws
  {
    var builder = TraceBuilder()
    let second: UInt64 = 1_000_000_000
    builder.comm(time: second, pid: 5, tid: 5, name: "five", isExec: true)
    // The third round's end promises that nothing older than the second's newest will come.
    for round: [UInt64] in [[1], [2], [3], [4, 5], [1, 6], [7]] {
      for time in round {
        builder.sample("cpu-clock", time: second * 2 + time * 1000, tid: 5)
      }
      builder.append(RecordBuilder.finishedRound())
    }
    try builder.withFile { path in
      let text = try #require(
        Perf.run(["perf", "script", "--ns", "-F", "time", "-i", path])
      ).text
      let theirs = text.split(separator: "\n").compactMap { line in
        line.contains("2.00000") ? UInt64(line.filter(\.isNumber)) : nil
      }
      let file = try PerfDataFile(path: path)
      let ours = file.orderedRecords().filter { $0.type == RecordType.sample }.map(\.time)
      #expect(ours == ours.sorted() && file.lateRecords == 1)
      #expect(theirs != ours && theirs.sorted() == ours)
    }
  }

  @Test func `perf reads the layouts, the events and the header of a trace of ours`() throws {
    try builtTrace().withFile { path in
      let script = try #require(Perf.run(["perf", "script", "-i", path]))
      #expect(script.status == 0)
      let events = try #require(Perf.run(["perf", "evlist", "-i", path]))
      #expect(events.status == 0)
      for event in SyntheticEvent.allCases { #expect(events.text.contains(event.rawValue)) }
      let header = try #require(Perf.run(["perf", "report", "--header-only", "-i", path]))
      #expect(header.status == 0)
      #expect(header.text.contains("hostname : testhost"))
      #expect(header.text.contains("total memory : 4194304 kB"))
      #expect(header.text.contains("nrcpus online : 2"))
      #expect(!header.text.contains("failed"))
      let report = try #require(Perf.run(["perf", "report", "--stdio", "-i", path]))
      #expect(report.status == 0)
      #expect(report.text.contains("lull:footprint"))
    }
  }

  @Test(.enabled(if: Perf.canRecord, "perf may not record here"))
  func `samples of perf's own recording are read as perf reads them`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/t"
    let busy = ["sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"]
    let record = ["perf", "record", "-q", "-e", "cpu-clock", "--call-graph", "dwarf,1024"]
    #expect(try #require(Perf.run(record + ["-o", path] + busy)).status == 0)
    let file = try PerfDataFile(path: path)
    #expect(!file.isTruncated)
    #expect(file.unknownRecords == 0)
    #expect(file.attributes.first?.name.hasPrefix("cpu-clock") == true)
    #expect(file.features.commandLine.contains("dwarf,1024"))
    let samples = file.orderedRecords().filter { $0.type == RecordType.sample }
    #expect(samples.count > 10)
    for record in samples {
      let sample = try file.sample(record)
      // In user mode there are registers and a stack; SP is register 7 and IP is 8 on x86-64.
      if let registers = sample.userRegisters, sample.userStack.count > 0 {
        #expect(registers.values.count == registers.mask.nonzeroBitCount)
        #expect(sample.userStack.count <= 1024)
      }
    }
    try expectSame(file, samples, as: path, withCPU: false)
    let copy = directory.path + "/copy"
    try TraceRewriter.rewrite(
      pathIn: path, pathOut: copy, transform: { bytes, _ in bytes }, features: { _ in })
    try expectSame(file, samples, as: copy, withCPU: false)
  }

  @Test(.enabled(if: Perf.hasTracefs && Perf.canRecord, "tracefs may not be mounted here"))
  func `tracepoints of perf's own recording have their layouts`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/t"
    let events = "-a -e sched:sched_switch -g -e sched:sched_waking -e dummy:HG"
    let command = "perf record -q -o \(path) \(events) sh -c 'sleep 0.05; sleep 0.05'"
    #expect(try #require(Perf.withTracefs(command)).status == 0)
    let file = try PerfDataFile(path: path)
    let switches = file.orderedRecords().filter {
      file.attribute(of: $0)?.name == "sched:sched_switch" && $0.type == RecordType.sample
    }
    #expect(switches.count > 4)
    for record in switches {
      let sample = try file.sample(record)
      let raw = try #require(sample.raw)
      let format = try #require(file.tracepoint(of: record))
      // The thread that leaves the CPU is the one in which the sample was taken; one that has
      // exited has no id any more.
      let previous = try #require(format.field("prev_pid")?.integer(in: raw))
      #expect(previous == Int64(sample.tid) || sample.tid == -1)
      #expect(!sample.callchain.isEmpty || sample.tid <= 0)
    }
    let names = switches.compactMap { record in
      (try? file.sample(record).raw).flatMap { raw in
        file.tracepoint(of: record)?.field("prev_comm")?.string(in: raw)
      }
    }
    #expect(names.contains("sleep"))
    try expectSame(
      file, file.orderedRecords().filter { $0.type == RecordType.sample }, as: path, withCPU: true)
  }

  /// That perf prints as many samples, of the same threads, CPUs and times, as were read.
  private func expectSame(
    _ file: PerfDataFile, _ samples: [RecordEntry], as path: String, withCPU: Bool
  ) throws {
    let result = try #require(
      Perf.run([
        "perf", "script", "--ns", "-G", "-F", "tid" + (withCPU ? ",cpu" : "") + ",time", "-i", path,
      ]))
    #expect(result.status == 0)
    let theirs = result.text.split(separator: "\n").filter { $0.contains(".") }
      .map { $0.split(whereSeparator: { " []:".contains($0) }).map(String.init) }
    let ours = samples.map { record -> [String] in
      let seconds = record.time / 1_000_000_000
      let rest = String(record.time % 1_000_000_000)
      let fraction = String(repeating: "0", count: 9 - rest.count) + rest
      let time = "\(seconds).\(fraction)"
      guard withCPU else { return [String(record.tid), time] }
      let cpu = String(record.cpu)
      let padded = String(repeating: "0", count: max(0, 3 - cpu.count)) + cpu
      return [String(record.tid), padded, time]
    }
    // perf may put samples of equal times of two CPUs in another order.
    #expect(Set(theirs) == Set(ours))
    #expect(theirs.count == ours.count)
  }
}
