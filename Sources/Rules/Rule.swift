import Signals

/// The groups in which rules are scored and shown.
public enum RuleCategory: String, Sendable, Hashable, Codable, CaseIterable {
  case responsiveness
  case lifeCycle
  case cpu
  case network
  case disk
  case memory

  /// Title for people.
  public var title: String {
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
public struct Limit: Sendable, Hashable, Codable {
  /// The bound, in the rule's unit.
  public var value: Double
  /// How far past the bound is still taken for measuring noise.
  public var tolerance: Double
  /// Whether a value equal to the bound fails too.
  public var failsWhenReached: Bool
  /// Where the bound comes from.
  public var provenance: String

  /// Makes a limit.
  public init(
    _ value: Double, tolerance: Double = 0, failsWhenReached: Bool = false, provenance: String
  ) {
    self.value = value
    self.tolerance = tolerance
    self.failsWhenReached = failsWhenReached
    self.provenance = provenance
  }

  /// Whether this value is past the limit.
  public func isPassed(by measured: Double) -> Bool {
    failsWhenReached ? measured >= value : measured > value + tolerance
  }
}

/// Input on which a rule's verdict is known: documentation and test at once.
public struct RuleExample: Sendable {
  /// What the program does, in a few words.
  public var name: String
  /// The verdict it must get.
  public var expected: AuditStatus
  /// What was measured.
  public var signals: SignalSet

  /// Makes an example.
  public init(_ name: String, _ expected: AuditStatus, _ signals: SignalSet) {
    self.name = name
    self.expected = expected
    self.signals = signals
  }
}

/// Everything about a rule but its evaluation.
public struct RuleMetadata: Sendable {
  /// Stable id, as users write it.
  public var id: String
  /// One line saying what is asked.
  public var title: String
  /// The category it counts in.
  public var category: RuleCategory
  /// The guide's sections it stands on.
  public var guide: [GuideCitation]
  /// Signals without which it cannot be evaluated.
  public var signals: [SignalKind]
  /// Unit of the value; lower is better in every rule.
  public var unit: String
  /// How the value is measured.
  public var measuredAs: String
  /// What to do when it fails.
  public var advice: String
  /// Inputs with known verdicts, made when asked for: some model the radio of an hour.
  public var examples: [RuleExample] { makeExamples() }
  private let makeExamples: @Sendable () -> [RuleExample]

  /// Makes the metadata of a rule.
  public init(
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
public struct RuleFinding: Sendable, Hashable {
  /// The value, in the rule's unit.
  public var value: Double
  /// The value for people.
  public var displayValue: String
  /// Worst offenders, worst first.
  public var evidence: [Evidence]
  /// What following the rule would save; nil when it cannot be computed.
  public var savings: Savings?
  /// What is compared with the rule's limit; nil when the limit does not hold for this recording.
  public var limitValue: Double?

  /// Makes a finding whose value is what the limit is compared with.
  public init(
    value: Double, displayValue: String, evidence: [Evidence] = [], savings: Savings? = nil
  ) {
    self.value = value
    self.displayValue = displayValue
    self.evidence = evidence
    self.savings = savings
    self.limitValue = value
  }
}

/// What an evaluation comes to.
public enum RuleOutcome: Sendable, Hashable {
  /// A value, to be scored.
  case measured(RuleFinding)
  /// The subject did not occur, or the rule is not meant for such a program.
  case notApplicable(reason: String, finding: RuleFinding? = nil)
  /// The signal was not recorded.
  case notMeasured(reason: String)
  /// No Linux process can show it; a sighting is what hints at it.
  case notObservable(reason: String, evidence: [Evidence])
  /// A value that is told without a verdict.
  case informative(reason: String, finding: RuleFinding)
}

/// A tuning rule of the guide that can be measured.
public protocol Rule: Sendable {
  /// Everything about the rule but its evaluation.
  static var metadata: RuleMetadata { get }

  /// Computes the rule's value from measured signals; it is called only if they are there.
  ///
  /// `scale` is what the profile in force holds for good, down to which a saving is counted.
  static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome
}
