/// Weights and control points by which audits become scores: versioned, and printed in the report.
public struct ScoringConfiguration: Sendable, Hashable, Codable {
  /// Control points that replace a rule's own.
  public struct ControlPoints: Sendable, Hashable, Codable {
    /// The value that scores 90.
    public var p10: Double?
    /// The value that scores 50.
    public var median: Double?
    /// The limit past which the rule fails; it replaces an existing one only.
    public var limit: Double?

    /// Makes control points; what is nil stays as the rule has it.
    public init(p10: Double? = nil, median: Double? = nil, limit: Double? = nil) {
      self.p10 = p10
      self.median = median
      self.limit = limit
    }
  }

  /// Name of the configuration.
  public var name: String
  /// Version, raised with each change.
  public var version: Int
  /// Weight of each category, by id, in the overall score.
  public var categories: [String: Double]
  /// Weight of each rule, by id, in its category; 0 shows a rule without counting it.
  public var rules: [String: Double]
  /// Control points that replace the rules' own, by rule id.
  public var curves: [String: ControlPoints]

  /// Makes a configuration; a category or rule that is not named weighs 1.
  public init(
    name: String, version: Int, categories: [String: Double], rules: [String: Double],
    curves: [String: ControlPoints] = [:]
  ) {
    self.name = name
    self.version = version
    self.categories = categories
    self.rules = rules
    self.curves = curves
  }

  /// Reads a configuration in which everything but the name may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    version = try container.decodeIfPresent(Int.self, forKey: .version) ?? 1
    categories = try container.decodeIfPresent([String: Double].self, forKey: .categories) ?? [:]
    rules = try container.decodeIfPresent([String: Double].self, forKey: .rules) ?? [:]
    curves =
      try container.decodeIfPresent([String: ControlPoints].self, forKey: .curves) ?? [:]
  }

  /// Name and version, as the report prints them.
  public var identifier: String { "\(name)/\(version)" }

  /// What is used unless the user gives another: a first choice, to be calibrated.
  public static let standard = ScoringConfiguration(
    name: "lull-standard", version: 1,
    categories: [
      "responsiveness": 30, "lifeCycle": 10, "cpu": 20, "network": 15, "disk": 15, "memory": 10,
    ],
    rules: [
      "main-thread-hangs": 30, "main-thread-network-waits": 15, "main-thread-file-access": 15,
      "main-thread-lock-waits": 15, "main-thread-sleeps": 10, "main-thread-computation": 15,
      "event-loop-blocking": 20, "cooperative-pool-blocking": 20,
      "launch-time": 60, "termination-time": 40,
      "idle-wakeups": 40, "polling-timers": 30, "cpu-use": 30,
      "radio-duty-cycle": 40, "tail-energy": 30, "server-polling": 30,
      "write-frequency": 30, "bytes-written": 25, "sync-frequency": 25, "whole-file-rewrites": 20,
      "peak-footprint": 40, "footprint-growth": 60,
    ])

  /// Weight of a category.
  public func weight(of category: RuleCategory) -> Double { categories[category.rawValue] ?? 1 }

  /// Weight of a rule in its category.
  public func weight(ofRule id: String) -> Double { rules[id] ?? 1 }

  /// What is wrong with the configuration, one line each.
  public var problems: [String] {
    var problems: [String] = []
    let ruleIDs = Set(Catalogue.all.map { $0.metadata.id })
    let categoryIDs = Set(RuleCategory.allCases.map(\.rawValue))
    for id in categories.keys.sorted() where !categoryIDs.contains(id) {
      problems.append("there is no category “\(id)”")
    }
    for id in Set(rules.keys).union(curves.keys).sorted() where !ruleIDs.contains(id) {
      problems.append("there is no rule “\(id)”")
    }
    for (id, weight) in (categories.merging(rules) { $1 }).sorted(by: { $0.key < $1.key })
    where !(weight >= 0 && weight.isFinite) {
      problems.append("the weight of “\(id)” must be a number of 0 or more")
    }
    for rule in Catalogue.all {
      guard let curve = curve(of: rule.metadata) else { continue }
      if !(curve.p10 > 0 && curve.p10 < curve.median) {
        problems.append("“\(rule.metadata.id)” needs 0 < p10 < median")
      }
    }
    return problems
  }

  /// The curve of a rule with what this configuration replaces.
  func curve(of rule: RuleMetadata) -> Curve? {
    guard var curve = rule.curve, let points = curves[rule.id] else { return rule.curve }
    if points.p10 != nil || points.median != nil {
      curve.provenance = "scoring configuration \(identifier)"
    }
    curve.p10 = points.p10 ?? curve.p10
    curve.median = points.median ?? curve.median
    return curve
  }

  /// The limit of a rule with what this configuration replaces.
  func limit(of rule: RuleMetadata) -> Limit? {
    guard var limit = rule.limit, let value = curves[rule.id]?.limit else { return rule.limit }
    limit.value = value
    limit.provenance = "scoring configuration \(identifier)"
    return limit
  }
}
