import Glibc
import Testing

@testable import Recording

@Suite struct WriteCallsTests {
  /// A /proc of counts that a test sets.
  private final class Counts {
    var of: [Int32: UInt64]
    var ignoring: Set<Int32> = []

    init(_ counts: [Int32: UInt64]) { of = counts }

    var calls: WriteCalls {
      WriteCalls(
        source: WriteCalls.Source(
          count: { self.of[$0] }, ignoresEnds: { self.ignoring.contains($0) },
          exists: { self.of[$0] != nil }))
    }
  }

  @Test func `processes found, created and ended are summed from where their recording began`() {
    let counts = Counts([10: 500])
    let calls = counts.calls
    calls.found(10)
    counts.of = [10: 560, 11: 7, 12: 30]
    calls.created(11, by: 10)
    calls.created(12, by: 10)
    #expect(calls.total == 97)
    calls.ended(12, at: 1)
    #expect(calls.total == 97)
    // Its parent has asked for its status: what it counted is the parent's now, of whose own 3 came to it.
    counts.of = [10: 593, 11: 9]
    #expect(calls.total == 102)
    // One whose status was asked for before its end was known here.
    counts.of = [10: 604]
    calls.ended(11, at: 2)
    #expect(calls.total == 104)
  }

  @Test func `what nobody asks for is counted where it can be read, and else not known`() {
    let counts = Counts([10: 0, 11: 4, 12: 5, 13: 0])
    let calls = counts.calls
    calls.found(10)
    calls.created(11, by: 10)
    calls.created(12, by: 11)
    calls.created(13, by: 12)
    // 11 ends without having waited for 12, which another program will take over.
    calls.ended(11, at: 3)
    counts.of[12] = 8
    #expect(calls.total == 12)
    calls.ended(12, at: 4)
    counts.of[12] = nil
    #expect(calls.total == 12)
    // And 13 of it is gone before it could be read.
    counts.of[13] = nil
    calls.ended(13, at: 5)
    #expect(calls.total == nil)
  }

  @Test func `a parent that wants no ends loses what its children counted`() {
    let counts = Counts([10: 0, 11: 4])
    counts.ignoring = [10]
    let calls = counts.calls
    calls.found(10)
    calls.created(11, by: 10)
    #expect(calls.total == 4)
    counts.of[11] = nil
    calls.ended(11, at: 6)
    #expect(calls.total == nil)
  }

  @Test func `a child from before the recording would bring what it counted before`() {
    let counts = Counts([10: 0, 9: 400])
    let calls = counts.calls
    calls.found(10, children: [9])
    #expect(calls.total == 0)
    counts.of = [10: 400]
    #expect(calls.total == nil)
  }

  @Test func `many ended children whose ends are not asked for yet are read once in a while`() {
    let counts = Counts([10: 0])
    let calls = counts.calls
    calls.found(10)
    for pid: Int32 in 100..<300 {
      counts.of[pid] = 2
      calls.created(pid, by: 10)
      calls.ended(pid, at: 7)
    }
    #expect(calls.total == 400)
    for pid: Int32 in 100..<250 { counts.of[pid] = nil }
    counts.of[10] = 300
    #expect(calls.total == 400)
  }

  @Test func `ends that become known late, and in another order, lose nothing`() {
    let counts = Counts([10: 0])
    let calls = counts.calls
    calls.found(10)
    // 11 and its child 12 end, and 10 has asked for the end of 11, before any of it is known.
    calls.created(11, by: 10)
    calls.created(12, by: 11)
    counts.of = [10: 250_100]
    #expect(calls.total == 250_100)
    // The parent's end is known before the child's, as with the records of two CPUs.
    calls.ended(11, at: 30)
    #expect(calls.total == nil)
    calls.ended(12, at: 20)
    #expect(calls.total == 250_100)
    // An end that is known before the beginning.
    calls.ended(13, at: 40)
    calls.created(13, by: 10)
    counts.of[10] = 250_150
    #expect(calls.total == 250_150)
  }

  @Test(arguments: [true, false])
  func `of children that were there before only what they counted since counts`(isTold: Bool) {
    let counts = Counts([10: 100, 11: 40, 12: 7])
    let calls = counts.calls
    calls.found(10)
    calls.found(11, by: 10)
    calls.found(12, by: 11)
    counts.of = [10: 101, 11: 45, 12: 9]
    #expect(calls.total == 8)
    // 11 has asked for the end of 12, and 10 for that of 11.
    counts.of = [10: 156]
    if isTold {
      calls.ended(12, at: 1)
      calls.ended(11, at: 2)
    }
    #expect(calls.total == 156 - 147)
  }

  @Test func `a child that outlives its parent and ends unseen is not known`() {
    let counts = Counts([10: 0])
    let calls = counts.calls
    calls.found(10)
    calls.created(11, by: 10)
    calls.created(12, by: 11)
    calls.ended(11, at: 30)
    calls.ended(12, at: 50)
    #expect(calls.total == nil)
  }

  @Test func `a child that ends while the counts are read is counted once`() {
    for isReadFirst in [true, false] {
      let counts = Counts([10: 5, 11: 70])
      var reads = 0
      let calls = WriteCalls(
        source: WriteCalls.Source(
          count: { pid in
            reads += 1
            // After the first or before the second count of the second reading.
            if reads == 2, !isReadFirst { counts.of = [10: 75] }
            defer { if reads == 3, isReadFirst { counts.of = [10: 75] } }
            return counts.of[pid]
          }, ignoresEnds: { _ in false }, exists: { counts.of[$0] != nil }))
      calls.found(10)
      calls.created(11, by: 10)
      #expect(calls.total == 70)
      #expect(calls.total == 70)
      #expect(counts.of == [10: 75])
    }
  }

  private func start(_ script: String) throws -> pid_t {
    var pid: pid_t = 0
    let arguments = ["sh", "-c", script]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    try #require(posix_spawnp(&pid, "sh", nil, nil, &words, nil) == 0)
    return pid
  }

  @Test func `the count of a process that has ended is there until it is reaped`() throws {
    let write = "dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none"
    for script in ["exec \(write)", "\(write); exit"] {
      let pid = try start(script)
      defer { waitpid(pid, nil, 0) }
      let calls = WriteCalls()
      calls.created(pid, by: 1)
      var information = siginfo_t()
      try #require(waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == 0)
      calls.ended(pid, at: 8)
      #expect(calls.total == 1_000, "\(script)")
    }
  }

  @Test func `who ignores the ends of its children is known`() throws {
    let source = WriteCalls.Source.proc
    for (script, ignores) in [
      ("exec sleep 5", false), ("exec env --ignore-signal=CHLD sleep 5", true),
    ] {
      let pid = try start(script)
      defer {
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
      }
      // Until it is the other program.
      for _ in 0..<500 where ProcessStatistics(pid: pid)?.name != "sleep" { usleep(10_000) }
      #expect(source.ignoresEnds(pid) == ignores, "\(script)")
      #expect(source.exists(pid))
    }
    #expect(!source.exists(4_194_304))
  }
}
