import PerfData
import Testing

@testable import TraceModel

struct SystemCallTests {
  private func at(_ microseconds: UInt64) -> Timestamp {
    Timestamp(nanoseconds: microseconds * 1000)
  }

  @Test func `a call's time is from its beginning to its end, where both were recorded`() throws {
    var tracker = SystemCallTracker()
    // Of a new thread only the end of the call that made its maker is there.
    tracker.exit(pid: 1, tid: 2, number: 56, hasFailed: false, at: at(1))
    tracker.enter(tid: 2, number: 0, at: at(10))
    tracker.enter(tid: 3, number: 0, at: at(11))
    tracker.exit(pid: 1, tid: 2, number: 0, hasFailed: false, at: at(30))
    tracker.exit(pid: 1, tid: 3, number: 0, hasFailed: true, at: at(31))
    tracker.enter(tid: 2, number: 0, at: at(40))
    tracker.exit(pid: 1, tid: 2, number: 0, hasFailed: true, at: at(45))
    // The end after a signal's handler names no call.
    tracker.enter(tid: 2, number: 15, at: at(50))
    tracker.exit(pid: 1, tid: 2, number: -1, hasFailed: false, at: at(51))
    tracker.exit(pid: 1, tid: 2, number: 0, hasFailed: false, at: at(60))
    let totals = tracker.calls.totals
    #expect(totals.count == 3)
    let reads = try #require(totals[.init(pid: 1, tid: 2, number: 0)])
    #expect(reads.count == 3 && reads.errors == 1 && reads.timed == 2)
    #expect(reads.total.nanoseconds == 25_000)
    #expect(reads.shortest?.nanoseconds == 5_000 && reads.longest?.nanoseconds == 20_000)
    let born = try #require(totals[.init(pid: 1, tid: 2, number: 56)])
    #expect(born.count == 1 && born.timed == 0 && born.shortest == nil)
    let later = tracker.calls.filtered { $0.time >= at(40) }.totals
    #expect(later[.init(pid: 1, tid: 2, number: 0)]?.count == 2)
    #expect(later[.init(pid: 1, tid: 3, number: 0)] == nil)
  }

  @Test(
    arguments: [
      (0, "read"), (257, "openat"), (334, "rseq"), (424, "pidfd_send_signal"), (435, "clone3"),
      (462, "mseal"), (400, "syscall 400"), (-1, "syscall -1"),
    ] as [(Int32, String)])
  func `calls are named as the kernel's table names them`(number: Int32, name: String) {
    #expect(SystemCall.name(of: number, architecture: "x86_64") == name)
    #expect(SystemCall.name(of: number, architecture: "aarch64") == "syscall \(number)")
  }
}
