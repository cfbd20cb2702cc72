import Quantities
import Testing

@testable import TraceModel

/// Stacks of writes and sends that are told once and meant again.
@Suite struct CallSitesTests {
  private func sample(_ time: UInt64, tid: Int32 = 7, stack: Int) -> CallSiteSample {
    CallSiteSample(time: Timestamp(nanoseconds: time), tid: tid, stack: stack)
  }

  private func at(_ time: UInt64) -> Timestamp { Timestamp(nanoseconds: time) }

  @Test func `what is told again is of the same kind and stack`() {
    var sites = CallSites()
    sites.add(sample(100, stack: 1), isSend: true)
    sites.add(sample(200, stack: 2), isSend: false)
    sites.add(at: at(300), tid: 7, asAt: 100)
    sites.add(at: at(400), tid: 7, asAt: 200)
    sites.add(at: at(500), tid: 7, asAt: 100)
    #expect(sites.sends.map(\.stack) == [1, 1, 1])
    #expect(sites.sends.map(\.time.nanoseconds) == [100, 300, 500])
    #expect(sites.writes.map(\.stack) == [2, 2])
    #expect(sites.writes.map(\.time.nanoseconds) == [200, 400])
  }

  @Test func `of another thread, or of a time when nothing was told, nothing is meant`() {
    var sites = CallSites()
    sites.add(sample(100, stack: 1), isSend: true)
    sites.add(at: at(300), tid: 8, asAt: 100)
    sites.add(at: at(300), tid: 7, asAt: 101)
    #expect(sites.sends.count == 1 && sites.writes.isEmpty)
  }

  @Test func `of many the old are forgotten, and the recorder tells them anew`() {
    var sites = CallSites()
    let second: UInt64 = 1_000_000_000
    for number in 0..<300 {
      sites.add(sample(UInt64(number) * second, stack: number), isSend: true)
    }
    sites.add(at: at(300 * second), tid: 7, asAt: 295 * second)
    sites.add(at: at(300 * second), tid: 7, asAt: 10 * second)
    #expect(sites.sends.count == 301 && sites.sends.last?.stack == 295)
  }
}
