/// A tracepoint's layout, from tracefs `format` text.
public struct TracepointFormat: Sendable, Hashable {
  /// Subsystem, such as `sched`.
  public var system: String
  /// Name, such as `sched_switch`.
  public var name: String
  /// The id that `EventAttribute.config` holds.
  public var id: Int
  /// All fields, the common ones first.
  public var fields: [TracepointField]

  /// Makes a format of given fields.
  public init(system: String, name: String, id: Int, fields: [TracepointField]) {
    self.system = system
    self.name = name
    self.id = id
    self.fields = fields
  }

  /// The field of that name.
  public func field(_ name: String) -> TracepointField? { fields.first { $0.name == name } }

  /// Parses the text of a tracefs `format` file, which does not name the system.
  public init?(parsing formatText: String, system: String = "") {
    var name: String?
    var id: Int?
    var fields: [TracepointField] = []
    for line in formatText.split(whereSeparator: \.isNewline) {
      let text = line.drop { $0 == " " || $0 == "\t" }
      if text.hasPrefix("name:") {
        name = name ?? Self.trimmed(text.dropFirst(5))
      } else if text.hasPrefix("ID:") {
        id = id ?? Int(Self.trimmed(text.dropFirst(3)))
      } else if text.hasPrefix("field:") {
        if let field = TracepointField(parsing: text) { fields.append(field) }
      } else if text.hasPrefix("print fmt:") {
        break
      }
    }
    guard let name, let id else { return nil }
    self.init(system: system, name: name, id: id, fields: fields)
  }

  static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return String(text)
  }
}

/// One field of a tracepoint.
public struct TracepointField: Sendable, Hashable {
  /// The field's name.
  public var name: String
  /// The C type as the format text gives it, without an array's brackets.
  public var typeName: String
  /// Offset of the first byte in the raw payload.
  public var offset: Int
  /// Bytes.
  public var size: Int
  /// Whether the integer is signed.
  public var isSigned: Bool
  /// Whether the field is an array in place.
  public var isArray: Bool
  /// Whether the field is `__data_loc` or `__rel_loc`: a length and an offset of bytes elsewhere.
  public var isDynamic: Bool

  /// Makes a field.
  public init(
    name: String, typeName: String, offset: Int, size: Int, isSigned: Bool, isArray: Bool = false,
    isDynamic: Bool = false
  ) {
    self.name = name
    self.typeName = typeName
    self.offset = offset
    self.size = size
    self.isSigned = isSigned
    self.isArray = isArray
    self.isDynamic = isDynamic
  }

  /// Parses `field:char comm[16];\toffset:8;\tsize:16;\tsigned:0;`.
  init?(parsing line: Substring) {
    var declaration = ""
    var offset: Int?
    var size: Int?
    var signed = false
    for part in line.split(separator: ";") {
      let text = part.drop { $0 == " " || $0 == "\t" }
      guard let colon = text.firstIndex(of: ":") else { continue }
      let value = TracepointFormat.trimmed(text[text.index(after: colon)...])
      switch text[..<colon] {
      case "field": declaration = value
      case "offset": offset = Int(value)
      case "size": size = Int(value)
      case "signed": signed = value == "1"
      default: break
      }
    }
    guard let offset, let size, offset >= 0, size >= 0, offset < 1 << 20, size < 1 << 20,
      !declaration.isEmpty
    else { return nil }
    let dynamic = declaration.hasPrefix("__data_loc") || declaration.hasPrefix("__rel_loc")
    var array = false
    if declaration.last == "]", let bracket = declaration.lastIndex(of: "[") {
      array = true
      declaration = TracepointFormat.trimmed(declaration[..<bracket])
    }
    let split = declaration.lastIndex { $0 == " " || $0 == "*" }
    guard let split else { return nil }
    self.init(
      name: String(declaration[declaration.index(after: split)...]),
      typeName: TracepointFormat.trimmed(declaration[...split]), offset: offset, size: size,
      isSigned: signed, isArray: array && !dynamic, isDynamic: dynamic)
  }

  /// The integer that the field holds; nil when the payload is too short or it is no integer.
  public func integer(in raw: RawPayload) -> Int64? {
    raw.withUnsafeBytes { integer(in: $0) }
  }

  /// The bytes of an array or dynamic field.
  public func bytes(in raw: RawPayload) -> [UInt8]? { raw.withUnsafeBytes { bytes(in: $0) } }

  /// The text of a character array or dynamic string, up to its first zero byte, repaired as UTF-8.
  public func string(in raw: RawPayload) -> String? { raw.withUnsafeBytes { string(in: $0) } }

  /// The integer that the field holds; nil when the payload is too short or it is no integer.
  public func integer(in raw: UnsafeRawBufferPointer) -> Int64? {
    IntegerField(self)?.value(in: raw)
  }

  /// The bytes of an array or dynamic field.
  public func bytes(in raw: UnsafeRawBufferPointer) -> [UInt8]? {
    range(in: raw).map { Array(raw[$0]) }
  }

  /// The text of a character array or dynamic string, up to its first zero byte, repaired as UTF-8.
  public func string(in raw: UnsafeRawBufferPointer) -> String? {
    guard isArray || isDynamic, let range = range(in: raw) else { return nil }
    return String(decoding: raw[range].prefix { $0 != 0 }, as: UTF8.self)
  }

  private func range(in raw: UnsafeRawBufferPointer) -> Range<Int>? {
    var start = offset
    var length = size
    if isDynamic {
      guard size == 4, offset <= raw.count - 4 else { return nil }
      let location = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      start = Int(location & 0xffff)
      length = Int(location >> 16)
      // A relative location counts from the end of the field itself.
      if typeName.hasPrefix("__rel_loc") { start += offset + 4 }
    }
    guard start <= raw.count, length <= raw.count - start else { return nil }
    return start..<start + length
  }
}

/// Where an integer field is: what reading it again and again needs of a `TracepointField`.
public struct IntegerField: Sendable {
  @usableFromInline let offset: Int
  @usableFromInline let size: Int
  @usableFromInline let isSigned: Bool

  /// Nil for a field that is no integer.
  public init?(_ field: TracepointField) {
    guard !field.isArray, !field.isDynamic, (1...8).contains(field.size), field.offset >= 0 else {
      return nil
    }
    offset = field.offset
    size = field.size
    isSigned = field.isSigned
  }

  /// The upper half of an integer of eight bytes, with its sign; a shorter one whole.
  public var upperHalf: IntegerField {
    size == 8 ? IntegerField(offset: offset + 4, size: 4) : self
  }

  private init(offset: Int, size: Int) {
    self.offset = offset
    self.size = size
    isSigned = true
  }

  /// The integer; nil when the payload is too short.
  @inlinable
  public func value(in raw: UnsafeRawBufferPointer) -> Int64? {
    guard offset <= raw.count - size else { return nil }
    switch (size, isSigned) {
    case (8, _): return raw.loadUnaligned(fromByteOffset: offset, as: Int64.self)
    case (4, true): return Int64(raw.loadUnaligned(fromByteOffset: offset, as: Int32.self))
    case (4, false): return Int64(raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    case (2, true): return Int64(raw.loadUnaligned(fromByteOffset: offset, as: Int16.self))
    case (2, false): return Int64(raw.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    case (1, true): return Int64(raw.loadUnaligned(fromByteOffset: offset, as: Int8.self))
    case (1, false): return Int64(raw[offset])
    default:
      var value: UInt64 = 0
      for index in 0..<size { value |= UInt64(raw[offset + index]) << UInt64(8 * index) }
      guard isSigned else { return Int64(bitPattern: value) }
      let shift = Int64(64 - 8 * size)
      return (Int64(bitPattern: value) << shift) >> shift
    }
  }
}
