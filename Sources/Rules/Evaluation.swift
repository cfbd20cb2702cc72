/// Something worth doing, with what it would save.
package struct Opportunity: Sendable, Equatable {
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
  /// The least and the most that the models make of it.
  package var lowJoulesPerDay: Double?
  package var highJoulesPerDay: Double?
  /// Share of the stated battery's charge that this is, from 0 to 1.
  package var batteryShare: Double?

  /// Makes an opportunity.
  package init(
    audit: String, joules: Double? = nil, seconds: Double? = nil, summary: String,
    joulesPerDay: Double? = nil, lowJoulesPerDay: Double? = nil, highJoulesPerDay: Double? = nil,
    batteryShare: Double? = nil
  ) {
    self.lowJoulesPerDay = lowJoulesPerDay
    self.highJoulesPerDay = highJoulesPerDay
    self.joulesPerDay = joulesPerDay
    self.batteryShare = batteryShare
    self.audit = audit
    self.joules = joules
    self.seconds = seconds
    self.summary = summary
  }
}

/// The score of one category.
package struct CategoryScore: Sendable, Equatable {
  /// Stable id.
  package var id: String
  /// Title for people.
  package var title: String
  /// 0 to 100; nil when too little of the category was measured.
  package var score: Double?
  /// The least that the score is; nil where no rule of the category counts.
  package var low: Double?
  /// The most that it is.
  package var high: Double?
  /// Share of what would count that was measured, from 0 to 1; nil where nothing would.
  package var measuredShare: Double?
  /// Weight in the overall score.
  package var weight: Double

  /// Makes a category's score.
  package init(
    id: String, title: String, score: Double?, low: Double?, high: Double?,
    measuredShare: Double?, weight: Double
  ) {
    self.measuredShare = measuredShare
    self.low = low
    self.high = high
    self.id = id
    self.title = title
    self.score = score
    self.weight = weight
  }
}

/// Every verdict on one recording, and the scores they add up to.
package struct Evaluation: Sendable, Equatable {
  /// One audit for each rule, in the catalogue's order.
  package var audits: [Audit]
  /// One score for each category, in the catalogue's order.
  package var categories: [CategoryScore]
  /// 0 to 100; nil when too little was measured.
  package var overall: Double?
  /// The least that the score is; nil where nothing was measured.
  package var low: Double?
  /// The most that it is.
  package var high: Double?
  /// Share of what would count that was measured, from 0 to 1; nil where nothing would.
  package var measuredShare: Double?
  /// Why there is no score, or why it is not one number or less than its parts have; nil where it is.
  package var note: String?
  /// Bounds up to so many points apart are shown as one number.
  package var narrow: Double
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
    audits: [Audit], categories: [CategoryScore], overall: Double?, low: Double?, high: Double?,
    measuredShare: Double?, note: String?, narrow: Double, opportunities: [Opportunity],
    configurationVersion: String, profile: ScoringProfile = .app, profileReason: String = "",
    battery: Battery = .standard
  ) {
    self.low = low
    self.high = high
    self.note = note
    self.narrow = narrow
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
