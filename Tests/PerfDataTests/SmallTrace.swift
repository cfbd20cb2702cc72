import PerfData

/// A trace of a few kilobytes with every kind of record, for tests that try each of its bytes.
enum SmallTrace {
  static let dummy = EventAttribute(
    type: 1, config: 9, sampleType: .base, ids: [7, 8], name: "dummy:HG")
  static let stacks = EventAttribute(
    type: 2, config: 42,
    sampleType: [
      .base, .instructionPointer, .period, .callchain, .raw, .userRegisters, .userStack,
    ], sampleRegsUser: 0b1_1100_0000, sampleStackUser: 64, ids: [9], name: "test:thing")
  static let footprint = SyntheticEvent.footprint.attribute(ids: [10])
  static let attributes = [dummy, stacks, footprint]

  static let formatText = """
    name: thing
    ID: 42
    format:
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
    \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
    \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

    \tfield:int value;\toffset:8;\tsize:4;\tsigned:1;

    print fmt: "value=%d", REC->value

    """

  static var features: FileFeatures {
    var features = FileFeatures()
    features.hostname = "häuschen"
    features.osRelease = "6.1.0"
    features.perfVersion = "1"
    features.architecture = "x86_64"
    features.cpusOnline = 2
    features.cpusAvailable = 4
    features.commandLine = ["lull", "record", "", "a b"]
    features.cpuDescription = "CPU"
    features.totalMemoryBytes = 123 * 1024
    features.clockID = 1
    features.clockResolutionNanoseconds = 1
    features.clockData = ClockData(wallNanoseconds: 5_000, clockNanoseconds: 400)
    features.sampleTime = SampleTimeRange(first: 10, last: 60)
    features.buildIDs = [BuildIDEntry(path: "/bin/x", buildID: Array(1...20))]
    var tracing = TracingData(
      headerPage: "page", headerEvent: "event",
      formats: [TracingData.Format(system: "test", text: formatText)])
    tracing.ftraceFormats = ["ftrace text"]
    tracing.kallsyms = [1, 2, 3]
    tracing.printk = [4]
    tracing.savedCmdlines = Array("1 init\n".utf8)
    features.tracingData = tracing
    features.otherSections = [9: [4, 0, 0, 0, 0x41, 0, 0, 0]]
    return features
  }

  static var payload: [UInt8] { [42, 0, 0x10, 0, 5, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff] }

  static var recordList: [[UInt8]] {
    var reading = FootprintSample()
    reading.anonymous = 1 << 40
    reading.threadCount = 3
    return [
      RecordBuilder.comm(pid: 5, tid: 5, name: "thing", isExec: true, time: 10, id: 7),
      RecordBuilder.mmap2(
        MmapRecord(
          pid: 5, tid: 6, start: 0x1000, length: 0x2000, fileOffset: 0x300, protection: 5,
          flags: 2, path: "/bin/x", buildID: Array(1...20)), time: 20, id: 8),
      RecordBuilder.mmap2(
        MmapRecord(pid: 5, tid: 5, start: 0, length: 1, fileOffset: 0, path: "//anon"),
        time: 21, id: 8),
      RecordBuilder.sample(
        attribute: stacks, id: 9, time: 50, pid: 5, tid: 6, cpu: 1, period: 3, ip: 0x1234,
        callchain: [CallchainContext.kernel, 1, CallchainContext.user, 2], raw: payload,
        userRegisters: [11, 12, 13], userStack: Array(0..<50)),
      RecordBuilder.finishedRound(),
      RecordBuilder.fork(pid: 5, parentPid: 5, tid: 9, parentTid: 6, time: 30, id: 7),
      RecordBuilder.sample(
        attribute: footprint, id: 10, time: 40, pid: 5, tid: 5, cpu: 0, raw: reading.encoded()),
      RecordBuilder.exit(pid: 5, parentPid: 1, tid: 9, parentTid: 5, time: 60, id: 7),
      RecordBuilder.lost(records: 17, time: 55, id: 9),
    ]
  }

  static var bytes: [UInt8] {
    PerfDataWriter.file(
      attributes: attributes, records: recordList.flatMap { $0 }, features: features)
  }

  /// Decodes all that can be decoded; returns how many samples could.
  @discardableResult
  static func exercise(_ file: PerfDataFile) -> Int {
    var decoded = 0
    for record in file.orderedRecords() {
      _ = file.mmap2(record)
      _ = file.comm(record)
      _ = file.task(record)
      _ = file.lost(record)
      _ = file.bytes(of: record)
      guard record.type == RecordType.sample, let sample = try? file.sample(record) else {
        continue
      }
      decoded += 1
      guard let raw = sample.raw else { continue }
      _ = FootprintSample(decoding: raw)
      _ = try? CaptureEvent(decoding: raw)
      for field in file.tracepoint(of: record)?.fields ?? [] {
        _ = field.integer(in: raw)
        _ = field.string(in: raw)
      }
    }
    return decoded
  }
}
