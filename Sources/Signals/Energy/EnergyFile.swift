import Resources
import TOMLKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why a file of energy priors could not be used, in one line.
package struct EnergyFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The line.
  package var description: String
}

/// Energy priors as TOML, in the form of the built-in `energy.toml`.
package enum EnergyFile {
  /// The tables that Lull comes with.
  package static func builtIn() throws(EnergyFileError) -> EnergyTables {
    try parsedBuiltIn.get()
  }

  /// Has them be read, which is done once.
  package static func prepare() { _ = parsedBuiltIn }

  /// The same; `EnergyFileTests` holds that they can be read.
  package static var standard: EnergyTables { (try? parsedBuiltIn.get()) ?? EnergyTables() }

  private static let parsedBuiltIn = Result { () throws(EnergyFileError) in
    try parse(builtInText, path: "energy.toml")
  }

  /// The text of the built-in file.
  package static var builtInText: String {
    Resources.energy
  }

  /// Lull's own tables with a user's file put over them.
  package static func tables(path: String?) throws(EnergyFileError) -> EnergyTables {
    guard let path else { return try builtIn() }
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw EnergyFileError(description: "\(path): cannot be read as a file of energy priors")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw EnergyFileError(description: "\(path): is not UTF-8 text")
    }
    var own = try parse(text, path: path)
    own.path = path
    return own.over(try builtIn())
  }

  /// Reads tables of TOML text; `path` is for error messages, and the source of a figure without one.
  package static func parse(
    _ text: String, path: String
  ) throws(EnergyFileError) -> EnergyTables {
    let document: TOMLTable
    do { document = try TOMLTable(string: text) } catch let error as TOMLParseError {
      throw EnergyFileError(
        description: "\(path):\(error.source.begin.line): \(error.description)")
    } catch {
      throw EnergyFileError(description: "\(path): is not TOML")
    }
    return try EnergyReader(path: path).tables(document)
  }
}

/// Reads one file, with the place of each error.
private struct EnergyReader {
  var path: String

  func failure(_ keys: [String], _ problem: String) -> EnergyFileError {
    EnergyFileError(
      description: "\(path): \(keys.isEmpty ? "" : keys.joined(separator: ".") + " ")\(problem)")
  }

  func tables(_ document: TOMLTable) throws(EnergyFileError) -> EnergyTables {
    var tables = EnergyTables()
    for key in document.keys.sorted() {
      guard let value = document[key] else { continue }
      switch key {
      case "machine":
        tables.machine = try name(MachineClass.self, value, at: [key])
      case "storage":
        guard let own = value.table else {
          tables.storage = try name(StorageKind.self, value, at: [key])
          continue
        }
        for kind in own.keys.sorted() {
          guard let storage = StorageKind(rawValue: kind), let inner = own[kind]?.table else {
            throw failure(
              [key, kind], "must be a table, and one of \(Self.names(StorageKind.self))")
          }
          tables.storages[storage] = try self.storage(inner, at: [key, kind])
        }
      default:
        guard let machine = MachineClass(rawValue: key), let inner = value.table else {
          throw failure(
            [key], "is not known; there are machine, storage, \(Self.names(MachineClass.self))")
        }
        tables.machines[machine] = try self.machine(inner, at: [key])
      }
    }
    return tables
  }

  private static func names<Name: RawRepresentable<String> & CaseIterable>(_: Name.Type) -> String {
    Name.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private func name<Name: RawRepresentable<String> & CaseIterable>(
    _ type: Name.Type, _ value: any TOMLValueConvertible, at keys: [String]
  ) throws(EnergyFileError) -> Name {
    guard let name = value.string.flatMap(Name.init(rawValue:)) else {
      throw failure(keys, "must be one of \(Self.names(type))")
    }
    return name
  }

  private func machine(
    _ table: TOMLTable, at keys: [String]
  ) throws(EnergyFileError) -> MachinePriors {
    try allow(["cpu_watts", "wakeup_microseconds", "wakeup_joules", "storage"], table, at: keys)
    var priors = MachinePriors(
      cpuWatts: try prior("cpu_watts", table, at: keys),
      wakeupMicroseconds: try prior("wakeup_microseconds", table, at: keys),
      wakeupJoules: try prior("wakeup_joules", table, at: keys))
    if let value = table["storage"] {
      priors.storage = try name(StorageKind.self, value, at: keys + ["storage"])
    }
    return priors
  }

  private func storage(
    _ table: TOMLTable, at keys: [String]
  ) throws(EnergyFileError) -> StoragePriors {
    try allow(["operation_joules", "byte_joules", "random_block_joules"], table, at: keys)
    return StoragePriors(
      operation: try prior("operation_joules", table, at: keys),
      byte: try prior("byte_joules", table, at: keys),
      randomBlock: try prior("random_block_joules", table, at: keys))
  }

  private func allow(
    _ known: [String], _ table: TOMLTable, at keys: [String]
  ) throws(EnergyFileError) {
    if let other = table.keys.sorted().first(where: { !known.contains($0) }) {
      throw failure(
        keys + [other], "is not known; there are \(known.joined(separator: ", "))")
    }
  }

  /// A table of figures, or a number that is all of them.
  private func prior(
    _ key: String, _ table: TOMLTable, at keys: [String]
  ) throws(EnergyFileError) -> Prior? {
    guard let value = table[key] else { return nil }
    let place = keys + [key]
    guard let figures = value.table else {
      return Prior(try number(value, at: place), source: path)
    }
    try allow(["value", "low", "high", "source"], figures, at: place)
    guard let said = figures["value"] else { throw failure(place, "needs a “value”") }
    var prior = Prior(
      try number(said, at: place + ["value"]), source: figures["source"]?.string ?? path)
    if let low = figures["low"] { prior.low = try number(low, at: place + ["low"]) }
    if let high = figures["high"] { prior.high = try number(high, at: place + ["high"]) }
    guard prior.low <= prior.value, prior.value <= prior.high else {
      throw failure(place, "must have low ≤ value ≤ high")
    }
    return prior
  }

  private func number(
    _ value: any TOMLValueConvertible, at keys: [String]
  ) throws(EnergyFileError) -> Double {
    let number = value.double ?? value.int.map(Double.init)
    guard let number, number.isFinite, number >= 0 else {
      throw failure(keys, "must be a number of 0 or more")
    }
    return number
  }
}
