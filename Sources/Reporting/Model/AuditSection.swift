import Rules

/// A rule's verdict on the recording.
public struct AuditSection: Codable, Sendable, Equatable {
  public var id: String
  public var title: String
  public var category: String
  public var status: AuditStatus
  /// 0 to 100; null without a verdict.
  @Nullable public var score: Double?
  public var weight: Double
  @Nullable public var value: Double?
  public var unit: String
  @Nullable public var limit: Double?
  /// The curve in force; null when only the limit counts.
  @Nullable public var curve: CurveSection?
  /// The value for people, or the reason why there is none.
  public var displayValue: String
  /// Why there is no verdict.
  @Nullable public var reason: String?
  public var guide: [GuideCitation]
  /// Worst offenders, worst first.
  public var evidence: [Evidence]
  public var advice: String
  @Nullable public var savings: SavingsSection?
}

/// The control points of a scoring curve.
public struct CurveSection: Codable, Sendable, Equatable {
  /// The value that scores 90.
  public var p10: Double
  /// The value that scores 50.
  public var median: Double
}

/// What following a rule would save.
public struct SavingsSection: Codable, Sendable, Equatable {
  @Nullable public var value: Double?
  @Nullable public var joules: Double?
  @Nullable public var seconds: Double?
  /// In a day that goes on like the recording.
  @Nullable public var joulesPerDay: Double?
  /// Of the stated battery's charge, from 0 to 1, a day.
  @Nullable public var batteryShare: Double?
}

/// Something worth doing, with what it would save.
public struct OpportunitySection: Codable, Sendable, Equatable {
  public var audit: String
  @Nullable public var joules: Double?
  @Nullable public var seconds: Double?
  public var summary: String
  /// In a day that goes on like the recording.
  @Nullable public var joulesPerDay: Double?
  /// Of the stated battery's charge, from 0 to 1, a day.
  @Nullable public var batteryShare: Double?
}
