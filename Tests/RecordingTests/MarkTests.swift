import Foundation
import PerfData
import Synchronization
import Testing

@testable import Recording

/// What went wrong in another thread.
private final class Failure: Sendable {
  private let text = Mutex<String?>(nil)
  func set(_ value: String) { text.withLock { $0 = value } }
  var value: String? { text.withLock { $0 } }
}

@Suite struct MarkTests {
  @Test func `a message survives its text`() {
    let message = MarkMessage(pid: 12, how: "command", name: "tab\u{301} and space")
    #expect(MarkMessage(message.text) == message)
  }

  @Test(arguments: [
    "", "12", "12\t5\tcommand\t", "x\t5\tcommand\tn", "1\t5\tmagic\tn", "1\t5\tcommand\ta\nb",
  ])
  func `what is no message is refused`(text: String) {
    #expect(MarkMessage(text) == nil)
  }

  @Test func `names are short and printable`() {
    #expect(MarkMessage.isName("ready"))
    #expect(!MarkMessage.isName(""))
    #expect(!MarkMessage.isName(String(repeating: "x", count: 101)))
    #expect(!MarkMessage.isName("a\u{1b}[31m"))
  }

  @Test func `a mark reaches the recorder of its process, once`() throws {
    let socket = try #require(MarkSocket(pid: getpid(), owner: nil))
    #expect(MarkSocket(pid: getpid(), owner: nil) == nil, "one recorder a process")
    let failure = Failure()
    let sender = Thread {
      do throws(RecordingError) {
        try MarkMessage(pid: getpid(), how: "command", name: "ready").send()
      } catch { failure.set(error.message) }
    }
    sender.start()
    var marks: [(event: MarkEvent, pid: Int32, time: UInt64)] = []
    for _ in 0..<60_000 where marks.isEmpty && failure.value == nil {
      marks = socket.receive()
      usleep(1000)
    }
    #expect(failure.value == nil)
    #expect(marks.map(\.event) == [MarkEvent(name: "ready", how: "command")])
    #expect(marks.first?.pid == getpid())
  }

  @Test func `without a recorder the sender is told what to do`() {
    #expect(throws: RecordingError.self) {
      try MarkMessage(pid: 1, how: "command", name: "ready").send()
    }
  }

  @Test func `the memory cgroup of both versions, but never the root`() {
    let mounts = """
      cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
      cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
      """
    let first = MemoryPressure.group(cgroups: "4:memory:/box/one\n0::/\n", mounts: mounts)
    #expect(first?.limit == "/sys/fs/cgroup/memory/box/one/memory.limit_in_bytes")
    #expect(MemoryPressure.group(cgroups: "4:memory:/\n0::/\n", mounts: mounts) == nil)
    #expect(MemoryPressure.group(cgroups: "", mounts: mounts) == nil)
    #expect(
      MemoryPressure.group(cgroups: "0::/no/such/group\n", mounts: mounts) == nil,
      "a cgroup without the memory controller cannot be squeezed")
  }

  @Test func `a shared memory cgroup is left alone`() {
    // The parent of this test lives in the same cgroup, or the cgroup cannot be used at all.
    guard case .refused(let reason) = MemoryPressure.apply(to: getpid(), level: .warning) else {
      Issue.record("the cgroup of the test itself was squeezed")
      return
    }
    #expect(!reason.isEmpty)
  }
}
