/// The code is to be small.
package enum ThumbCodeRule: NotObservableRule {
  package static let reason =
    "it is a compiler flag of 32-bit ARM, which Swift on Linux targets only rarely and no "
    + "event shows"

  package static let metadata: RuleMetadata = listed(
    "thumb-code", "Build small code", .memory, [Guide.reduceFootprint],
    advice: "Build with -Osize where size matters, and strip what is installed.")
}
