import Quantities
import Signals

/// Launches of which the end is not known.
enum UntoldLaunch {
  /// Less does not count.
  private static let leastSeconds = 0.05
  private static let leastShare = 0.05

  /// Why nothing can be said of a launch: what the main thread waited for may have been events, before the first wait
  /// that is known to be for them. Nil where the program said itself that it was ready.
  static func reason(_ life: LifecycleSignal) -> String? {
    guard !life.launchHow.hasSuffix("ready mark"), let launch = life.launch else { return nil }
    let untold = launch.blockedByCause[.unknown] ?? 0
    guard untold >= max(leastSeconds, leastShare * launch.seconds) else { return nil }
    return
      "for \(Figures.seconds(untold)) before its first known event wait, what the main thread waited for is not known"
  }
}
