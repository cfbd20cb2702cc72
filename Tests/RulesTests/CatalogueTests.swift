import Rules
import Signals
import Testing

@Suite struct CatalogueTests {
  @Test func `ids are unique and well formed, titles short`() {
    let ids = Catalogue.all.map { $0.metadata.id }
    #expect(Set(ids).count == ids.count)
    for rule in Catalogue.all {
      let metadata = rule.metadata
      #expect(metadata.id.allSatisfy { $0.isLowercase || $0 == "-" })
      #expect(metadata.title.count <= 60)
      #expect(!metadata.guide.isEmpty)
      #expect(!metadata.advice.isEmpty && !metadata.measuredAs.isEmpty)
    }
    #expect(Catalogue.measured.allSatisfy { !$0.metadata.signals.isEmpty })
  }

  @Test(arguments: ScoringProfile.allCases)
  func `the standard configuration gives figures and their provenance for each rule`(
    profile: ScoringProfile
  ) throws {
    let configuration = ScoringConfiguration.standard
    #expect(configuration.problems == [])
    let general = try ScoringFile.builtIn().general
    #expect(Set(general.rules.keys) == Set(Catalogue.measured.map { $0.metadata.id }))
    #expect(Set(general.categories.keys) == Set(RuleCategory.allCases.map(\.rawValue)))
    let scheme = configuration.scheme(for: profile)
    for (id, scoring) in scheme.table.rules {
      if scoring.weight == 0 { continue }
      #expect(scheme.curve(ofRule: id) != nil || scheme.limit(ofRule: id) != nil, "\(id)")
      #expect(scoring.p10 == nil || scoring.provenance?.isEmpty == false, "\(id)")
      #expect(scoring.limit == nil || scoring.limitProvenance?.isEmpty == false, "\(id)")
    }
  }

  @Test(arguments: Catalogue.all.map { $0.metadata.id })
  func `each example gets its verdict`(id: String) throws {
    let rule = try #require(Catalogue.rule(id))
    let examples = rule.metadata.examples
    let scheme = ScoringConfiguration.standard.scheme(for: .app)
    if scheme.curve(ofRule: id) != nil || scheme.limit(ofRule: id) != nil {
      #expect(examples.contains { $0.expected == .pass })
      #expect(examples.contains { $0.expected == .fail })
    } else {
      #expect(!examples.isEmpty && examples.allSatisfy { !$0.expected.isScored })
    }
    for example in examples {
      let evaluation = Evaluator.evaluate(
        example.signals, configuration: .standard, rules: [rule])
      let audit = try #require(evaluation.audits.first)
      #expect(audit.status == example.expected, "\(id): \(example.name): \(audit)")
      #expect((audit.score != nil) == audit.status.isScored)
      #expect((audit.reason == nil) == audit.status.isScored)
      // What was not measured widens the bounds by its weight.
      #expect(audit.weight == 0 || audit.status.isScored || audit.status == .notMeasured)
      #expect((audit.range != nil) == (audit.status.isScored || audit.status == .notMeasured))
      #expect(!audit.displayValue.isEmpty)
    }
  }

  @Test(
    arguments: [EventLoopBlockingRule.self, CooperativePoolBlockingRule.self] as [any Rule.Type])
  func `what the guide asks of the main thread is asked of others by extension`(
    rule: any Rule.Type
  ) {
    #expect(rule.metadata.measuredAs.hasPrefix("by extension of what the guide asks of the main"))
  }

  @Test func `documentation fits 80 columns and names everything`() throws {
    let list = RuleDocumentation.list()
    for rule in Catalogue.all {
      let metadata = rule.metadata
      #expect(list.contains(metadata.id))
      let text = try #require(RuleDocumentation.show(metadata.id))
      for line in (list + text).split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(metadata.guide.allSatisfy { words.contains($0.section) })
    }
    #expect(RuleDocumentation.show("no-such-rule") == nil)
  }
}
