/// The way to a figure in a report: keys joined by points, `signals.disk.syncs`.
///
/// An item of a list is named by its id, name or path. A key with a point in it stands between quotes.
package struct FigurePath: Sendable, Hashable, CustomStringConvertible {
  /// The keys from the root.
  package var keys: [String]

  package init(keys: [String]) { self.keys = keys }

  /// Reads a path; nil when a quote does not end or a key is empty.
  package init?(_ text: String) {
    var keys: [String] = []
    var key = ""
    var quoted = false
    var wasQuoted = false
    for character in text {
      switch character {
      case "\"" where !quoted && key.isEmpty && !wasQuoted: (quoted, wasQuoted) = (true, true)
      case "\"" where quoted: quoted = false
      case "." where !quoted:
        guard !key.isEmpty else { return nil }
        keys.append(key)
        key = ""
        wasQuoted = false
      default:
        guard quoted || !wasQuoted else { return nil }
        key.append(character)
      }
    }
    guard !quoted, !key.isEmpty else { return nil }
    self.keys = keys + [key]
  }

  /// The path as it is written.
  package var description: String {
    keys.map { $0.contains(".") || $0.isEmpty ? "\"\($0)\"" : $0 }.joined(separator: ".")
  }

  /// Whether a path with `*` for any key means this one.
  package func matches(_ path: FigurePath) -> Bool {
    keys.count == path.keys.count && zip(keys, path.keys).allSatisfy { $0 == "*" || $0 == $1 }
  }
}
