import PerfData
import TestSupport
import Testing

@testable import TraceModel

/// A trace of which the names of its stacks are wanted, and nothing else.
struct NamesAloneTests {
  private static let fields = [
    "prev_pid", "prev_state", "next_pid", "pid", "id", "ret", "lock_addr", "flags", "job", "resume",
    "executor", "fd", "queue",
  ]
  private static let tid: Int32 = 4

  /// A trace with a sample of each event that is decoded, all of which have stacks.
  private static func ofAllEvents() throws -> PerfDataFile {
    var builder = TraceBuilder()
    var capture = CaptureEvent(
      mode: .attach, scope: .system, rootPid: 4, overheadCPUSeconds: 0, complete: true)
    // Stacks of other moments than switches count then.
    capture.recorder = CaptureEvent.outsideRecorder
    try builder.synthetic(capture, time: 1, pid: tid)
    try builder.process(time: 2, pid: tid)
    var attributes = builder.attributes.filter {
      SyntheticEvent(attribute: $0) != nil || $0.name == "dummy:HG"
    }
    var records = builder.records
    var formats: [TracingData.Format] = []
    let own = Set(SyntheticEvent.allCases.map(\.rawValue))
    let names = EventDispatch.handlers.keys.filter { !own.contains($0) }.sorted()
    let layout = Self.fields.enumerated().map {
      "\tfield:u64 \($1);\toffset:\(8 + 8 * $0);\tsize:8;\tsigned:0;\n"
    }
    for (index, name) in names.enumerated() {
      let name = name.replacing("lull_*", with: "lull_1")
      var attribute = EventAttribute(
        type: 2, config: UInt64(3000 + index), sampleType: [.base, .raw, .callchain, .period],
        ids: [UInt64(1000 + index)], name: name)
      if name == "cpu-clock" { (attribute.type, attribute.config) = (1, 0) }
      if let colon = name.firstIndex(of: ":") {
        let event = name[name.index(after: colon)...]
        formats.append(
          TracingData.Format(
            system: String(name[..<colon]),
            text: "name: \(event)\nID: \(3000 + index)\nformat:\n"
              + "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" + layout.joined()
              + "\nprint fmt: \"\"\n"))
      }
      attributes.append(attribute)
      let values = [Int64](repeating: Int64(tid), count: Self.fields.count + 1)
      records += RecordBuilder.sample(
        attribute: attribute, id: attribute.ids[0], time: UInt64(1000 + index), pid: tid, tid: tid,
        cpu: 0, callchain: [CallchainContext.user, 0x1000 + UInt64(index) * 16],
        raw: values.withUnsafeBytes { [UInt8]($0) })
    }
    var features = builder.features
    features.tracingData?.formats = formats
    return try PerfDataFile(
      bytes: PerfDataWriter.file(attributes: attributes, records: records, features: features))
  }

  private struct Seen: Equatable {
    var time: UInt64
    var key: Int?
    var frames: [Frame]
  }

  private static func seen(_ names: FoundNames) -> [Seen] {
    names.stacks.seen.map {
      Seen(time: $0.time, key: $0.key, frames: names.stacks.table.frames(of: $0.stack))
    }
  }

  @Test func `the same samples have names as when all is read`() throws {
    let file = try Self.ofAllEvents()
    var whole = TraceLoader(file: file, path: "", options: TraceOptions(), for: .traceAndNames)
    let trace = try whole.load()
    let all = Self.seen(try whole.names())
    #expect(all.count >= 9 && trace.processorSamples.count == 1)
    var alone = TraceLoader(file: file, path: "", options: TraceOptions(), for: .names)
    let names = try alone.names()
    #expect(Self.seen(names) == all)
    #expect(names.times == trace.start.nanoseconds...trace.end.nanoseconds)
    // Nothing else is held.
    #expect(alone.state.tables.processorSamples.isEmpty && alone.state.tables.spinCalls.isEmpty)
    #expect(alone.state.callSites.writes.isEmpty && alone.state.callSites.sends.isEmpty)
    #expect(alone.state.jobs.runs.count == 0 && !trace.processes.isEmpty)
  }

  private static func stacks(_ path: String) throws -> [UInt64: Int] {
    let file = try PerfDataFile(path: path)
    var sizes: [UInt64: Int] = [:]
    for record in file.orderedRecords()
    where file.attribute(of: record)?.sampleType.contains(.userStack) == true
      && record.type == RecordType.sample
    {
      sizes[record.time, default: 0] += try file.sample(record).userStack.count
    }
    return sizes
  }

  @Test func `a copy of a stack without names stays, the others go`() throws {
    var builder = TraceBuilder()
    try builder.capture(time: 1, rootPid: 4)
    try builder.process(time: 2, pid: 4)
    builder.mmap(time: 3, pid: 4, start: 0x1000, length: 0x4000, path: "/none")
    let copy = [UInt8](repeating: 7, count: 64)
    for time in UInt64(100)..<200 {
      // Of every tenth there is the copy alone, from which nothing is found without registers.
      builder.processorSample(
        time: time, 4,
        callchain: time % 10 == 0 ? [] : [CallchainContext.user, 0x1010 + time % 3 * 16],
        stack: copy)
    }
    // Of one moment one has names and the other not.
    builder.processorSample(time: 250, 4, callchain: [CallchainContext.user, 0x1010], stack: copy)
    builder.blockedStack(time: 250, 4, stack: copy)
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let paths = ["alone", "whole", "keeping"].map { directory.path + "/" + $0 }
    for path in paths { try builder.write(to: path) }
    let before = try Self.stacks(paths[0])
    #expect(before.count == 101 && before[250] == 128)
    try StackEmbedding.embed(tracePath: paths[0])
    let trace = try StackEmbedding.embedAndLoad(tracePath: paths[1])
    try StackEmbedding.embed(tracePath: paths[2], keepsStacks: true)
    #expect(trace.processorSamples.count == 101)
    for path in paths.prefix(2) {
      let after = try Self.stacks(path)
      #expect(Set(after.filter { $0.value > 0 }.keys) == Set(stride(from: 100, to: 200, by: 10)))
    }
    #expect(try Self.stacks(paths[2]) == before)
    let written = try paths.prefix(2).map { try PerfDataFile(path: $0) }.map { file in
      file.orderedRecords().map { file.bytes(of: $0) }
    }
    #expect(written[0] == written[1])
  }

  @Test func `of one moment one name is enough, whichever sample comes first`() {
    var samples = UnnamedSamples()
    let moments = [1, 1, 2, 2, 3, 3, 4].map { SampleMoment(time: $0, tid: 5) }
    let named = [true, false, false, true, false, false, true]
    for (moment, isNamed) in zip(moments, named) {
      samples.note(moment, isCopy: true, isNamed: isNamed)
    }
    samples.note(SampleMoment(time: 4, tid: 6), isCopy: true, isNamed: false)
    samples.note(SampleMoment(time: 5, tid: 5), isCopy: false, isNamed: false)
    #expect(
      samples.moments == [SampleMoment(time: 3, tid: 5), SampleMoment(time: 4, tid: 6)])
  }

  @Test func `samples that have stacks are told as they were given`() {
    var random = SystemRandomNumberGenerator()
    let times: [UInt64] = [0, 5, 5, 3, 1 << 63, .max, 0, 1 << 40, (1 << 40) + 70_000]
    var given = times.map { StackedSample(time: $0, tid: -1, stack: 0, key: nil) }
    for index in 0..<70_000 {
      // More kinds than two bytes tell.
      given.append(
        StackedSample(
          time: UInt64.random(in: 0..<1 << 50, using: &random), tid: Int32(index % 7),
          stack: index, key: index % 3 == 0 ? nil : index % 11))
    }
    let stacks = SeenStacks(given)
    func text(_ samples: some Sequence<StackedSample>) -> [String] { samples.map { "\($0)" } }
    #expect(stacks.count == given.count && text(stacks) == text(given))
    #expect(stacks.counts.reduce(0, +) == given.count)
  }
}
