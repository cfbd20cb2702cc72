import PerfData
import Testing

@testable import TraceModel

@Suite struct DescriptorTests {
  private func at(_ time: UInt64) -> Timestamp { Timestamp(nanoseconds: time) }

  @Test func `a child has its parent's files until it becomes another program`() {
    var tracker = DescriptorTracker()
    tracker.open(pid: 1, fd: 1, path: "/var/log/out", at: at(10))
    tracker.open(pid: 1, fd: 7, path: "/var/lib/data", at: at(20))
    tracker.forked(2, from: 1)
    #expect(tracker.target(pid: 2, fd: 7, at: at(30)).path == "/var/lib/data")
    tracker.exec(2, at: at(40))
    #expect(tracker.target(pid: 2, fd: 1, at: at(50)).path == "/var/log/out")
    // The number may be anything now, an eventfd for one.
    #expect(tracker.target(pid: 2, fd: 7, at: at(50)).kind == "unknown")
    tracker.seen(pid: 2, fd: 7, path: "anon_inode:[eventfd]", kind: "other", at: at(60))
    #expect(tracker.target(pid: 2, fd: 7, at: at(70)).kind == "other")
  }
}
