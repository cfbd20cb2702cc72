/// A list whose key may be missing, as in a report of an older version: it is empty then.
@propertyWrapper
package struct Elements<Element: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
  /// The list.
  package var wrappedValue: [Element]

  /// Wraps a list.
  package init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

  /// Reads a list.
  package init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode([Element].self)
  }

  /// Writes the list.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension KeyedDecodingContainer {
  /// Reads a list, or an empty one where there is no such key.
  package func decode<Element>(
    _ type: Elements<Element>.Type, forKey key: Key
  ) throws -> Elements<Element> {
    try decodeIfPresent(type, forKey: key) ?? Elements(wrappedValue: [])
  }
}
