/// Something worth doing, with what it would save.
package struct Opportunity: Sendable, Hashable, Codable {
  /// Id of the audit it comes from.
  package var audit: String
  /// Energy saved in this recording; nil when unknown.
  package var joules: Double?
  /// Time saved in this recording; nil when unknown.
  package var seconds: Double?
  /// One line that can be printed as it is.
  package var summary: String
  /// Energy saved in a day that goes on like this recording; nil when unknown.
  package var joulesPerDay: Double?
  /// Share of the stated battery's charge that this is, from 0 to 1.
  package var batteryShare: Double?

  /// Makes an opportunity.
  package init(
    audit: String, joules: Double? = nil, seconds: Double? = nil, summary: String,
    joulesPerDay: Double? = nil, batteryShare: Double? = nil
  ) {
    self.joulesPerDay = joulesPerDay
    self.batteryShare = batteryShare
    self.audit = audit
    self.joules = joules
    self.seconds = seconds
    self.summary = summary
  }
}

/// The score of one category.
package struct CategoryScore: Sendable, Hashable, Codable {
  /// Stable id.
  package var id: String
  /// Title for people.
  package var title: String
  /// 0 to 100; nil when no audit of the category has a verdict.
  package var score: Double?
  /// Weight in the overall score.
  package var weight: Double
  /// Share of what would count that was measured, from 0 to 1; nil where nothing would.
  package var measuredShare: Double?
}

/// Every verdict on one recording, and the scores they add up to.
package struct Evaluation: Sendable, Hashable, Codable {
  /// One audit for each rule, in the catalogue's order.
  package var audits: [Audit]
  /// One score for each category, in the catalogue's order.
  package var categories: [CategoryScore]
  /// 0 to 100; nil when nothing has a verdict, or too little was measured.
  package var overall: Double?
  /// Share of what would count that was measured, from 0 to 1; nil where nothing would.
  package var measuredShare: Double?
  /// What is worth doing, costliest first.
  package var opportunities: [Opportunity]
  /// Name and version of the scoring configuration.
  package var configurationVersion: String
  /// What sort of program it was scored as.
  package var profile: ScoringProfile
  /// Why it was taken for one.
  package var profileReason: String
  /// The battery that shares are of.
  package var battery: Battery

  /// Makes an evaluation.
  package init(
    audits: [Audit], categories: [CategoryScore], overall: Double?,
    measuredShare: Double? = nil, opportunities: [Opportunity], configurationVersion: String,
    profile: ScoringProfile = .app, profileReason: String = "",
    battery: Battery = .standard
  ) {
    self.profile = profile
    self.profileReason = profileReason
    self.battery = battery
    self.audits = audits
    self.categories = categories
    self.overall = overall
    self.measuredShare = measuredShare
    self.opportunities = opportunities
    self.configurationVersion = configurationVersion
  }
}
