import PerfData
import TestSupport
import Testing

struct RewriteTests {
  @Test func `records are added to a finished trace and every feature is kept`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/t"
    var builder = TraceBuilder()
    builder.comm(time: 1, pid: 5, tid: 5, name: "five")
    try builder.write(to: path)
    let before = try PerfDataFile(path: path)
    let added = RecordBuilder.comm(pid: 5, tid: 5, name: "added", time: 2, id: 100)
    try PerfDataAppender.append(records: added, toTraceAt: path)
    let after = try PerfDataFile(path: path)
    #expect(!after.isTruncated)
    #expect(after.orderedRecords().count == before.orderedRecords().count + 1)
    #expect(after.orderedRecords().last.flatMap(after.comm)?.name == "added")
    #expect(after.attributes == before.attributes)
    #expect(after.features.tracingData == before.features.tracingData)
    #expect(after.features.hostname == before.features.hostname)
    #expect(throws: PerfDataError.self) {
      try PerfDataAppender.append(records: [1, 2, 3], toTraceAt: path)
    }
  }

  @Test func `stacks that have names are taken out, and nothing else`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/t"
    do {
      let writer = try PerfDataWriter(
        path: path, attributes: SmallTrace.attributes, features: SmallTrace.features)
      try writer.append(SmallTrace.recordList.flatMap { $0 })
      try writer.finish(features: SmallTrace.features)
    }
    func samples() throws -> [Sample] {
      let file = try PerfDataFile(path: path)
      return try file.orderedRecords().filter { $0.type == RecordType.sample }.map(file.sample)
    }
    let before = try samples()
    let records = try PerfDataFile(path: path).orderedRecords().count
    let added = RecordBuilder.comm(pid: 5, tid: 5, name: "added", time: 70, id: 7)
    func take(keeping kept: Set<SampleMoment>, in times: ClosedRange<UInt64>) throws {
      try PerfDataAppender.append(
        records: added, toTraceAt: path,
        removal: StackRemoval(keeping: kept, in: times, attributes: SmallTrace.attributes))
    }
    try take(keeping: [SampleMoment(time: 50, tid: 6)], in: 0...100)
    #expect(try samples().map(\.userStack) == before.map(\.userStack))
    try take(keeping: [], in: 51...100)
    #expect(try samples().map(\.userStack) == before.map(\.userStack))
    // Another sample's.
    try take(keeping: [SampleMoment(time: 50, tid: 5)], in: 50...50)
    let after = try samples()
    #expect(after.count == before.count)
    let place = try #require(before.firstIndex { $0.userStack.isEmpty == false })
    #expect(after[place].userStack.isEmpty && after[place].userRegisters == nil)
    #expect(after[place].callchain == before[place].callchain)
    #expect(after[place].raw?.bytes == before[place].raw?.bytes)
    #expect(after[place].ip == 0x1234 && after[place].period == 3)
    let file = try PerfDataFile(path: path)
    #expect(!file.isTruncated && file.orderedRecords().count == records + 3)
    #expect(file.features.hostname == "häuschen")
  }

  @Test func `nothing is added to a trace that was not finished`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/t"
    do {
      let writer = try PerfDataWriter(path: path, attributes: SmallTrace.attributes)
      try writer.append(SmallTrace.recordList[0])
    }
    #expect(throws: PerfDataError.self) {
      try PerfDataAppender.append(records: SmallTrace.recordList[0], toTraceAt: path)
    }
  }

  @Test func `a copy has the changed records and features and no trace of the old ones`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let (path, copy) = (directory.path + "/t", directory.path + "/copy")
    var builder = TraceBuilder()
    builder.comm(time: 1, pid: 5, tid: 5, name: "secretname")
    builder.comm(time: 2, pid: 5, tid: 5, name: "dropped")
    builder.features.hostname = "secrethost"
    try builder.write(to: path)
    let original = try PerfDataFile(path: path)
    try TraceRewriter.rewrite(
      pathIn: path, pathOut: copy,
      transform: { bytes, entry in
        guard let comm = original.comm(entry) else { return bytes }
        if comm.name == "dropped" { return nil }
        return RecordBuilder.comm(
          pid: comm.pid, tid: comm.tid, name: "a much longer name than before", time: entry.time,
          id: 100)
      }, features: { $0.hostname = "redacted" })
    let file = try PerfDataFile(path: copy)
    #expect(file.features.hostname == "redacted")
    #expect(file.features.osRelease == original.features.osRelease)
    #expect(file.features.tracingData == original.features.tracingData)
    let names = file.orderedRecords().compactMap { file.comm($0)?.name }
    #expect(names == ["a much longer name than before"])
    let records = file.orderedRecords().flatMap { file.bytes(of: $0) }
    let secret = Array("secrethost".utf8)
    #expect(!records.indices.contains { records[$0...].starts(with: secret) })
  }

  @Test func `a changed record that is not whole is refused`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/t"
    var builder = TraceBuilder()
    builder.comm(time: 1, pid: 5, tid: 5, name: "name")
    try builder.write(to: path)
    #expect(throws: PerfDataError.self) {
      try TraceRewriter.rewrite(
        pathIn: path, pathOut: directory.path + "/copy",
        transform: { bytes, _ in Array(bytes.dropLast()) }, features: { _ in })
    }
  }
}
