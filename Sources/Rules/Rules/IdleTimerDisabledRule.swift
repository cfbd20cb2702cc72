import Quantities
import Signals

/// The screen is to be allowed to sleep.
package enum IdleTimerDisabledRule: NotObservableRule {
  package static let reason =
    "the screen belongs to the desktop, which is asked over D-Bus (the portal, org.freedesktop.ScreenSaver) and "
    + "holds "
    + "the inhibitor itself; one that logind lists for the process is shown"

  package static let metadata: RuleMetadata = listed(
    "idle-timer-disabled", "Let the screen go to sleep", .cpu,
    [Guide.reducePower, Guide.screenLock10],
    advice: "Take an inhibitor (logind Inhibit, org.freedesktop.ScreenSaver) only while "
      + "something plays, and close it at once afterwards.")

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let inhibitors = (signals.held ?? []).filter {
      !$0.isLock && $0.name.split(separator: ":").contains("idle")
    }
    return .notObservable(
      reason: reason,
      evidence: inhibitors.map {
        let end = $0.end ?? signals.durationSeconds
        return Evidence(
          summary: "an inhibitor of \($0.name), held for \(Figures.seconds(max(0, end - $0.start)))"
            + ($0.end == nil ? ", to the end" : ""),
          value: max(0, end - $0.start), unit: "s", time: $0.start)
      })
  }
}
