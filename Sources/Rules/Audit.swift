import Quantities
import Signals

/// What a rule came to.
package enum AuditStatus: String, Sendable, Codable, CaseIterable {
  /// Scored 90 or more, and does not fail within its bounds.
  case pass
  /// Scored 50 or more, and less than 90 within its bounds.
  case warn
  /// Scored less, or past a limit, and does not pass within its bounds.
  case fail
  /// What the rule is about did not occur.
  case notApplicable
  /// The signal it needs was not recorded, or for too short a time to tell.
  case notMeasured
  /// No Linux process can show it.
  case notObservable

  /// Whether the audit has a score and counts in its category.
  package var isScored: Bool { self == .pass || self == .warn || self == .fail }
}

/// A section of the tuning guide that a rule stands on.
package struct GuideCitation: Sendable, Codable, Equatable {
  /// Title of the document.
  package var document: String
  /// Title of the section.
  package var section: String
}

/// One offender: a place, a file, a host or a time, and how much of the value it explains.
package struct Evidence: Sendable, Codable, Equatable {
  /// One line that can be printed as it is.
  package var summary: String
  /// How much of it there was, in `unit`.
  package var value: Double?
  /// Unit of `value`.
  package var unit: String?
  /// When it happened, in seconds from the start of the trace.
  package var time: Double?
  /// Thread that did it.
  package var thread: String?
  /// Function of the program to blame.
  package var function: String?
  /// File that was accessed.
  package var path: String?
  /// Host that was spoken to.
  package var host: String?
  /// Where it happened, innermost frame first.
  package var stack: [StackFrame]?

  /// Makes a row; what is left out is not known or does not matter, and the function to blame is the stack's.
  package init(
    summary: String, value: Double? = nil, unit: String? = nil, time: Double? = nil,
    thread: String? = nil, function: String? = nil, path: String? = nil, host: String? = nil,
    stack: [StackFrame]? = nil
  ) {
    self.summary = summary
    self.value = value
    self.unit = unit
    self.time = time
    self.thread = thread
    self.function = function ?? stack?.blamed?.function
    self.path = path
    self.host = host
    self.stack = stack?.isEmpty == true ? nil : stack
  }
}

/// What would be had, had the rule been followed.
package struct Savings: Sendable, Equatable {
  /// By how much the audit's value would be lower, in the audit's unit.
  package var value: Double?
  /// Energy that would not have been spent in this recording.
  package var joules: Double?
  /// The least and the most that the models make of it.
  package var lowJoules: Double?
  package var highJoules: Double?
  /// Time the main thread, the launch or the exit would not have lost in this recording.
  package var seconds: Double?
  /// Energy that would not be spent in a day that goes on like this recording.
  package var joulesPerDay: Double?
  /// The least and the most that the models make of it.
  package var lowJoulesPerDay: Double?
  package var highJoulesPerDay: Double?
  /// Share of the stated battery's charge that this is, from 0 to 1.
  package var batteryShare: Double?
}

extension RuleScale {
  /// The saving when the value is brought down to the good figure, with what is lost in proportion to it.
  func saving(of value: Double, joules: Double? = nil, seconds: Double? = nil) -> Savings? {
    let excess = excess(value)
    guard excess > 0, value > 0 else { return nil }
    let share = excess / value
    return Savings(
      value: excess, joules: joules.map { $0 * share }, seconds: seconds.map { $0 * share })
  }
}

/// A rule's verdict on one recording: an item of `audits` in the report.
package struct Audit: Sendable, Equatable {
  /// The rule's id.
  package var id: String
  /// The rule's title.
  package var title: String
  /// Id of the category it counts in.
  package var category: String
  /// The verdict.
  package var status: AuditStatus
  /// 0 to 100; nil when the audit has no verdict.
  package var score: Double?
  /// Between what the score lies: 0 and 100 where it was not measured, nil where it does not count.
  package var range: ScoreRange?
  /// Weight within its category; 0 when the audit does not count.
  package var weight: Double
  /// The measured value, in `unit`.
  package var value: Double?
  /// It is not applicable since nothing of what the value counts occurred, as far as the recording is whole.
  package var hadNothing = false
  /// Between what the true value lies.
  package var bounds: Bounds?
  /// For how long it would have to be recorded to tell; nil where that is not what is missing.
  package var secondsWanted: Double?
  /// What leaves the verdict open where that is not the recording's length; nil where there is one.
  package var doubt: String?
  /// Unit of `value`, `limit` and the saving's value.
  package var unit: String
  /// The limit past which the rule fails whatever the curve says.
  package var limit: Double?
  /// The curve that scores the value; nil when only the limit counts.
  package var curve: Curve?
  /// The value for people, or the reason why there is none.
  package var displayValue: String
  /// Why there is no verdict; nil when there is one.
  package var reason: String?
  /// The guide's sections.
  package var guide: [GuideCitation]
  /// Worst offenders, worst first.
  package var evidence: [Evidence]
  /// What to do.
  package var advice: String
  /// What following the advice would save.
  package var savings: Savings?

  /// Makes an audit.
  package init(
    id: String, title: String, category: String, status: AuditStatus, score: Double? = nil,
    weight: Double = 0, value: Double? = nil, unit: String, limit: Double? = nil,
    displayValue: String, reason: String? = nil, guide: [GuideCitation] = [],
    evidence: [Evidence] = [], advice: String = "", savings: Savings? = nil
  ) {
    self.id = id
    self.title = title
    self.category = category
    self.status = status
    self.score = score
    self.weight = weight
    self.value = value
    self.unit = unit
    self.limit = limit
    self.displayValue = displayValue
    self.reason = reason
    self.guide = guide
    self.evidence = evidence
    self.advice = advice
    self.savings = savings
  }
}

extension Audit {
  /// Spans what the rule comes to for a program of another sort, where it is not known which of both this is. A verdict
  /// that differs is open.
  mutating func leaveOpen(_ other: Audit) {
    guard let own = range else { return }
    if let also = other.range { range = own.spanning(also) }
    guard status.isScored, status != other.status, let range else { return }
    let doubt = "whether it has an event loop is not known"
    status = .notMeasured
    (score, savings) = (nil, nil)
    self.doubt = doubt
    reason =
      other.range == nil
      ? "\(doubt): without one the rule does not count"
      : "\(doubt): its score lies between \(Figures.fixed(range.low, 0)) and "
        + "\(Figures.fixed(range.high, 0))"
  }
}
