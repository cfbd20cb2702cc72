/// Floating point is to be computed by the hardware.
package enum FloatingPointMathRule: NotObservableRule {
  package static let reason =
    "the processors that Swift's releases for Linux are for have floating-point hardware, and fixed-point code "
    + "cannot be told from integer code"

  package static let metadata: RuleMetadata = listed(
    "floating-point-math", "Compute floating point in hardware", .cpu, [Guide.floatingPoint],
    advice: "Use Float and Double, SIMD types, or a vector library for large amounts.")
}
