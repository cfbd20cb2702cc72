import Glibc
import Testing

@testable import Recording

@Suite struct StandInTests {
  @Test func `neighbouring ids are one range of a filter`() throws {
    let filter = try #require(ThreadFilter([12, 7, 11, 10, 12]))
    #expect(
      filter.ofThese == "(common_pid>=7&&common_pid<=7)||(common_pid>=10&&common_pid<=12)")
    #expect(filter.ofOthers == "(common_pid<7||common_pid>7)&&(common_pid<10||common_pid>12)")
  }

  @Test func `a filter of no threads or of too many is none`() {
    #expect(ThreadFilter([]) == nil)
    #expect(ThreadFilter((0..<32).map { Int32($0 * 2 + 1) }) != nil)
    #expect(ThreadFilter((0..<33).map { Int32($0 * 2 + 1) }) == nil)
    // A page is what the kernel takes.
    let longest = ThreadFilter((0..<32).map { Int32(4_000_000 + $0 * 2) })
    #expect((longest?.ofThese.utf8.count ?? .max) < 4096)
    #expect((longest?.ofOthers.utf8.count ?? .max) < 4096)
  }

  /// Gives at which of the looks, 100 ms apart, it is time.
  private func due(_ target: [Double], machine perSecond: Double, can: Bool = true) -> [Int] {
    var standIns = StandIns(canTakeOver: can)
    return target.enumerated().filter { look in
      let now = UInt64(look.offset) * 100_000_000
      return standIns.areDue(look.element, now: now) { UInt64(Double(now) / 1e9 * perSecond) }
    }.map(\.offset)
  }

  @Test func `they take over from a target that makes most of the machine's switches for long`() {
    let busy = [Double](repeating: 40_000, count: 7)
    // Of 40,000 records a second 20,000 are waits.
    #expect(due(busy, machine: 60_000) == [3, 6])
    #expect(due(busy, machine: 100_000) == [])
    #expect(due(busy, machine: 60_000, can: false) == [])
    #expect(due([40_000, 40_000, 10_000, 40_000, 40_000, 40_000, 40_000], machine: 60_000) == [6])
    #expect(due([Double](repeating: 19_000, count: 9), machine: 30_000) == [])
  }

  @Test func `the machine's switches are read`() throws {
    let before = try #require(SystemInfo.contextSwitches())
    // A sleep is one switch at least.
    usleep(1_000)
    #expect(try #require(SystemInfo.contextSwitches()) > before)
  }

  @Test func `tracked threads can be listed`() {
    var threads = TrackedThreads(limit: 5_000)
    for tid: Int32 in [4_999, 1, 63, 64, 65, 128] { threads.insert(tid) }
    threads.remove(64)
    #expect(threads.ids == [1, 63, 65, 128, 4_999])
  }
}
