/// The screen is to be allowed to sleep.
package enum IdleTimerDisabledRule: NotObservableRule {
  package static let reason =
    "the screen belongs to the desktop; a held idle inhibitor is shown when one is seen"

  package static let metadata: RuleMetadata = listed(
    "idle-timer-disabled", "Let the screen go to sleep", .cpu, [Guide.reducePower],
    advice: "Take an inhibitor (logind Inhibit, org.freedesktop.ScreenSaver) only while "
      + "something plays, and close it at once afterwards.")

  package static let sightings: [(prefix: String, meaning: String)] = [
    ("/run/systemd/inhibit/", "an inhibitor is held, which may keep the screen on")
  ]
}
