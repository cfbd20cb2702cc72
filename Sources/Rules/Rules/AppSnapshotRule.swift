/// The screen is to be ready to be pictured.
package enum AppSnapshotRule: NotObservableRule {
  package static let reason =
    "no Linux desktop keeps a picture of a program that was moved to the background"

  package static let metadata: RuleMetadata = listed(
    "app-snapshot", "Prepare for the snapshot", .lifeCycle,
    [Guide.snapshot2015, Guide.background2015],
    advice: "Hide what is private before the program leaves the foreground.")
}
