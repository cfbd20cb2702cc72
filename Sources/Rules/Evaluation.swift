/// Something worth doing, with what it would save.
public struct Opportunity: Sendable, Hashable, Codable {
  /// Id of the audit it comes from.
  public var audit: String
  /// Energy saved in this recording; nil when unknown.
  public var joules: Double?
  /// Time saved in this recording; nil when unknown.
  public var seconds: Double?
  /// One line that can be printed as it is.
  public var summary: String

  /// Makes an opportunity.
  public init(audit: String, joules: Double? = nil, seconds: Double? = nil, summary: String) {
    self.audit = audit
    self.joules = joules
    self.seconds = seconds
    self.summary = summary
  }
}

/// The score of one category.
public struct CategoryScore: Sendable, Hashable, Codable {
  /// Stable id.
  public var id: String
  /// Title for people.
  public var title: String
  /// 0 to 100; nil when no audit of the category has a verdict.
  public var score: Double?
  /// Weight in the overall score.
  public var weight: Double

  /// Makes a category's score.
  public init(id: String, title: String, score: Double?, weight: Double) {
    self.id = id
    self.title = title
    self.score = score
    self.weight = weight
  }
}

/// Every verdict on one recording, and the scores they add up to.
public struct Evaluation: Sendable, Hashable, Codable {
  /// One audit for each rule, in the catalogue's order.
  public var audits: [Audit]
  /// One score for each category, in the catalogue's order.
  public var categories: [CategoryScore]
  /// 0 to 100; nil when nothing has a verdict.
  public var overall: Double?
  /// What is worth doing, costliest first.
  public var opportunities: [Opportunity]
  /// Name and version of the scoring configuration.
  public var configurationVersion: String

  /// Makes an evaluation.
  public init(
    audits: [Audit], categories: [CategoryScore], overall: Double?, opportunities: [Opportunity],
    configurationVersion: String
  ) {
    self.audits = audits
    self.categories = categories
    self.overall = overall
    self.opportunities = opportunities
    self.configurationVersion = configurationVersion
  }
}
