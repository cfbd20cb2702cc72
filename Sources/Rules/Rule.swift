import Quantities
import Signals

/// The groups in which rules are scored and shown.
package enum RuleCategory: String, Sendable, CaseIterable {
  case responsiveness
  case lifeCycle
  case cpu
  case network
  case disk
  case memory

  /// Title for people.
  package var title: String {
    switch self {
    case .responsiveness: "Responsiveness"
    case .lifeCycle: "Life cycle"
    case .cpu: "CPU and wakeups"
    case .network: "Network and radio"
    case .disk: "Disk"
    case .memory: "Memory"
    }
  }
}

/// A bound that fails a rule whatever its curve says.
package struct Limit: Sendable, Equatable {
  /// The bound, in the rule's unit.
  package var value: Double
  /// How far past the bound is still taken for measuring noise.
  package var tolerance: Double
  /// Whether a value equal to the bound fails too.
  package var failsWhenReached: Bool
  /// Where the bound comes from.
  package var provenance: String

  /// Makes a limit.
  package init(
    _ value: Double, tolerance: Double = 0, failsWhenReached: Bool = false, provenance: String
  ) {
    self.value = value
    self.tolerance = tolerance
    self.failsWhenReached = failsWhenReached
    self.provenance = provenance
  }

  /// Whether this value is past the limit.
  package func isPassed(by measured: Double) -> Bool {
    failsWhenReached ? measured >= value : measured > value + tolerance
  }
}

/// Input on which a rule's verdict is known: documentation and test at once.
package struct RuleExample: Sendable {
  /// What the program does, in a few words.
  package var name: String
  /// The verdict it must get.
  package var expected: AuditStatus
  /// What was measured.
  package var signals: SignalSet

  /// Makes an example.
  package init(_ name: String, _ expected: AuditStatus, _ signals: SignalSet) {
    self.name = name
    self.expected = expected
    self.signals = signals
  }
}

/// Everything about a rule but its evaluation.
package struct RuleMetadata: Sendable {
  /// Stable id, as users write it.
  package var id: String
  /// One line saying what is asked.
  package var title: String
  /// The category it counts in.
  package var category: RuleCategory
  /// The guide's sections it stands on.
  package var guide: [GuideCitation]
  /// Signals without which it cannot be evaluated.
  package var signals: [SignalKind]
  /// Unit of the value; lower is better in every rule.
  package var unit: String
  /// How the value is measured.
  package var measuredAs: String
  /// What to do when it fails.
  package var advice: String
  /// Inputs with known verdicts, made when asked for: some model the radio of an hour.
  package var examples: [RuleExample] { makeExamples() }
  private let makeExamples: @Sendable () -> [RuleExample]

  /// Makes the metadata of a rule.
  package init(
    id: String, title: String, category: RuleCategory, guide: [GuideCitation],
    signals: [SignalKind], unit: String, measuredAs: String, advice: String,
    examples: @autoclosure @escaping @Sendable () -> [RuleExample]
  ) {
    self.id = id
    self.title = title
    self.category = category
    self.guide = guide
    self.signals = signals
    self.unit = unit
    self.measuredAs = measuredAs
    self.advice = advice
    makeExamples = examples
  }
}

/// What a rule measured.
package struct RuleFinding: Sendable, Equatable {
  /// The value, in the rule's unit.
  package var value: Double
  /// Between what the true value lies.
  package var bounds: Bounds
  /// Whether the value is by the run rather than by the time.
  package var isPerRun = false
  /// The value for people.
  package var displayValue: String
  /// Worst offenders, worst first.
  package var evidence: [Evidence]
  /// What following the rule would save; nil when it cannot be computed.
  package var savings: Savings?
  /// What is compared with the rule's limit; nil when the limit does not hold for this recording.
  package var limitValue: Double?
  /// Between what that lies.
  package var limitBounds: Bounds
  /// What makes the bounds wide where that is not the recording's length, as a sentence.
  package var doubt: String?
  /// What the value may be by what happened and is not told: nothing passes that would not with it.
  package var untold: UntoldPart?
  /// What to do about what was found; nil where the rule's own advice says it.
  package var advice: String?

  /// Makes a finding whose value is what the limit is compared with.
  package init(
    value: Double, bounds: Bounds, displayValue: String, evidence: [Evidence] = [],
    savings: Savings? = nil
  ) {
    self.value = value
    self.bounds = bounds
    self.displayValue = displayValue
    self.evidence = evidence
    self.savings = savings
    limitValue = value
    limitBounds = bounds
  }

  /// Makes a finding of a share of so many events, of which more would tell more, and longer recordings only as far as
  /// they have more.
  init(
    percent value: Double, bounds: Bounds, of count: Int, _ noun: String, displayValue: String,
    evidence: [Evidence] = [], savings: Savings? = nil
  ) {
    self.init(
      value: value, bounds: bounds, displayValue: displayValue, evidence: evidence,
      savings: savings)
    doubt = Self.tooFew(count, noun)
  }

  /// What there was too little of.
  static func tooFew(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(Figures.count(count, noun, plural)) \(count == 1 ? "is" : "are") too little to tell"
  }

  /// The same of time that is a part of the recording: of a phase, of idleness.
  static func tooShort(_ seconds: Double, of what: String) -> String {
    "\(Figures.seconds(seconds)) of \(what) are too little to tell"
  }

  /// Makes a finding of a rate.
  init(
    rate: Rate, displayValue: String, evidence: [Evidence] = [], savings: Savings? = nil
  ) {
    self.init(
      value: rate.value, bounds: rate.bounds, displayValue: displayValue, evidence: evidence,
      savings: savings)
    isPerRun = rate.isPerRun
    doubt = rate.doubt
    untold = rate.untold
  }

  /// Makes a finding of what is known as it is: it was seen whole.
  init(
    fact value: Double, displayValue: String, evidence: [Evidence] = [], savings: Savings? = nil
  ) {
    self.init(
      value: value, bounds: .exactly(value), displayValue: displayValue, evidence: evidence,
      savings: savings)
  }
}

/// What an evaluation comes to.
package enum RuleOutcome: Sendable, Equatable {
  /// A value, to be scored.
  case measured(RuleFinding)
  /// There is no value to be had, or the rule is not meant for such a program.
  case notApplicable(reason: String, finding: RuleFinding? = nil)
  /// The signal was recorded, and nothing of what the value counts occurred in it.
  case nothing(reason: String)
  /// The signal was not recorded.
  case notMeasured(reason: String)
  /// No Linux process can show it; a sighting is what hints at it.
  case notObservable(reason: String, evidence: [Evidence])
  /// A value that is told without a verdict.
  case informative(reason: String, finding: RuleFinding)
}

/// A tuning rule of the guide that can be measured.
package protocol Rule: Sendable {
  /// Everything about the rule but its evaluation.
  static var metadata: RuleMetadata { get }

  /// Computes the rule's value from measured signals; it is called only if they are there.
  ///
  /// `scale` is what the profile in force holds for good, down to which a saving is counted.
  static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome
}
