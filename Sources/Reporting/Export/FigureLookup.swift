import Quantities

/// What a path can hold.
package enum FigureKind: Sendable, Equatable {
  /// `whole` where it counts things or bytes.
  case number(whole: Bool)
  case text
  case flag
}

/// Why a path leads nowhere, with what was probably meant.
package struct FigurePathError: Error, Sendable, Equatable, CustomStringConvertible {
  package var description: String
}

extension FigureSchema {
  /// What the path holds; `*` stands for every item of a list.
  package static func kind(of path: FigurePath) throws(FigurePathError) -> FigureKind {
    var node = report
    for (index, key) in path.keys.enumerated() {
      let prefix = FigurePath(keys: Array(path.keys.prefix(index)))
      node = try child(key, of: node, at: prefix)
    }
    switch node {
    case .number(let whole): return .number(whole: whole)
    case .text: return .text
    case .flag: return .flag
    case .table(let fields):
      throw FigurePathError(
        description: "“\(path)” is not a figure; it holds \(fields.keys.sorted().listed)")
    case .map, .keyed:
      throw FigurePathError(
        description: "“\(path)” is not a figure; go on with a name in it, or with *")
    case .list:
      throw FigurePathError(
        description: "“\(path)” is a list; its number of items is “\(path).count”")
    }
  }

  private static func child(
    _ key: String, of node: FigureNode, at prefix: FigurePath
  ) throws(FigurePathError) -> FigureNode {
    switch node {
    case .table(let fields):
      if let child = fields[key] { return child }
      let place = prefix.keys.isEmpty ? "the report" : "“\(prefix)”"
      throw FigurePathError(
        description: "\(place) has no “\(key)”; \(NearestName.hint(key, among: fields.keys))")
    case .map(let item): return item
    case .keyed(let name, let item):
      if key == "count" { return .number(whole: true) }
      if name == "id", let ids = FigureNames.ids(of: prefix), key != "*", !ids.contains(key) {
        throw FigurePathError(
          description: "“\(prefix)” has no “\(key)”; \(NearestName.hint(key, among: ids))")
      }
      return item
    case .list where key == "count": return .number(whole: true)
    case .list:
      throw FigurePathError(
        description:
          "the items of “\(prefix)” have no names; only their number is a figure, “\(prefix).count”"
      )
    case .number, .text, .flag:
      throw FigurePathError(description: "“\(prefix)” is a figure already; nothing follows it")
    }
  }
}

extension [String] {
  fileprivate var listed: String { joined(separator: ", ") }
}
