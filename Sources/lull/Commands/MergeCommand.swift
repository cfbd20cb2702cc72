import ArgumentParser
import Budgets
import Dispatch
import Files
import Glibc
import Reporting
import Synchronization

/// The forms in which many reports can be written.
enum MergeFormat: String, CaseIterable {
  case text, json, ndjson, csv
}

/// `lull merge`: many reports as one, or as the rows of a table.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge reports: the percentiles of a fleet, or a table for a database.",
    discussion: """
      text and json give each figure's distribution; json can be merged again. ndjson and csv \
      give a row for each report. A folder stands for the .json files in it.
      """)

  @Argument(help: "JSON reports, merged reports, traces, or folders of JSON reports.")
  var reports: [String]

  @Option(
    help: "text, json, ndjson or csv.", completion: .values(MergeFormat.self),
    transform: Self.format)
  var format = MergeFormat.text

  @OptionGroup var destination: OutputOptions

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var log: LogOptions

  @Sendable static func format(_ name: String) throws -> MergeFormat {
    guard let format = MergeFormat(rawValue: name) else {
      let known = MergeFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no format “\(name)”; this version writes \(known).")
    }
    return format
  }

  func run() throws {
    Console.ignoreBrokenPipes()
    try destination.check()
    let paths = try reports.flatMap(Self.files)
    let text =
      switch format {
      case .text: try fleet(paths).text(options: TextOptions(width: 110))
      case .json: try fleet(paths).render()
      case .ndjson, .csv: try rows(paths)
      }
    try destination.write(text)
  }

  /// Every CPU merges a part of the files; the parts are merged then.
  private func fleet(_ paths: [String]) throws -> Fleet {
    let parts = try inParts(paths) { part in
      var fleet = Fleet()
      for path in part { try add(path, to: &fleet) }
      return fleet
    }
    var whole = Fleet()
    for part in parts { whole.add(part) }
    return whole
  }

  private func add(_ path: String, to fleet: inout Fleet) throws {
    guard ReportInput.isJSON(path) else {
      let run = try ReportInput(path, scenarios: []).run(analysis)
      return fleet.add(run.figures)
    }
    do { try fleet.add(json: TextFile.bytes(path)) } catch let failure as Failure {
      throw failure
    } catch {
      let reason = (error as? FleetError)?.description ?? "it is no JSON report of Lull"
      throw Failure(status: Exit.badTrace, message: "\(path) cannot be merged: \(reason)")
    }
  }

  private func rows(_ paths: [String]) throws -> String {
    let isCSV = format == .csv
    let parts = try inParts(paths) { part in
      try part.map { path in
        let figures = try figures(path)
        return isCSV
          ? ReportRow.csv(figures, source: path) : ReportRow.json(figures, source: path)
      }.joined()
    }
    return (isCSV ? ReportRow.csvHeader : "") + parts.joined()
  }

  private func figures(_ path: String) throws -> ReportFigures {
    guard ReportInput.isJSON(path) else {
      return try ReportInput(path, scenarios: []).run(analysis).figures
    }
    let bytes = try TextFile.bytes(path)
    guard let figures = try? ReportFigures(json: bytes),
      figures.texts[FigurePath(keys: ["schema"])] == Report.schema
    else {
      throw Failure(
        status: Exit.badTrace, message: "\(path) is no JSON report of Lull, so it gives no row")
    }
    return figures
  }

  /// Works on as many parts as there are CPUs, at the same time; the results keep their order.
  private func inParts<Part: Sendable>(
    _ paths: [String], _ work: @Sendable ([String]) throws -> Part
  ) throws -> [Part] {
    let count = max(1, min(paths.count, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let results = Mutex<[Int: Result<Part, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let part = Array(paths[(paths.count * index / count)..<(paths.count * (index + 1) / count)])
      let result = Result { try work(part) }
      results.withLock { $0[index] = result }
    }
    let found = results.withLock { $0 }
    return try (0..<count).compactMap { try found[$0]?.get() }
  }

  /// The files that a name stands for: itself, or the reports in a folder.
  private static func files(_ path: String) throws -> [String] {
    guard let all = try Folder.names(inAny: path) else { return [path] }
    let names = all.filter { $0.hasSuffix(".json") }
    guard !names.isEmpty else {
      throw Failure(status: Exit.inputOutput, message: "\(path) holds no .json file to merge")
    }
    return names.map { "\(path)/\($0)" }.sorted()
  }
}
