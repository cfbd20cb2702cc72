import Quantities
import Signals

/// Property lists are to be binary.
package enum PropertyListFormatRule: Rule {
  package static let metadata = RuleMetadata(
    id: "property-list-format", title: "Store property lists in binary form", category: .memory,
    guide: [Guide.reduceFootprint], signals: [.disk], unit: "kB",
    measuredAs:
      "size of the property lists (.plist) that were opened and are in XML or text, by their first bytes",
    advice: "Write with PropertyListSerialization in the format .binary, or "
      + "PropertyListEncoder.outputFormat = .binary; plutil -convert binary1 converts what is there.",
    examples: [
      RuleExample("a binary list of 300 kB", .pass, example(true)),
      RuleExample("the same in XML", .fail, example(false)),
      RuleExample("gone before it was looked at", .notMeasured, example(nil)),
      RuleExample(
        "no property list", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard !signals.propertyLists.isEmpty else {
      return .notApplicable(reason: "no property list was opened")
    }
    let known = signals.propertyLists.filter { $0.isBinary != nil }
    guard !known.isEmpty else {
      return .notMeasured(reason: "what the property lists hold could not be looked at")
    }
    let text = known.filter { $0.isBinary == false }
    let value = text.reduce(0) { $0 + Double($1.size) } / 1000
    return .measured(
      RuleFinding(
        fact: value,
        displayValue:
          "\(text.count) of \(Figures.count(known.count, "property list")) in text form, "
          + Figures.bytes(value * 1000),
        evidence: text.prefix(5).map {
          Evidence(
            summary: "\($0.path): \(Figures.bytes($0.size)) in text form", value: Double($0.size),
            unit: "bytes", path: $0.path)
        }, savings: scale.saving(of: value)))
  }

  private static func example(_ isBinary: Bool?) -> SignalSet {
    var set = SignalSet(durationSeconds: 60, disk: DiskSignal())
    set.propertyLists = [
      PropertyListUse(path: "/opt/app/Data.plist", size: 300_000, isBinary: isBinary)
    ]
    return set
  }
}
