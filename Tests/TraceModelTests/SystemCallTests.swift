import PerfData
import Quantities
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
    tracker.enter(pid: 1, tid: 2, number: 0, at: at(10))
    tracker.enter(pid: 1, tid: 3, number: 0, at: at(11))
    tracker.exit(pid: 1, tid: 2, number: 0, hasFailed: false, at: at(30))
    tracker.exit(pid: 1, tid: 3, number: 0, hasFailed: true, at: at(31))
    tracker.enter(pid: 1, tid: 2, number: 0, at: at(40))
    tracker.exit(pid: 1, tid: 2, number: 0, hasFailed: true, at: at(45))
    // The end after a signal's handler names no call.
    tracker.enter(pid: 1, tid: 2, number: 15, at: at(50))
    tracker.exit(pid: 1, tid: 2, number: -1, hasFailed: false, at: at(51))
    tracker.exit(pid: 1, tid: 2, number: 0, hasFailed: false, at: at(60))
    let totals = tracker.finish(subject: 1, ranAnother: false)
    #expect(totals.count == 3)
    let reads = try #require(totals[.init(pid: 1, tid: 2, number: 0)])
    #expect(reads.count == 3 && reads.errors == 1 && reads.timed == 2)
    #expect(reads.total.nanoseconds == 25_000)
    #expect(reads.shortest.nanoseconds == 5_000 && reads.longest.nanoseconds == 20_000)
    let born = try #require(totals[.init(pid: 1, tid: 2, number: 56)])
    #expect(born.count == 1 && born.timed == 0)
  }

  @Test func `calls outside the window, and of the subject's earlier program, do not count`() {
    var tracker = SystemCallTracker()
    tracker.window = at(10)...at(100)
    func call(_ pid: Int32, _ tid: Int32, _ start: UInt64, _ end: UInt64) {
      tracker.enter(pid: pid, tid: tid, number: 1, at: at(start))
      tracker.exit(pid: pid, tid: tid, number: 1, hasFailed: false, at: at(end))
    }
    call(1, 1, 5, 9)
    call(1, 1, 9, 10)
    call(1, 2, 11, 12)
    call(3, 3, 11, 12)
    // execve begins in one program and comes back in the next.
    tracker.enter(pid: 1, tid: 1, number: 59, at: at(20))
    tracker.exec(pid: 1)
    tracker.exit(pid: 1, tid: 1, number: 59, hasFailed: false, at: at(30))
    tracker.exec(pid: 3)
    call(1, 1, 40, 50)
    tracker.begin(tid: 2)
    call(1, 2, 60, 70)
    call(1, 1, 99, 101)
    func counts(subject: Int32, ranAnother: Bool) -> [Int] {
      let totals = tracker.finish(subject: subject, ranAnother: ranAnother)
      let keys: [SystemCall.Key] = [
        .init(pid: 1, tid: 1, number: 1), .init(pid: 1, tid: 2, number: 1),
        .init(pid: 1, tid: 1, number: 59), .init(pid: 3, tid: 3, number: 1),
      ]
      return keys.map { totals[$0]?.count ?? 0 }
    }
    #expect(counts(subject: 1, ranAnother: true) == [1, 1, 1, 1])
    #expect(counts(subject: 3, ranAnother: true) == [2, 2, 1, 0])
    #expect(counts(subject: 1, ranAnother: false) == [2, 2, 1, 1])
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
