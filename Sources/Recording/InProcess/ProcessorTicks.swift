import CPreloadRing
import Glibc

/// The processor's counter, by which programs that are recorded from within have the time at half the clock's cost.
enum ProcessorTicks {
  private static let clockSource =
    "/sys/devices/system/clocksource/clocksource0/current_clocksource"
  /// How long is waited between two looks, in microseconds: each is some 20 ns off.
  private static let pause: useconds_t = 2_000
  private static let looks = 16

  /// Nanoseconds of CLOCK_MONOTONIC that a tick takes, times 2³².
  ///
  /// 0 where the kernel's clock goes by something else: then the counter may stop, or tell each processor another time.
  static func scale(
    source: String? = KernelFile.text(clockSource)
  ) -> UInt64 {
    guard lull_ticks() != 0, source?.split(whereSeparator: \.isWhitespace).first == "tsc" else {
      return 0
    }
    let before = look()
    usleep(pause)
    let after = look()
    guard after.ticks > before.ticks, after.time > before.time else { return 0 }
    let (ticks, time) = (after.ticks - before.ticks, after.time - before.time)
    let (quotient, _) = ticks.dividingFullWidth((high: time >> 32, low: time << 32))
    return quotient
  }

  /// Both at one moment: the look that took the least of several.
  private static func look() -> (ticks: UInt64, time: UInt64) {
    var best = (took: UInt64.max, ticks: UInt64(0), time: UInt64(0))
    for _ in 0..<looks {
      var time = timespec()
      let before = lull_ticks()
      clock_gettime(CLOCK_MONOTONIC, &time)
      let took = lull_ticks() &- before
      guard took < best.took else { continue }
      best = (took, before + took / 2, UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }
    return (best.ticks, best.time)
  }
}
