import FoundationEssentials

/// Reads what the shape of a report names out of its JSON, and passes over the rest without building it.
///
/// A fleet's reports come by the ten thousand, which a decoder of whole values takes a minute for.
struct FigureScanner {
  private(set) var figures = ReportFigures()
  private let json: [UInt8]
  private var at = 0
  private var path: [String] = []
  /// Brackets that are open in a value that is passed over.
  private var open: [UInt8] = []

  /// Why JSON cannot be read.
  struct Failure: Error {
    /// In bytes.
    var offset: Int
  }

  init(_ json: [UInt8]) throws {
    self.json = json
    try value(FigureSchema.report)
    guard token() == nil else { throw Failure(offset: at) }
  }

  /// The next byte that is no blank; nil at the end.
  private mutating func token() -> UInt8? {
    while at < json.count {
      switch json[at] {
      case 0x20, 0x09, 0x0A, 0x0D: at += 1
      case let byte: return byte
      }
    }
    return nil
  }

  private mutating func take(_ wanted: Character) throws {
    guard token() == wanted.asciiValue else { throw Failure(offset: at) }
    at += 1
  }

  private mutating func takes(_ wanted: Character) -> Bool {
    guard token() == wanted.asciiValue else { return false }
    at += 1
    return true
  }

  private mutating func value(_ shape: FigureNode) throws {
    if token() == UInt8(ascii: "n") {
      try word("null")
      return figures.miss(path)
    }
    switch shape {
    case .number: figures.add(try number(), at: path)
    case .text: figures.set(try string(), at: path)
    case .flag:
      let isTrue = token() == UInt8(ascii: "t")
      try word(isTrue ? "true" : "false")
      figures.add(isTrue ? 1 : 0, at: path)
    case .table(let fields): try object { scanner, key in try scanner.field(key, fields[key]) }
    case .map(let item): try object { scanner, key in try scanner.field(key, item) }
    case .list: try list { scanner in try scanner.skip() }
    case .keyed(let name, let item):
      guard case .table(let fields) = item else { return try skip() }
      try list { scanner in
        guard let own = try scanner.name(under: name) else { return try scanner.skip() }
        scanner.path.append(own)
        try scanner.object { scanner, key in try scanner.field(key, fields[key]) }
        scanner.path.removeLast()
      }
    }
  }

  private mutating func field(_ key: String, _ shape: FigureNode?) throws {
    guard let shape else { return try skip() }
    path.append(key)
    try value(shape)
    path.removeLast()
  }

  private mutating func object(_ each: (inout FigureScanner, String) throws -> Void) throws {
    try take("{")
    guard !takes("}") else { return }
    repeat {
      let key = try string()
      try take(":")
      try each(&self, key)
    } while takes(",")
    try take("}")
  }

  /// A list's items, and how many they are as a figure.
  private mutating func list(_ each: (inout FigureScanner) throws -> Void) throws {
    var count = 0
    try take("[")
    if !takes("]") {
      repeat {
        try each(&self)
        count += 1
      } while takes(",")
      try take("]")
    }
    figures.add(Double(count), at: path + ["count"])
  }

  /// The text that the object here has under a key; the scanner stays where it is.
  private mutating func name(under wanted: String) throws -> String? {
    let start = at
    defer { at = start }
    var found: String?
    try object { scanner, key in
      if key == wanted, scanner.token() == UInt8(ascii: "\"") {
        found = try scanner.string()
      } else {
        try scanner.skip()
      }
    }
    return found
  }

  private mutating func word(_ word: StaticString) throws {
    for index in 0..<word.utf8CodeUnitCount {
      guard at < json.count, unsafe json[at] == word.utf8Start[index] else {
        throw Failure(offset: at)
      }
      at += 1
    }
  }

  private mutating func number() throws -> Double {
    guard token() != nil else { throw Failure(offset: at) }
    let start = at
    while at < json.count, Self.isOfNumber(json[at]) { at += 1 }
    guard let value = Double(String(decoding: json[start..<at], as: UTF8.self)), value.isFinite
    else { throw Failure(offset: start) }
    return value
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private mutating func string() throws -> String {
    guard token() == UInt8(ascii: "\"") else { throw Failure(offset: at) }
    let start = at
    guard try passString() else {
      return String(decoding: json[(start + 1)..<(at - 1)], as: UTF8.self)
    }
    return try JSONDecoder().decode(String.self, from: Data(json[start..<at]))
  }

  /// Goes past a string; whether it has escapes.
  private mutating func passString() throws -> Bool {
    var hasEscapes = false
    let start = at
    at += 1
    while at < json.count {
      let byte = json[at]
      at += 1
      if byte == UInt8(ascii: "\"") { return hasEscapes }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        at += 1
      }
    }
    throw Failure(offset: start)
  }

  /// Goes past a value of any kind.
  private mutating func skip() throws {
    open.removeAll(keepingCapacity: true)
    repeat {
      guard let byte = token() else { throw Failure(offset: at) }
      switch byte {
      case UInt8(ascii: "\""): _ = try passString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        // The closing one is two further in ASCII.
        open.append(byte + 2)
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard open.popLast() == byte else { throw Failure(offset: at) }
        at += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard !open.isEmpty else { throw Failure(offset: at) }
        at += 1
      default:
        let start = at
        while at < json.count, Self.isOfWord(json[at]) { at += 1 }
        guard at > start else { throw Failure(offset: at) }
      }
    } while !open.isEmpty
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    isOfNumber(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}
