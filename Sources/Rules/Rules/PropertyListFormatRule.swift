/// Property lists are to be binary.
package enum PropertyListFormatRule: NotObservableRule {
  package static let reason =
    "what a file holds is not in the recording; property lists that are read are named by "
    + "resource-sizes"

  package static let metadata: RuleMetadata = listed(
    "property-list-format", "Store property lists in binary form", .memory, [Guide.reduceFootprint],
    advice: "Write with PropertyListSerialization in the format .binary, or "
      + "PropertyListEncoder.outputFormat = .binary.")
}
