import CProcessor
import Dispatch
import Glibc
import Processors
import Synchronization
import Testing

struct NeighbourThreadTests {
  /// The CPUs on which the calling thread may be.
  private static func allowed() -> Set<Int> {
    var mask = [UInt8](repeating: 0, count: 1024)
    guard lull_allowed_cpus(0, &mask, mask.count) else { return [] }
    return Set((0..<mask.count * 8).filter { mask[$0 / 8] & 1 << ($0 % 8) != 0 })
  }

  @Test(.enabled(if: allowed().count > 1, "threads may be on one CPU only"))
  func `a thread begins on another CPU, and may be anywhere`() {
    let before = Self.allowed()
    let seen = Mutex<[(beginner: Int32, cpu: Int32, allowed: Set<Int>)]>([])
    let hasBegun = DispatchSemaphore(value: 0)
    for _ in 0..<20 {
      let here = lull_this_cpu()
      #expect(
        NeighbourThread.begin {
          let cpu = lull_this_cpu()
          seen.withLock { $0.append((here, cpu, Self.allowed())) }
          hasBegun.signal()
        })
      hasBegun.wait()
    }
    let all = seen.withLock { $0 }
    #expect(all.allSatisfy { $0.allowed == before } && Self.allowed() == before)
    // Other tests keep the CPUs busy, so that the scheduler may move it at once.
    #expect(all.count { $0.cpu != $0.beginner } > 10)
  }

  @Test func `signals are left to the other threads`() {
    @Sendable func blocks(_ number: Int32) -> Bool {
      var mask = sigset_t()
      return pthread_sigmask(SIG_BLOCK, nil, &mask) == 0 && sigismember(&mask, number) == 1
    }
    let before = blocks(SIGTERM)
    let seen = Mutex((false, true))
    let done = DispatchSemaphore(value: 0)
    #expect(
      NeighbourThread.begin {
        seen.withLock { $0 = (blocks(SIGTERM) && blocks(SIGINT), blocks(SIGSEGV)) }
        done.signal()
      })
    done.wait()
    #expect(seen.withLock { $0 } == (true, false))
    #expect(blocks(SIGTERM) == before)
  }

  @Test func `many threads at once do all their work`() {
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
