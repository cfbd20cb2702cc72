import Rules
import Signals
import Testing

@Suite struct CatalogueTests {
  @Test func `ids are unique and well formed, titles short`() {
    let ids = Catalogue.all.map { $0.metadata.id }
    #expect(ids.count == 22)
    #expect(Set(ids).count == ids.count)
    for rule in Catalogue.all {
      let metadata = rule.metadata
      #expect(metadata.id.allSatisfy { $0.isLowercase || $0 == "-" })
      #expect(metadata.title.count <= 60)
      #expect(!metadata.guide.isEmpty)
      #expect(!metadata.signals.isEmpty)
      #expect(!metadata.advice.isEmpty && !metadata.measuredAs.isEmpty)
      #expect(metadata.curve != nil || metadata.limit != nil)
      #expect(metadata.curve?.provenance.isEmpty != true)
      #expect(metadata.limit?.provenance.isEmpty != true)
    }
  }

  @Test func `every rule has a weight in the standard configuration and no other has`() {
    let configuration = ScoringConfiguration.standard
    #expect(configuration.problems == [])
    #expect(Set(configuration.rules.keys) == Set(Catalogue.all.map { $0.metadata.id }))
    #expect(
      Set(configuration.categories.keys) == Set(RuleCategory.allCases.map(\.rawValue)))
  }

  @Test(arguments: Catalogue.all.map { $0.metadata.id })
  func `each example gets its verdict`(id: String) throws {
    let rule = try #require(Catalogue.rule(id))
    let examples = rule.metadata.examples
    #expect(examples.contains { $0.expected == .pass })
    #expect(examples.contains { $0.expected == .fail })
    for example in examples {
      let evaluation = Evaluator.evaluate(
        example.signals, configuration: .standard, rules: [rule])
      let audit = try #require(evaluation.audits.first)
      #expect(audit.status == example.expected, "\(id): \(example.name): \(audit)")
      #expect((audit.score != nil) == audit.status.isScored)
      #expect((audit.reason == nil) == audit.status.isScored)
      #expect((audit.weight > 0) == audit.status.isScored)
      #expect(!audit.displayValue.isEmpty)
    }
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
