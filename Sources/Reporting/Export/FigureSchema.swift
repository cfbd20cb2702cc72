/// The shape of a report: every path at which a figure can stand, whether or not one does.
///
/// It is read off the types of `Report`, so a key that is added there is known here.
package indirect enum FigureNode: Sendable, Equatable {
  /// A number; `whole` where it counts things or bytes.
  case number(whole: Bool)
  case text
  case flag
  /// An object with these keys.
  case table([String: FigureNode])
  /// An object whose keys are data.
  case map(FigureNode)
  /// A list whose items are told apart by one of their keys.
  case keyed(by: String, FigureNode)
  /// A list of items without a name, of which only the number is a figure.
  case list

  /// The keys by which the items of a list are told apart, the first that they have.
  private static let names = ["id", "name", "path"]

  /// The list of such items.
  static func list(of item: FigureNode) -> FigureNode {
    guard case .table(let fields) = item,
      let key = names.first(where: { fields[$0] == .text })
    else { return .list }
    return .keyed(by: key, item)
  }
}

/// The shape of `lull.report/1`.
package enum FigureSchema {
  /// The root of every path.
  package static let report: FigureNode = FigureShapeDecoder.shape(of: Report.self) ?? .table([:])
}
