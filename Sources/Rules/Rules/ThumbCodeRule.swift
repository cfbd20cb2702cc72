import Quantities
import Signals

/// The code is to be small.
package enum ThumbCodeRule: Rule {
  package static let metadata = RuleMetadata(
    id: "thumb-code", title: "Build small code", category: .memory, guide: [Guide.reduceFootprint],
    signals: [.lifecycle], unit: "MB",
    measuredAs:
      "the executable's segments that may be executed; how much a program needs is not known, so there is no "
      + "verdict. Thumb itself is a mode of 32-bit ARM alone, and no file says what its code would take without it",
    advice:
      "Build with -Osize where size matters, link with --gc-sections, leave libraries shared that others "
      + "use too, and strip what is installed.",
    examples: [RuleExample("6 MB of code", .notApplicable, example)])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let bytes = signals.codeBytes else {
      return .notMeasured(reason: "the executable was not looked at")
    }
    return .informative(
      reason: "how much code a program needs is not known",
      finding: RuleFinding(
        fact: Double(bytes) / 1e6, displayValue: "\(Figures.bytes(bytes)) of code in the executable"
      ))
  }

  private static var example: SignalSet {
    var set = SignalSet(durationSeconds: 60, lifecycle: LifecycleSignal())
    set.codeBytes = 6_000_000
    return set
  }
}
