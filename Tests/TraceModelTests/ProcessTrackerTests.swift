import PerfData
import Quantities
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
}
