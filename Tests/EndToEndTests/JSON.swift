import Foundation

/// A JSON value, read by the keys of the report's contract and not by the types that write it.
struct JSON: CustomStringConvertible {
  let value: Any?

  init(_ value: Any?) { self.value = value is NSNull ? nil : value }

  init(parsing data: Data) throws {
    value = try JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed])
  }

  /// The last line of a text that is a JSON object: the truth that a workload prints.
  init(lastLineOf text: String) throws {
    let line = text.split(separator: "\n").last { $0.hasPrefix("{") } ?? "{}"
    try self.init(parsing: Data(line.utf8))
  }

  subscript(key: String) -> JSON { JSON((value as? [String: Any])?[key]) }
  subscript(index: Int) -> JSON {
    let items = self.items
    return items.indices.contains(index) ? items[index] : JSON(nil)
  }

  var items: [JSON] { (value as? [Any] ?? []).map(JSON.init) }
  var keys: [String] { (value as? [String: Any] ?? [:]).keys.sorted() }
  var double: Double? { (value as? NSNumber)?.doubleValue }
  var int: Int? { (value as? NSNumber)?.intValue }
  var bool: Bool? { (value as? NSNumber)?.boolValue }
  var string: String? { value as? String }
  var exists: Bool { value != nil }
  var description: String { value.map { "\($0)" } ?? "nothing" }
}
