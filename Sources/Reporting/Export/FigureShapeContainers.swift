/// The keys that a type asks for.
struct FigureShapeKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let note: FigureShapeDecoder.Note
  var codingPath: [any CodingKey] { [] }

  /// Only a dictionary asks which keys there are.
  var allKeys: [Key] {
    Key(stringValue: FigureShapeDecoder.DataKey.wildcard).map { [$0] } ?? []
  }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let child = FigureShapeDecoder.Note(depth: note.depth + 1)
    let value = try FigureShapeDecoder.value(type, child)
    if let shape = child.shape { note.set(key.stringValue, shape) }
    return value
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw unexpected(key) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw unexpected(key)
  }

  func superDecoder() throws -> any Decoder { FigureShapeDecoder(note: note) }
  func superDecoder(forKey key: Key) throws -> any Decoder { FigureShapeDecoder(note: note) }

  /// The types of a report decode whole values only.
  private func unexpected(_ key: Key) -> DecodingError {
    DecodingError.dataCorrupted(
      .init(codingPath: [key], debugDescription: "the shape of a hand-written key is not known"))
  }
}

/// The items of a list that a type asks for: one stands for all.
struct FigureShapeItems: UnkeyedDecodingContainer {
  let note: FigureShapeDecoder.Note
  let count: Int?
  var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  var isAtEnd: Bool { currentIndex >= (count ?? 0) }

  init(note: FigureShapeDecoder.Note, count: Int) {
    self.note = note
    self.count = count
  }

  mutating func decodeNil() throws -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let child = FigureShapeDecoder.Note(depth: note.depth + 1)
    let value = try FigureShapeDecoder.value(type, child)
    currentIndex += 1
    if let shape = child.shape { note.shape = FigureNode.list(of: shape) }
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try FigureShapeDecoder(note: note).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { self }
  mutating func superDecoder() throws -> any Decoder { FigureShapeDecoder(note: note) }
}

/// A value that stands by itself.
struct FigureShapeValue: SingleValueDecodingContainer {
  let note: FigureShapeDecoder.Note
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try FigureShapeDecoder.value(type, note)
  }
}
