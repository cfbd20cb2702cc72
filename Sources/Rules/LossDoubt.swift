import Quantities
import Signals

/// What rules come to where records were lost: what was not told may have been anything.
///
/// Nothing passes by what was not seen. What was counted and is too much already fails all the same, for the rest can
/// only add to it.
struct LossDoubt {
  /// What was lost, as a sentence.
  let text: String

  /// Recordings that lack less than this share of their time are taken as whole.
  static let least = 0.01

  /// What was not seen for another reason.
  init(text: String) { self.text = text }

  /// Nil where too little was lost to matter.
  init?(_ signals: SignalSet) {
    guard let lost = signals.lost else { return nil }
    if let seconds = lost.seconds {
      guard seconds >= Self.least * signals.durationSeconds else { return nil }
      text =
        "of \(Figures.seconds(signals.durationSeconds)) the records of about "
        + "\(Figures.seconds(seconds)) were lost"
    } else {
      let all = Double(lost.count) + Double(lost.told)
      guard Double(lost.count) >= Self.least * all else { return nil }
      text = "\(Figures.percent(Double(lost.count) / all)) of the records were lost"
    }
  }

  /// Signals that are read as they are now and then, whatever is lost in between.
  private static let readings: Set<SignalKind> = [.memory, .counters]
  /// Signals of times, which a lost beginning or end makes longer as well as shorter.
  private static let times: Set<SignalKind> = [.mainThread, .lifecycle, .cpu]

  /// Whether a rule stands on what was lost.
  func concerns(_ rule: RuleMetadata) -> Bool {
    !Set(rule.signals).isSubset(of: Self.readings)
  }

  /// What a measured score is worth; nil where it may be anything.
  func opened(_ range: ScoreRange, _ rule: RuleMetadata) -> ScoreRange? {
    let counts = rule.unit.contains("/") && Set(rule.signals).isDisjoint(with: Self.times)
    guard counts, !range.high.isPass else { return nil }
    return ScoreRange(low: 0, value: range.value, high: range.high)
  }
}
