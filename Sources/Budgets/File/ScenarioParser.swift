/// Reads the `[[scenario]]` tables of a budget file.
enum ScenarioParser {
  static func parse(_ table: StrictTable) throws(BudgetFileError) -> Scenario {
    try table.allow([
      "name", "command", "directory", "environment", "warm-up", "duration", "load", "runs",
      "product",
    ])
    let name = try table.needed("name")
    guard name.unicodeScalars.allSatisfy(isPlain) else {
      throw table.error(
        "“\(name)” cannot be part of a file's name; use letters, digits, - and _", at: "name")
    }
    guard let command = try table.words("command") else {
      throw table.error("“command” is missing: [\"program\", \"argument\"]")
    }
    let runs = try table.number("runs", in: 1...1000) ?? 1
    guard runs.rounded() == runs else { throw table.error("“runs” must be whole", at: "runs") }
    let warmUp = try table.duration("warm-up")
    let duration = try table.duration("duration")
    if warmUp != nil, duration == nil {
      throw table.error(
        "a scenario with a warm-up needs a duration: it is recorded while it runs", at: "warm-up")
    }
    let load = try table.words("load") ?? []
    if !load.isEmpty, duration == nil {
      throw table.error(
        "a scenario with a load needs a duration, or it would never end", at: "load")
    }
    return Scenario(
      name: name, command: command, directory: try table.text("directory"),
      environment: try environment(table), warmUpSeconds: warmUp, durationSeconds: duration,
      load: load, runs: Int(runs), product: try table.text("product"),
      line: table.error("").line)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private static func environment(
    _ table: StrictTable
  ) throws(BudgetFileError) -> [String: String] {
    guard let inner = try table.table("environment") else { return [:] }
    var result: [String: String] = [:]
    for key in inner.table.keys {
      guard let value = inner.table[key]?.string else {
        throw inner.error("“\(key)” must be a text between quotes", at: key)
      }
      result[key] = value
    }
    return result
  }
}
