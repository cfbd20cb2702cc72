import Glibc
import PerfData
import Testing

@testable import Recording

/// What a thread that waits as its recording begins is told to wait in.
@Suite struct EarlierWaitsTests {
  private func records(
    from target: WaitingTarget, meanwhile: () -> Void = {}, afterwards: () -> Void
  ) throws -> [(time: UInt64, type: UInt32)] {
    let waits = try #require(
      EarlierWaits(of: [target.pid], nil, besidePrograms: true, stackBytes: 1024))
    let path = Scratch.path()
    defer { unlink(path) }
    let symbol = SyntheticEvent.kernelSymbol.attribute(ids: [1])
    let writer = try PerfDataWriter(
      path: path, attributes: [symbol] + waits.attributes, features: FileFeatures())
    let sink = TraceSink(writer: writer, synthetic: [symbol])
    meanwhile()
    waits.eventsAreOpen()
    waits.eventsAreOn(at: 1_000)
    afterwards()
    waits.start(at: 1_000)
    try waits.collect(Round(now: SystemInfo.monotonicNanoseconds(), sink: sink))
    try sink.flushWhole()
    try writer.finish(features: FileFeatures())
    let file = try PerfDataFile(path: path)
    return file.orderedRecords().map { ($0.time, $0.type) }
  }

  @Test func `a wait that ends before anything is collected was one until then`() throws {
    let target = try WaitingTarget()
    let records = try records(from: target) { target.finish() }
    #expect(records.contains { $0.type == RecordType.contextSwitch && $0.time == 1_000 })
    #expect(records.contains { $0.type == RecordType.sample && $0.time == 1_000 })
  }

  // As the events of many threads were opened one went on to its next wait, of which nothing was told.
  @Test func `a wait that began while the events were opened is told too`() throws {
    let target = try WaitingTarget(["sh", "-c", "read line; exec sleep 60"])
    let records = try records(from: target, meanwhile: { target.goOn() }, afterwards: {})
    #expect(records.contains { $0.type == RecordType.contextSwitch && $0.time == 1_000 })
    #expect(records.contains { $0.type == RecordType.sample && $0.time == 1_000 })
    kill(target.pid, SIGKILL)
    target.finish()
  }
}
