import Rules

/// A rule's verdict on the recording.
package struct AuditSection: Codable, Sendable, Equatable {
  package var id: String
  package var title: String
  package var category: String
  package var status: AuditStatus
  /// 0 to 100; null without a verdict.
  @Nullable package var score: Double?
  /// The least that the score is, by what was seen; null where the rule does not count.
  @Nullable package var low: Double?
  /// The most that it is.
  @Nullable package var high: Double?
  package var weight: Double
  @Nullable package var value: Double?
  /// It does not apply since nothing of what the value counts occurred, though that was recorded; else left out.
  package var hadNothing: Bool? = nil
  package var unit: String
  @Nullable package var limit: Double?
  /// The curve in force; null when only the limit counts.
  @Nullable package var curve: CurveSection?
  /// The value for people, or the reason why there is none.
  package var displayValue: String
  /// Why there is no verdict.
  @Nullable package var reason: String?
  package var guide: [GuideCitation]
  /// Worst offenders, worst first.
  package var evidence: [Evidence]
  package var advice: String
  @Nullable package var savings: SavingsSection?
}

/// The control points of a scoring curve.
package struct CurveSection: Codable, Sendable, Equatable {
  /// The value that scores 90.
  package var p10: Double
  /// The value that scores 50.
  package var median: Double
}

/// What following a rule would save.
package struct SavingsSection: Codable, Sendable, Equatable {
  @Nullable package var value: Double?
  @Nullable package var joules: Double?
  /// The least and the most that the models make of it.
  @Nullable package var lowJoules: Double? = nil
  @Nullable package var highJoules: Double? = nil
  @Nullable package var seconds: Double?
  /// In a day that goes on like the recording.
  @Nullable package var joulesPerDay: Double?
  /// The least and the most that the models make of it.
  @Nullable package var lowJoulesPerDay: Double? = nil
  @Nullable package var highJoulesPerDay: Double? = nil
  /// Of the stated battery's charge, from 0 to 1, a day.
  @Nullable package var batteryShare: Double?
}

/// Something worth doing, with what it would save.
package struct OpportunitySection: Codable, Sendable, Equatable {
  package var audit: String
  @Nullable package var joules: Double?
  @Nullable package var seconds: Double?
  package var summary: String
  /// In a day that goes on like the recording.
  @Nullable package var joulesPerDay: Double?
  /// The least and the most that the models make of it.
  @Nullable package var lowJoulesPerDay: Double? = nil
  @Nullable package var highJoulesPerDay: Double? = nil
  /// Of the stated battery's charge, from 0 to 1, a day.
  @Nullable package var batteryShare: Double?
}
