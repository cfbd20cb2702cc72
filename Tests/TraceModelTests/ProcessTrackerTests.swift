import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

/// What is known of a process's program as it goes on.
@Suite struct ProcessTrackerTests {
  private func time(_ nanoseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: nanoseconds) }

  @Test func `a child is its parent's program until it runs another`() throws {
    var tracker = ProcessTracker()
    tracker.forked(pid: 7, from: 1, name: "first", at: time(1))
    var program = ProcessEvent(
      pid: 7, parentPid: 1, kind: .exec, executable: "/bin/first", commandLine: ["first"],
      isSwift: true, swiftVersion: "6.3")
    program.codeBytes = 4096
    tracker.described(program, at: time(2))
    for child: Int32 in [8, 9] {
      tracker.forked(pid: child, from: 7, name: "first", at: time(3))
    }
    // The one runs another program, of which no more is known than its name and its file.
    tracker.named(pid: 9, tid: 9, name: "second", isExec: true, at: time(4))
    tracker.mapped(
      MmapRecord(
        pid: 9, tid: 9, start: 4096, length: 4096, fileOffset: 0, protection: 5, flags: 2,
        path: "/bin/second", buildID: nil))
    let processes = tracker.finish(threads: [])
    let same = try #require(processes.first { $0.pid == 8 })
    #expect(same.executable == "/bin/first" && same.commandLine == ["first"] && same.isSwift)
    #expect(same.codeBytes == 4096 && same.swiftVersion == "6.3")
    let other = try #require(processes.first { $0.pid == 9 })
    #expect(other.executable == "/bin/second" && other.name == "second" && !other.isSwift)
    #expect(other.codeBytes == nil && other.swiftVersion == nil)
    #expect(other.programStart == time(4))
  }

  // `swift test` scored a process that was called notesPackageTes.
  @Test(arguments: [
    ("notesPackageTes", "/p/.build/debug/notesPackageTests.xctest", "notesPackageTests.xctest"),
    // The kernel cuts a name of 16 bytes too, and leaves one of 15 as it is.
    ("abcdefghijklmno", "/bin/abcdefghijklmnop", "abcdefghijklmnop"),
    ("abcdefghijklmno", "/bin/abcdefghijklmno", "abcdefghijklmno"),
    // Of a script the file is the interpreter, and a short name is nobody's beginning.
    ("a-long-named-sc", "/usr/bin/bash", "a-long-named-sc"), ("note", "/bin/notebook", "note"),
  ])
  func `a name that the kernel cut is that of the file whose name goes on from there`(
    kept: String, file: String, whole: String
  ) throws {
    var builder = TraceBuilder()
    try builder.capture(time: 1_000_000_000, rootPid: 100)
    builder.comm(time: 1_000_000_000, pid: 100, tid: 100, name: kept, isExec: true)
    try builder.process(time: 1_000_001_000, pid: 100, kind: .exec, executable: file)
    builder.thread(101, of: 100)
    builder.comm(time: 1_100_000_000, pid: 100, tid: 101, name: "oot.default-qos")
    builder.switchIn(time: 1_200_000_000, 100)
    builder.switchOut(time: 1_500_000_000, 100)
    for asked in [whole, kept, "100"] {
      let trace = try builder.withFile {
        try Trace.load(path: $0, options: TraceOptions(process: asked))
      }
      #expect(trace.subject.name == whole && trace.processes.first { $0.pid == 100 }?.name == whole)
      #expect(trace.threads.first { $0.tid == 100 }?.name == whole)
      #expect(trace.threads.first { $0.tid == 101 }?.name == "default-qos")
    }
  }

  @Test func `a worker's name that libdispatch cut is told only where one queue can be meant`() {
    #expect(WholeName.ofThread("r-initiated-qos", program: "p") == "user-initiated-qos")
    #expect(WholeName.ofThread("-qos.overcommit", program: "p") == "-qos.overcommit")
  }
}
