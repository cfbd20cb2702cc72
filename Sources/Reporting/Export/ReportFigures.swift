import FoundationEssentials

/// Every figure of one report by its path, without the lists of nameless things.
package struct ReportFigures: Sendable, Equatable {
  /// Numbers; those of items with the same name are added up.
  package private(set) var numbers: [FigurePath: Double] = [:]
  /// Texts.
  package private(set) var texts: [FigurePath: String] = [:]
  /// Objects and lists that are null: what was not measured.
  package private(set) var missing: Set<FigurePath> = []

  package init() {}

  /// The figures of a report.
  package init(_ report: Report) throws {
    try self.init(json: Array(JSONReport.render(report).utf8))
  }

  /// The figures of a report's JSON; unknown keys are passed over.
  package init(json: [UInt8]) throws {
    self = try JSONDecoder().decode(FigureReading.self, from: Data(json)).figures
  }

  /// Whether something on the way to a path is null.
  package func isMissing(_ path: FigurePath) -> Bool {
    (1...max(path.keys.count, 1)).contains { length in
      missing.contains(FigurePath(keys: Array(path.keys.prefix(length))))
    }
  }

  mutating func add(_ value: Double, at keys: [String]) {
    numbers[FigurePath(keys: keys), default: 0] += value
  }

  mutating func set(_ text: String, at keys: [String]) { texts[FigurePath(keys: keys)] = text }
  mutating func miss(_ keys: [String]) { missing.insert(FigurePath(keys: keys)) }
}

/// Reads what the shape of a report names, and nothing else, from a decoder.
private struct FigureReading: Decodable {
  var figures = ReportFigures()

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private typealias Fields = KeyedDecodingContainer<Key>

  init(from decoder: any Decoder) throws {
    guard case .table(let shape) = FigureSchema.report else { return }
    try read(decoder.container(keyedBy: Key.self), shape, [])
  }

  private mutating func read(
    _ fields: Fields, _ shape: [String: FigureNode], _ path: [String]
  ) throws {
    for (name, node) in shape { try read(fields, Key(stringValue: name), node, path + [name]) }
  }

  private mutating func read(
    _ fields: Fields, _ key: Key, _ node: FigureNode, _ path: [String]
  ) throws {
    guard fields.contains(key) else { return }
    if try fields.decodeNil(forKey: key) { return figures.miss(path) }
    switch node {
    case .number: figures.add(try fields.decode(Double.self, forKey: key), at: path)
    case .text: figures.set(try fields.decode(String.self, forKey: key), at: path)
    case .flag: figures.add(try fields.decode(Bool.self, forKey: key) ? 1 : 0, at: path)
    case .table(let shape):
      try read(fields.nestedContainer(keyedBy: Key.self, forKey: key), shape, path)
    case .map(let item):
      let inner = try fields.nestedContainer(keyedBy: Key.self, forKey: key)
      for name in inner.allKeys { try read(inner, name, item, path + [name.stringValue]) }
    case .list:
      let count = try fields.nestedUnkeyedContainer(forKey: key).count ?? 0
      figures.add(Double(count), at: path + ["count"])
    case .keyed(let name, let item):
      var items = try fields.nestedUnkeyedContainer(forKey: key)
      figures.add(Double(items.count ?? 0), at: path + ["count"])
      guard case .table(let shape) = item else { return }
      while !items.isAtEnd {
        let inner = try items.nestedContainer(keyedBy: Key.self)
        guard let own = try inner.decodeIfPresent(String.self, forKey: Key(stringValue: name))
        else { continue }
        try read(inner, shape, path + [own])
      }
    }
  }
}
