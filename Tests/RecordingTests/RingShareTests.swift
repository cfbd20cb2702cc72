import Testing

@testable import Recording

struct RingShareTests {
  /// perf_event_mlock_kb for each of so many CPUs and what `ulimit -l` adds, in KiB.
  private func share(_ cpus: Int, each: Int = 516, more: Int = 0) -> Int? {
    RingShare.bytes(cpus: cpus, lockable: (each * cpus + more) << 10, page: 4096).map { $0 >> 10 }
  }

  @Test func `all CPUs' rings, small and large, find room in what a user may lock`() {
    #expect(share(2) == 256 && share(64) == 256)
    // 4 MiB and both extras for each of two; of each of sixteen a sixteenth.
    #expect(share(2, more: 8192) == 4096)
    #expect(share(16, more: 8192) == 512)
    for cpus in [1, 2, 3, 8, 96] {
      for (each, more) in [(516, 0), (516, 8192), (4, 8192), (64, 100)] {
        guard let kilobytes = share(cpus, each: each, more: more) else { continue }
        #expect(cpus * (kilobytes + 4 + 16 + 4) <= each * cpus + more, "\(cpus) \(each) \(more)")
      }
    }
  }

  @Test func `without room there is none, and without a limit the largest`() {
    #expect(share(2, each: 4) == nil)
    #expect(RingShare.bytes(cpus: 2, lockable: nil) == 16 << 20)
    #expect(RingShare.bytes(cpus: 64, lockable: nil) == 8 << 20)
  }
}
