import PerfData

/// Makes traces for tests out of plain statements of what happened.
///
/// Times are nanoseconds. A thread's process is known from `process`, `fork`, `comm` or `thread`;
/// without them a thread is its own process. Statements need not be in the order of time.
package struct TraceBuilder: Sendable {
  /// In what context a wakeup was made.
  package enum WakeContext: UInt8, Sendable {
    /// By a thread.
    case task = 0
    /// By a hardware interrupt (TRACE_FLAG_HARDIRQ).
    case hardInterrupt = 0x08
    /// By a software interrupt (TRACE_FLAG_SOFTIRQ).
    case softInterrupt = 0x10
  }

  /// What the header will say.
  package var features: FileFeatures
  /// The trace's events: tracepoints, `dummy:HG`, `cpu-clock` and all synthetic ones.
  package private(set) var attributes: [EventAttribute]
  /// The records so far.
  package private(set) var records: [UInt8] = []
  var processOfThread: [Int32: Int32] = [0: 0]
  /// In tracepoints' fields threads have ids that are higher by so many, as in a recording from a PID namespace.
  package var namespaceOffset: Int32 = 0
  private var indexOfName: [String: Int] = [:]

  /// An empty trace of an imagined machine with two CPUs.
  package init(withJobs: Bool = false, withSpins: Bool = false) {
    let events =
      (withJobs ? BuiltTracepoint.allCases.filter { $0 != .spin } : BuiltTracepoint.usual)
      + (withSpins ? [.spin] : [])
    var features = FileFeatures()
    features.hostname = "testhost"
    features.osRelease = "6.1.0-test"
    features.perfVersion = "lull test"
    features.architecture = "x86_64"
    features.cpusOnline = 2
    features.cpusAvailable = 2
    features.commandLine = ["lull", "record", "--", "./program"]
    features.cpuDescription = "Imagined CPU"
    features.totalMemoryBytes = 4 << 30
    features.clockID = 1
    features.clockData = ClockData(
      wallNanoseconds: 1_700_000_000_000_000_000, clockNanoseconds: 1_000_000_000)
    var formats: [TracingData.Format] = []
    for event in events where event != .schedSwitchStack && event != .spin {
      formats.append(TracingData.Format(system: event.system, text: event.formatText))
    }
    features.tracingData = TracingData(
      headerPage: Self.headerPage, headerEvent: "", formats: formats)
    self.features = features

    var attributes = [
      // PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY and _CPU_CLOCK.
      EventAttribute(type: 1, config: 9, sampleType: .base, ids: [100], name: "dummy:HG"),
      EventAttribute(
        type: 1, config: 0,
        sampleType: [.base, .instructionPointer, .callchain, .userRegisters, .userStack, .period],
        sampleRegsUser: Self.unwindingRegisters, sampleStackUser: 1024, ids: [101],
        name: "cpu-clock"),
    ]
    for event in events { attributes.append(Self.attribute(of: event)) }
    for event in SyntheticEvent.allCases { attributes.append(event.attribute(ids: [])) }
    for index in attributes.indices {
      attributes[index].ids = [UInt64(100 + index)]
      indexOfName[attributes[index].name] = index
    }
    self.attributes = attributes
  }

  /// BP, SP and IP in perf's numbering for x86.
  package static let unwindingRegisters: UInt64 = 1 << 6 | 1 << 7 | 1 << 8
  /// DX, SI, DI and R10, a system call's arguments that are left at its exit.
  package static let argumentRegisters: UInt64 = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 18

  private static let headerPage =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    + "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    + "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    + "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"

  private static func attribute(of event: BuiltTracepoint) -> EventAttribute {
    var attribute = EventAttribute(
      type: 2, config: UInt64(event.id), sampleType: [.base, .raw], ids: [], name: event.rawValue)
    switch event {
    case .schedSwitchStack:
      attribute.sampleType.formUnion([.callchain, .userRegisters, .userStack])
      attribute.sampleRegsUser = unwindingRegisters
      attribute.sampleStackUser = 1024
    case .sysExit, .spin:
      attribute.sampleType.formUnion([.period, .userRegisters])
      attribute.sampleRegsUser = argumentRegisters
    case .socketSend, .socketReceive: attribute.sampleType.insert(.period)
    default: break
    }
    return attribute
  }

  /// Puts a thread into a process without saying so in the trace.
  package mutating func thread(_ tid: Int32, of pid: Int32) { processOfThread[tid] = pid }

  /// The process of a thread.
  package func pid(of tid: Int32) -> Int32 { processOfThread[tid] ?? tid }

  /// The attribute of that name.
  package func attribute(named name: String) -> EventAttribute? {
    indexOfName[name].map { attributes[$0] }
  }

  /// Adds whole records as they are.
  package mutating func append(_ bytes: [UInt8]) { records += bytes }

  /// Adds a sample of any of the trace's events.
  package mutating func sample(
    _ name: String, time: UInt64, tid: Int32, pid: Int32? = nil, cpu: Int32 = 0,
    period: UInt64 = 1, callchain: [UInt64] = [], raw: [UInt8] = [],
    userRegisters: [UInt64] = [], userStack: [UInt8] = []
  ) {
    guard let attribute = attribute(named: name) else { return }
    records += RecordBuilder.sample(
      attribute: attribute, id: attribute.ids[0], time: time, pid: pid ?? self.pid(of: tid),
      tid: tid, cpu: cpu, period: period, callchain: callchain,
      raw: BuiltTracepoint(rawValue: name)?.shifting(raw, by: namespaceOffset) ?? raw,
      userRegisters: userRegisters, userStack: userStack)
  }

  /// The id that records which are no samples carry: the dummy event's.
  var sideBandID: UInt64 { 100 }

  /// The finished file.
  package func build() -> [UInt8] {
    PerfDataWriter.file(attributes: attributes, records: records, features: features)
  }

  /// The file of a recording that was killed: no data size, no features after the data.
  package func buildKilled() -> [UInt8] {
    var bytes = build()
    let size = bytes.withUnsafeBytes {
      Int($0.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
        + Int($0.loadUnaligned(fromByteOffset: 48, as: UInt64.self))
    }
    bytes.removeLast(bytes.count - size)
    // data.size, event types and the feature bits.
    for index in 48..<104 { bytes[index] = 0 }
    return bytes
  }

  /// Opens the finished trace.
  package func file() throws(PerfDataError) -> PerfDataFile { try PerfDataFile(bytes: build()) }

  /// Writes the finished trace to a path where nothing is yet.
  package func write(to path: String) throws(PerfDataError) {
    let writer = try PerfDataWriter(path: path, attributes: attributes, features: features)
    try writer.append(records)
    try writer.finish(features: features)
  }

  /// Writes the trace to a new temporary file, lends its path and removes the file.
  package func withFile<R>(_ body: (String) throws -> R) throws -> R {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/trace.perf.data"
    try write(to: path)
    return try body(path)
  }
}
