import CProcessor
import Dispatch
import Processors
import Synchronization
import Testing

import func Glibc.usleep

struct NeighbourThreadTests {
  /// The CPUs on which the calling thread may be.
  private static func allowed() -> Set<Int> {
    var mask = [UInt8](repeating: 0, count: 1024)
    guard lull_allowed_cpus(0, &mask, mask.count) else { return [] }
    return Set((0..<mask.count * 8).filter { mask[$0 / 8] & 1 << ($0 % 8) != 0 })
  }

  @Test(
    "each thread is kept off the other's CPU while both work",
    .enabled(if: allowed().count > 1, "threads may be on one CPU only"))
  func apart() {
    let before = Self.allowed()
    let seen = Mutex<(cpu: Int, allowed: Set<Int>)>((-1, []))
    let hasBegun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    #expect(
      NeighbourThread.begin {
        seen.withLock { $0 = (Int(lull_this_cpu()), Self.allowed()) }
        hasBegun.signal()
        mayEnd.wait()
      })
    hasBegun.wait()
    let during = Self.allowed()
    let (cpu, others) = seen.withLock { $0 }
    #expect(during == before.subtracting([cpu]))
    #expect(others.count == before.count - 1 && others.isSubset(of: before))
    #expect(others.contains(cpu))
    mayEnd.signal()
    // The other thread lets this one go as it ends.
    while Self.allowed() != before { usleep(1000) }
  }

  @Test("many threads at once do all their work")
  func many() {
    let sum = Mutex(0)
    let done = DispatchSemaphore(value: 0)
    for number in 1...20 {
      let begins = NeighbourThread.begin {
        sum.withLock { $0 += number }
        done.signal()
      }
      #expect(begins)
    }
    for _ in 1...20 { done.wait() }
    #expect(sum.withLock { $0 } == 210)
  }
}
