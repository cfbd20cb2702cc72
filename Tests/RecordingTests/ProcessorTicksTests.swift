import CPreloadRing
import Glibc
import Testing

@testable import Recording

@Suite struct `Processor ticks` {
  @Test func `only where the clock goes by them they are used`() {
    for source in ["kvm-clock\n", "hpet\n", "arch_sys_counter\n", "", nil] as [String?] {
      #expect(ProcessorTicks.scale(source: source) == 0)
    }
  }

  @Test(.enabled(if: lull_ticks() != 0, "the processor's counter is not used here"))
  func `a tick takes as long as the clock says over a longer time`() {
    func look() -> (ticks: UInt64, time: UInt64) {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return (lull_ticks(), UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }
    let scale = ProcessorTicks.scale(source: "tsc\n")
    let before = look()
    usleep(200_000)
    let after = look()
    let told = Double(after.ticks - before.ticks) * Double(scale) / 4_294_967_296
    let truth = Double(after.time - before.time)
    // Some tens of nanoseconds in two milliseconds; what came between the two looks here counts as well.
    #expect(abs(told / truth - 1) < 1e-3, "\(told) ns of \(truth)")
  }
}
