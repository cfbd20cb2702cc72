import Glibc
import PerfData
import Testing

@testable import Recording

@Suite struct TraceFSTests {
  @Test func `mount points are read from the list of mounts`() {
    let text = """
      proc /proc proc rw 0 0
      debugfs /sys/kernel/debug debugfs rw 0 0
      tracefs /a\\040b tracefs rw 0 0
      short
      """
    #expect(
      TraceFS.candidates(mounts: text)
        == ["/sys/kernel/debug/tracing", "/a b", "/sys/kernel/tracing"])
  }

  @Test(.enabled(if: geteuid() == 0))
  func `events are found and the system's mounts stay as they were`() throws {
    let before = KernelFile.text("/proc/self/mounts")
    let files = try TraceFS.locate()
    #expect(KernelFile.text("/proc/self/mounts") == before)
    let id = try #require(files.eventID("sched", "sched_switch"))
    let text = try #require(files.format("sched", "sched_switch"))
    let format = try #require(TracepointFormat(parsing: text, system: "sched"))
    #expect(format.id == Int(id) && format.name == "sched_switch")
    #expect(format.field("next_pid") != nil)
    #expect(files.headerPage.contains("timestamp") && files.headerEvent.contains("type_len"))
    #expect(files.eventID("sched", "no_such_event") == nil)
    #expect(files.format("nothing", "at_all") == nil)
    #expect(throws: RecordingError.self) { try files.read("no_such_file") }
    #expect(files.isWritable("uprobe_events"))
  }
}
