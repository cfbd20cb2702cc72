import Glibc
import Testing

@testable import Recording

@Suite struct CPUWideTakeoverTests {
  /// Gives at which of the looks, 100 ms apart, it is time.
  private func due(_ target: [Double], machine perSecond: Double, can: Bool = true) -> [Int] {
    var takeover = CPUWideTakeover(isPossible: can)
    return target.enumerated().filter { look in
      let now = UInt64(look.offset) * 100_000_000
      return takeover.isDue(look.element, now: now) { UInt64(Double(now) / 1e9 * perSecond) }
    }.map(\.offset)
  }

  @Test
  func
    `CPU-wide events take over from a target that makes most of the machine's switches for long`()
  {
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
}
