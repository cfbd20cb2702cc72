import Rules

/// Turns verdicts into the sections of a report.
enum AuditBuilding {
  static func audit(_ audit: Audit) -> AuditSection {
    AuditSection(
      id: audit.id, title: audit.title, category: audit.category, status: audit.status,
      score: audit.score?.finite, low: audit.range?.low.finite, high: audit.range?.high.finite,
      weight: audit.weight.finite, value: audit.value?.finite,
      hadNothing: audit.hadNothing ? true : nil, unit: audit.unit, limit: audit.limit?.finite,
      curve: audit.curve.map { CurveSection(p10: $0.p10.finite, median: $0.median.finite) },
      displayValue: audit.displayValue,
      reason: audit.reason, guide: audit.guide, evidence: audit.evidence, advice: audit.advice,
      savings: audit.savings.map {
        SavingsSection(
          value: $0.value?.finite, joules: $0.joules?.finite,
          lowJoules: $0.lowJoules?.finite, highJoules: $0.highJoules?.finite,
          seconds: $0.seconds?.finite,
          joulesPerDay: $0.joulesPerDay?.finite,
          lowJoulesPerDay: $0.lowJoulesPerDay?.finite,
          highJoulesPerDay: $0.highJoulesPerDay?.finite, batteryShare: $0.batteryShare?.finite)
      })
  }

  static func opportunity(_ opportunity: Opportunity) -> OpportunitySection {
    OpportunitySection(
      audit: opportunity.audit, joules: opportunity.joules?.finite,
      seconds: opportunity.seconds?.finite, summary: opportunity.summary,
      joulesPerDay: opportunity.joulesPerDay?.finite,
      lowJoulesPerDay: opportunity.lowJoulesPerDay?.finite,
      highJoulesPerDay: opportunity.highJoulesPerDay?.finite,
      batteryShare: opportunity.batteryShare?.finite)
  }
}
