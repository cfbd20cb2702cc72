/// A list whose key may be missing, as in a report of an older version: it is empty then.
@propertyWrapper
public struct Elements<Element: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
  /// The list.
  public var wrappedValue: [Element]

  /// Wraps a list.
  public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

  /// Reads a list.
  public init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode([Element].self)
  }

  /// Writes the list.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension KeyedDecodingContainer {
  /// Reads a list, or an empty one where there is no such key.
  public func decode<Element>(
    _ type: Elements<Element>.Type, forKey key: Key
  ) throws -> Elements<Element> {
    try decodeIfPresent(type, forKey: key) ?? Elements(wrappedValue: [])
  }
}
