import Glibc
import PerfData
import Testing

@testable import Recording

/// What is looked at from outside, from the beginning of a recording on.
@Suite struct OutsideSourceTests {
  // The first look comes after all that a recording begins with is told: a wait that it found was told to have lasted
  // since the beginning, whatever the thread had done before.
  @Test func `a thread that goes on before the first look was in another wait before`() throws {
    let target = try WaitingTarget(["sh", "-c", "read line; exec sleep 60"])
    let path = Scratch.path()
    defer {
      kill(target.pid, SIGKILL)
      target.finish()
      unlink(path)
    }
    let source = OutsideSource(
      of: .process(try AttachedProcess(pid: target.pid, takesChildren: false)),
      RecordingOptions(target: .pid(target.pid), outputPath: path),
      beside: EventSet(specs: [], cpus: []))
    let began = SystemInfo.monotonicNanoseconds()
    target.goOn()
    let writer = try PerfDataWriter(
      path: path, attributes: source.attributes, features: FileFeatures())
    let sink = TraceSink(writer: writer, synthetic: [])
    source.start(at: began)
    try source.collect(Round(now: SystemInfo.monotonicNanoseconds(), sink: sink))
    try sink.flushWhole()
    try writer.finish(features: FileFeatures())
    let records = try PerfDataFile(path: path).orderedRecords()
    let waits = records.filter { $0.type == RecordType.sample }.map(\.time)
    #expect(waits.count == 2 && waits.first == began && waits[1] > began, "\(waits)")
    // It left, came back and left again.
    let switches = records.filter { $0.type == RecordType.contextSwitch }.map(\.time)
    #expect(switches.count >= 3 && switches.first == began, "\(switches)")
  }
}
