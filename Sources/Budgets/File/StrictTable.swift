import Quantities
import Reporting
import TOMLKit

/// A TOML table that knows its place, and refuses what it does not know.
struct StrictTable {
  let table: TOMLTable
  /// Such as `budget[2]`; empty for the document.
  let place: String
  let document: Document

  /// What errors are told with.
  struct Document {
    let path: String
    let lines: TOMLLines
  }

  /// An error at a key, or at the table itself.
  func error(_ message: String, at key: String? = nil) -> BudgetFileError {
    let full = key.map { place.isEmpty ? $0 : "\(place).\($0)" } ?? place
    return BudgetFileError(
      path: document.path, line: document.lines.line(of: full), message: message)
  }

  /// Refuses keys that are not among these.
  func allow(_ known: [String]) throws(BudgetFileError) {
    let unknown = table.keys.filter { !known.contains($0) }
      .map { (key: $0, error: error("", at: $0)) }
      .min { ($0.error.line, $0.key) < ($1.error.line, $1.key) }
    guard let (key, found) = unknown else { return }
    throw BudgetFileError(
      path: found.path, line: found.line,
      message: "there is no key “\(key)” here; "
        + NearestName.hint(key, among: known, atMost: known.count))
  }

  func text(_ key: String) throws(BudgetFileError) -> String? {
    guard let value = table[key] else { return nil }
    guard let text = value.string, !text.isEmpty else {
      throw error("“\(key)” must be a text between quotes", at: key)
    }
    return text
  }

  func needed(_ key: String) throws(BudgetFileError) -> String {
    guard let text = try text(key) else { throw error("“\(key)” is missing") }
    return text
  }

  func number(
    _ key: String,
    in range: ClosedRange<Double> = -Double
      .greatestFiniteMagnitude...Double
      .greatestFiniteMagnitude
  ) throws(BudgetFileError) -> Double? {
    guard let value = table[key] else { return nil }
    let number = value.double ?? value.int.map(Double.init)
    guard let number, number.isFinite else { throw error("“\(key)” must be a number", at: key) }
    guard range.contains(number) else {
      let bounds =
        range.upperBound < 1e300
        ? "from \(Figures.brief(range.lowerBound)) to \(Figures.brief(range.upperBound))"
        : "\(Figures.brief(range.lowerBound)) or more"
      throw error("“\(key)” must be \(bounds)", at: key)
    }
    return number
  }

  /// A length of time such as "30s", "500ms" or "2m", or a number of seconds.
  func duration(_ key: String) throws(BudgetFileError) -> Double? {
    guard let value = table[key] else { return nil }
    var seconds = value.double ?? value.int.map(Double.init)
    if let text = value.string {
      let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
      let unit = units.first { text.hasSuffix($0.0) }
      seconds = Double(text.dropLast(unit?.0.count ?? 0)).map { $0 * (unit?.1 ?? 1) }
    }
    guard let seconds, seconds > 0, seconds <= 86_400 else {
      throw error("“\(key)” must be a length of time such as \"30s\", at most a day", at: key)
    }
    return seconds
  }

  func words(_ key: String) throws(BudgetFileError) -> [String]? {
    guard let value = table[key] else { return nil }
    guard let array = value.array else {
      throw error("“\(key)” must be a list of texts, [\"program\", \"argument\"]", at: key)
    }
    var words: [String] = []
    for element in array {
      guard let word = element.string else {
        throw error("“\(key)” must hold texts only; put numbers between quotes", at: key)
      }
      words.append(word)
    }
    guard words.first?.isEmpty == false else {
      throw error("“\(key)” must name a program first", at: key)
    }
    return words
  }

  func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, _ type: Choice.Type
  ) throws(BudgetFileError) -> Choice? where Choice.RawValue == String {
    guard let text = try text(key) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let known = Choice.allCases.map(\.rawValue)
    throw error(
      "“\(key)” cannot be “\(text)”; it is one of \(known.joined(separator: ", "))", at: key)
  }

  func table(_ key: String) throws(BudgetFileError) -> StrictTable? {
    guard let value = table[key] else { return nil }
    guard let inner = value.table else {
      throw error("“\(key)” must be a table", at: key)
    }
    return StrictTable(
      table: inner, place: place.isEmpty ? key : "\(place).\(key)", document: document)
  }

  func tables(_ key: String) throws(BudgetFileError) -> [StrictTable] {
    guard let value = table[key] else { return [] }
    guard let array = value.array else {
      throw error("“\(key)” must be written with two brackets, [[\(key)]]", at: key)
    }
    var tables: [StrictTable] = []
    for (index, element) in array.enumerated() {
      let name = "\(place.isEmpty ? "" : place + ".")\(key)[\(index)]"
      guard let inner = element.table else {
        throw error("“\(key)” must hold tables only, each under [[\(key)]]", at: key)
      }
      tables.append(StrictTable(table: inner, place: name, document: document))
    }
    return tables
  }
}
