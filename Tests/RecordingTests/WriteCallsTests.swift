import Glibc
import Testing

@testable import Recording

@Suite struct WriteCallsTests {
  @Test func `processes found, created and ended are summed from where their recording began`() {
    var counts: [Int32: UInt64] = [10: 500]
    let calls = withUnsafeMutablePointer(to: &counts) { counts in
      let calls = WriteCalls { counts.pointee[$0] }
      calls.found(10)
      counts.pointee = [10: 560, 11: 7, 12: 30]
      calls.created(11)
      calls.created(12)
      #expect(calls.total == 97)
      calls.ended(12)
      counts.pointee[12] = nil
      counts.pointee[11] = 9
      #expect(calls.total == 99)
      // One that nobody can ask any longer.
      counts.pointee[11] = nil
      calls.ended(11)
      return calls.total
    }
    #expect(calls == nil)
  }

  @Test func `the count of a process that has ended is there until it is reaped`() throws {
    var pid: pid_t = 0
    let arguments = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=1000", "status=none"]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    try #require(posix_spawnp(&pid, "dd", nil, nil, &words, nil) == 0)
    defer { waitpid(pid, nil, 0) }
    let calls = WriteCalls()
    calls.created(pid)
    var information = siginfo_t()
    try #require(waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == 0)
    calls.ended(pid)
    #expect(calls.total == 1_000)
  }
}
