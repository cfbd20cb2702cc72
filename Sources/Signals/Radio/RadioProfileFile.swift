import Resources
import TOMLKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why radio profiles could not be read, in one line.
package struct RadioProfileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The line.
  package var description: String
}

/// Radio profiles as TOML: a table for each profile, as in the built-in `profiles.toml`.
package enum RadioProfileFile {
  /// The profiles that Lull knows by itself, sorted by name.
  package static func builtIn() throws(RadioProfileError) -> [RadioProfile] {
    try parsedBuiltIn.get()
  }

  /// Has the profiles that Lull knows by itself be read, which is done once.
  package static func prepare() { _ = parsedBuiltIn }

  private static let parsedBuiltIn = Result { () throws(RadioProfileError) in
    try parse(
      Resources.radios, path: "profiles.toml")
  }

  /// Reads the profiles of a user's file, sorted by name.
  package static func read(path: String) throws(RadioProfileError) -> [RadioProfile] {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw RadioProfileError(description: "\(path): cannot be read as a radio profile file")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw RadioProfileError(description: "\(path): is not UTF-8 text")
    }
    return try parse(text, path: path)
  }

  /// The profile of this name, from the user's file if it has one, else a built-in one.
  package static func profile(
    named name: String, userFile: String? = nil
  ) throws(RadioProfileError) -> RadioProfile {
    let own = if let userFile { try read(path: userFile) } else { [RadioProfile]() }
    let known = own + (try builtIn())
    if let found = known.first(where: { $0.name == name }) { return found }
    let names = Set(known.map(\.name)).sorted().joined(separator: ", ")
    throw RadioProfileError(
      description: "no radio profile is called “\(name)”; there are \(names)")
  }

  /// Reads profiles from TOML text; `path` is for error messages.
  package static func parse(
    _ text: String, path: String
  ) throws(RadioProfileError) -> [RadioProfile] {
    let document: TOMLTable
    do {
      document = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw RadioProfileError(
        description: "\(path):\(error.source.begin.line): \(error.description)")
    } catch {
      throw RadioProfileError(description: "\(path): is not TOML")
    }
    var profiles: [RadioProfile] = []
    for name in document.keys.sorted() {
      guard let table = document[name]?.table else {
        throw RadioProfileError(description: "\(path): “\(name)” must be a table, [\(name)]")
      }
      profiles.append(try profile(name, ProfileTable(table: table, place: "\(path): \(name)")))
    }
    guard !profiles.isEmpty else {
      throw RadioProfileError(description: "\(path): holds no radio profile")
    }
    return profiles
  }

  private static func profile(
    _ name: String, _ table: ProfileTable
  ) throws(RadioProfileError) -> RadioProfile {
    var tail: [RadioState] = []
    for state in try table.tables("tail") {
      tail.append(
        RadioState(
          name: try state.text("name"), seconds: try state.positive("seconds"),
          power: try state.power(), promotion: try state.table("promotion")?.promotion()))
    }
    guard !tail.isEmpty else {
      throw RadioProfileError(description: "\(table.place): needs at least one [[\(name).tail]]")
    }
    let reserved: Set = ["promotion", "transfer", "idle"]
    if let state = tail.first(where: { reserved.contains($0.name) }) {
      throw RadioProfileError(
        description: "\(table.place): a tail state cannot be called “\(state.name)”")
    }
    return RadioProfile(
      name: name, technology: table.optionalText("technology") ?? name,
      title: table.optionalText("title") ?? name,
      source: table.optionalText("source") ?? "",
      promotion: try table.table("promotion")?.promotion(), tail: tail,
      idle: try table.table("idle")?.power() ?? RadioPower(milliwatts: 0),
      uplinkMilliwattsPerMbps: try table.number("uplink_milliwatts_per_mbps", default: 0),
      downlinkMilliwattsPerMbps: try table.number("downlink_milliwatts_per_mbps", default: 0),
      uplinkRates: try table.rates("uplink_rates"),
      downlinkRates: try table.rates("downlink_rates"))
  }
}

/// A TOML table with the place to name in errors.
private struct ProfileTable {
  var table: TOMLTable
  var place: String

  func number(_ key: String, default fallback: Double?) throws(RadioProfileError) -> Double {
    guard let value = table[key] else {
      if let fallback { return fallback }
      throw RadioProfileError(description: "\(place): “\(key)” is missing")
    }
    let number = value.double ?? value.int.map(Double.init)
    guard let number, number.isFinite, number >= 0 else {
      throw RadioProfileError(description: "\(place): “\(key)” must be a number of 0 or more")
    }
    return number
  }

  func positive(_ key: String) throws(RadioProfileError) -> Double {
    let value = try number(key, default: nil)
    guard value > 0 else {
      throw RadioProfileError(description: "\(place): “\(key)” must be more than 0")
    }
    return value
  }

  func text(_ key: String) throws(RadioProfileError) -> String {
    guard let value = optionalText(key), !value.isEmpty else {
      throw RadioProfileError(description: "\(place): “\(key)” must be a text")
    }
    return value
  }

  func optionalText(_ key: String) -> String? { table[key]?.string }

  func table(_ key: String) throws(RadioProfileError) -> ProfileTable? {
    guard let value = table[key] else { return nil }
    guard let inner = value.table else {
      throw RadioProfileError(description: "\(place): “\(key)” must be a table")
    }
    return ProfileTable(table: inner, place: "\(place).\(key)")
  }

  func tables(_ key: String) throws(RadioProfileError) -> [ProfileTable] {
    guard let value = table[key] else { return [] }
    guard let array = value.array else {
      throw RadioProfileError(description: "\(place): “\(key)” must be tables, [[….\(key)]]")
    }
    var result: [ProfileTable] = []
    for (index, element) in array.enumerated() {
      guard let inner = element.table else {
        throw RadioProfileError(description: "\(place): “\(key)” must hold tables only")
      }
      result.append(ProfileTable(table: inner, place: "\(place).\(key)[\(index)]"))
    }
    return result
  }

  func power() throws(RadioProfileError) -> RadioPower {
    let steady = try number("milliwatts", default: nil)
    guard table["on_milliwatts"] != nil else { return RadioPower(milliwatts: steady) }
    let on = try number("on_seconds", default: nil)
    let cycle = try positive("cycle_seconds")
    guard on <= cycle else {
      throw RadioProfileError(description: "\(place): “on_seconds” is more than “cycle_seconds”")
    }
    return RadioPower(
      milliwatts: steady, onMilliwatts: try number("on_milliwatts", default: nil), onSeconds: on,
      cycleSeconds: cycle)
  }

  func promotion() throws(RadioProfileError) -> RadioPromotion {
    let buffers = (try table("uplink_buffer")?.buffer(), try table("downlink_buffer")?.buffer())
    guard (buffers.0 == nil) == (buffers.1 == nil) else {
      throw RadioProfileError(
        description: "\(place): needs both “uplink_buffer” and “downlink_buffer”, or neither")
    }
    return RadioPromotion(
      seconds: try positive("seconds"), milliwatts: try number("milliwatts", default: nil),
      uplinkBuffer: buffers.0, downlinkBuffer: buffers.1)
  }

  /// Pairs of Mbit/s and milliwatts, ascending.
  func rates(_ key: String) throws(RadioProfileError) -> [RadioRate] {
    guard let value = table[key] else { return [] }
    let malformed = RadioProfileError(
      description: "\(place): “\(key)” must be pairs of Mbit/s and milliwatts, the rates ascending")
    guard let pairs = value.array else { throw malformed }
    var rates: [RadioRate] = []
    for pair in pairs {
      guard let values = pair.array else { throw malformed }
      var numbers: [Double] = []
      for value in values { numbers += [value.double ?? value.int.map(Double.init) ?? .nan] }
      guard numbers.count == 2, numbers.allSatisfy({ $0.isFinite && $0 >= 0 }),
        numbers[0] > rates.last?.megabitsPerSecond ?? -1
      else { throw malformed }
      rates.append(RadioRate(megabitsPerSecond: numbers[0], milliwatts: numbers[1]))
    }
    return rates
  }

  private func buffer() throws(RadioProfileError) -> RadioBuffer {
    guard let values = table["emptying"]?.array, (1...3).contains(values.count) else {
      throw RadioProfileError(description: "\(place): “emptying” must be one to three numbers")
    }
    var emptying: [Double] = []
    for value in values {
      guard let number = value.double ?? value.int.map(Double.init), number.isFinite, number >= 0
      else {
        throw RadioProfileError(description: "\(place): “emptying” must be numbers of 0 or more")
      }
      emptying.append(number)
    }
    return RadioBuffer(bytes: try positive("bytes"), emptying: emptying)
  }
}
