import FoundationEssentials
import Quantities
import Reporting

/// Many reports as one: each figure's distribution. Fleets of fleets come to the same.
package struct Fleet: Sendable {
  /// The schema that this version writes.
  package static let schema = "lull.fleet/1"

  /// How many reports there are in it.
  package private(set) var reports = 0
  private var figures: [FigurePath: FigureHistogram] = [:]

  /// A fleet of none.
  package init() {}

  /// Adds a report by its figures.
  package mutating func add(_ report: ReportFigures) {
    reports += 1
    for (name, value) in report.numbers where FigureNames.isMeasured(name) {
      let path = Self.path(of: name, in: report)
      figures[path, default: FigureHistogram(scale: Self.scale(of: path))].record(value)
    }
  }

  /// What is counted by the run stands by itself: beside what is counted by the time it is a figure of another kind.
  private static func path(of name: FigurePath, in report: ReportFigures) -> FigurePath {
    report.unit(of: name).name.hasSuffix("/" + byTheRun)
      ? FigurePath(keys: name.keys + [byTheRun]) : name
  }

  private static func unit(of path: FigurePath) -> FigureUnit {
    guard path.keys.last == byTheRun, FigureNames.rule(of: path) != nil else {
      return FigureUnit.of(path)
    }
    let unit = FigureUnit.of(FigurePath(keys: path.keys.dropLast())).name
    let counted = unit.split(separator: "/").dropLast().joined(separator: "/")
    return FigureUnit(named: counted + "/" + byTheRun)
  }

  private static let byTheRun = "run"

  /// Adds another fleet.
  package mutating func add(_ other: Fleet) {
    reports += other.reports
    for (path, histogram) in other.figures {
      if figures[path] == nil { figures[path] = FigureHistogram(scale: histogram.scale) }
      figures[path]?.add(histogram)
    }
  }

  /// Adds what is in a file: a report or a fleet.
  package mutating func add(json: [UInt8]) throws {
    // Of a fleet only the schema is found, since it has none of a report's other keys.
    let figures = try ReportFigures(json: json)
    switch figures.texts[FigurePath(keys: ["schema"])] {
    case Report.schema: add(figures)
    case Self.schema: add(try Fleet(Data(json)))
    default: throw FleetError.schema
    }
  }

  private static func scale(of path: FigurePath) -> Double {
    guard let kind = try? FigureSchema.kind(of: path), kind == .number(whole: true) else {
      return 1e9
    }
    return 1
  }

  private static let shares: [(name: String, share: Double)] = [
    ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99),
  ]

  /// The share of the reports does not exceed this value; nil where no report has the figure.
  package func percentile(_ share: Double, of path: FigurePath) -> Double? {
    figures[path]?.percentile(share)
  }

  /// The fleet for the terminal: the percentiles of each figure.
  package func text(options: TextOptions = .init()) -> String {
    var canvas = TextCanvas(options: options)
    canvas.line((Figures.count(reports, "report"), .heading))
    let column = 14
    let width = options.width - 4 * column
    let head =
      Columns.padded("", to: width)
      + Self.shares.map { Columns.rightAligned($0.name, to: column) }.joined()
    canvas.line((head, .faint))
    for (path, histogram) in sorted where histogram.count > 0 {
      let unit = Self.unit(of: path)
      let name = Columns.clip(Escaped.text(path.description), to: width - 1)
      let cells = Self.shares.map {
        " " + Columns.rightAligned(unit.text(histogram.percentile($0.share)), to: column - 1)
      }
      canvas.line((Columns.padded(name, to: width) + cells.joined(), .plain))
    }
    return canvas.text
  }

  private var sorted: [(key: FigurePath, value: FigureHistogram)] {
    figures.map { (key: $0.key, value: $0.value, name: $0.key.description) }
      .sorted { $0.name < $1.name }.map { ($0.key, $0.value) }
  }
}

extension Fleet {
  private struct File: Codable {
    struct Figure: Codable {
      var count: UInt64
      var sum: Double
      var mean: Double
      var min: Double
      var max: Double
      var percentiles: [String: Double]
      var unit: String
      var histogram: Steps
    }
    struct Steps: Codable {
      var scale: Double
      /// Pairs of a scaled value and how many reports have it, to three digits.
      var positive: [[UInt64]]
      var negative: [[UInt64]]
    }
    var schema: String
    var reports: Int
    var figures: [String: Figure]
  }

  private init(_ data: Data) throws {
    let file = try JSONDecoder().decode(File.self, from: data)
    guard file.reports >= 0 else { throw FleetError.figures }
    reports = file.reports
    for (name, figure) in file.figures {
      guard let path = FigurePath(name), figure.histogram.scale >= 1,
        let histogram = FigureHistogram(
          scale: figure.histogram.scale, sum: figure.sum, least: figure.min, most: figure.max,
          positive: figure.histogram.positive, negative: figure.histogram.negative)
      else { throw FleetError.figures }
      figures[path] = histogram
    }
  }

  /// The fleet as JSON with sorted keys: it can be merged again.
  package func render() throws -> String {
    var file = File(schema: Self.schema, reports: reports, figures: [:])
    for (path, histogram) in figures where histogram.count > 0 {
      let steps = histogram.steps
      var percentiles: [String: Double] = [:]
      for (name, share) in Self.shares { percentiles[name] = histogram.percentile(share) }
      file.figures[path.description] = File.Figure(
        count: histogram.count, sum: histogram.sum, mean: histogram.sum / Double(histogram.count),
        min: histogram.least, max: histogram.most, percentiles: percentiles,
        unit: Self.unit(of: path).name,
        histogram: File.Steps(
          scale: histogram.scale, positive: steps.positive, negative: steps.negative))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(file), as: UTF8.self) + "\n"
  }
}

/// Why a file cannot be merged.
package enum FleetError: Error, Sendable, CustomStringConvertible {
  case schema, figures

  package var description: String {
    switch self {
    case .schema: "it is neither a JSON report of Lull nor a merged one"
    case .figures: "its figures cannot be read"
    }
  }
}
