/// Has a type decode itself from nothing and notes what it asks for.
struct FigureShapeDecoder: Decoder {
  /// Where the shape that was asked for is noted.
  final class Note {
    var shape: FigureNode?
    let depth: Int

    init(depth: Int) { self.depth = depth }

    func set(_ key: String, _ child: FigureNode) {
      if key == DataKey.wildcard {
        shape = .map(child)
        return
      }
      var fields: [String: FigureNode] = [:]
      if case .table(let known) = shape { fields = known }
      fields[key] = child
      shape = .table(fields)
    }
  }

  /// Stands for every key of an object whose keys are data.
  enum DataKey { static let wildcard = "*" }

  /// A type that holds itself would go on for ever.
  private static let deepest = 16

  let note: Note
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func shape<Value: Decodable>(of type: Value.Type) -> FigureNode? {
    let note = Note(depth: 0)
    _ = try? value(type, note)
    return note.shape
  }

  /// A value of the type, its shape noted.
  static func value<Value: Decodable>(_ type: Value.Type, _ note: Note) throws -> Value {
    if let (value, shape) = leaf(type) {
      note.shape = shape
      return value
    }
    return try Value(from: FigureShapeDecoder(note: note))
  }

  private static func leaf<Value>(_ type: Value.Type) -> (Value, FigureNode)? {
    let zero: (any Sendable, FigureNode)? =
      switch type {
      case is Double.Type: (0.0, .number(whole: false))
      case is Float.Type: (Float(0), .number(whole: false))
      case is Int.Type: (0, .number(whole: true))
      case is Int64.Type: (Int64(0), .number(whole: true))
      case is Int32.Type: (Int32(0), .number(whole: true))
      case is UInt64.Type: (UInt64(0), .number(whole: true))
      case is UInt32.Type: (UInt32(0), .number(whole: true))
      case is UInt.Type: (UInt(0), .number(whole: true))
      case is String.Type: ("", .text)
      case is Bool.Type: (false, .flag)
      default: nil
      }
    if let zero, let value = zero.0 as? Value { return (value, zero.1) }
    // The cases of an enumeration are texts in JSON.
    if let cases = type as? any CaseIterable.Type, type is any RawRepresentable.Type,
      let value = first(of: cases) as? Value
    {
      return (value, .text)
    }
    return nil
  }

  private static func first<Cases: CaseIterable>(of type: Cases.Type) -> Any? {
    type.allCases.first
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if note.shape == nil { note.shape = .table([:]) }
    return KeyedDecodingContainer(FigureShapeKeys<Key>(note: note))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    note.shape = .list
    return FigureShapeItems(note: note, count: note.depth < Self.deepest ? 1 : 0)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    FigureShapeValue(note: note)
  }
}
