/// Reports as rows of a table, for databases: `lull.row/1`.
///
/// The columns are the same for every report of a version; a figure that was not measured is null.
package enum ReportRow {
  /// The schema that this version writes.
  package static let schema = "lull.row/1"

  /// A column and where its value stands in a report.
  package struct Column: Sendable, Equatable {
    package var name: String
    package var path: FigurePath
    var isText: Bool
  }

  private static let texts = [
    "trace.startTime", "trace.hostname", "trace.kernel", "trace.cpuModel", "process.name",
    "process.swiftVersion", "generator.version", "capture.mode", "capture.privilege",
    "score.configuration",
  ]
  private static let numbers = [
    "trace.durationSeconds", "trace.cpuCount", "trace.lostEvents", "trace.lostSamples",
    "score.overall",
  ]

  /// Every column but `schema` and `source`, in their order.
  package static let columns: [Column] = {
    var columns = texts.compactMap { column($0, isText: true) }
    columns += numbers.compactMap { column($0, isText: false) }
    for id in FigureNames.ids(of: FigurePath(keys: ["score", "categories"])) ?? [] {
      columns.append(column(["score", "categories", id, "score"], isText: false))
    }
    if case .table(let root) = FigureSchema.report, let signals = root["signals"] {
      columns += scalars(signals, ["signals"])
    }
    for id in FigureNames.ids(of: FigurePath(keys: ["audits"])) ?? [] {
      columns.append(column(["audits", id, "status"], isText: true))
      columns.append(column(["audits", id, "value"], isText: false))
      columns.append(column(["audits", id, "score"], isText: false))
    }
    return columns
  }()

  /// The numbers that every report has in the same place.
  private static func scalars(_ node: FigureNode, _ path: [String]) -> [Column] {
    switch node {
    case .number, .flag: path.last == "tid" ? [] : [column(path, isText: false)]
    case .keyed, .list: [column(path + ["count"], isText: false)]
    case .table(let fields):
      fields.keys.sorted().flatMap { key in
        fields[key].map { scalars($0, path + [key]) } ?? []
      }
    case .text, .map: []
    }
  }

  private static func column(_ text: String, isText: Bool) -> Column? {
    FigurePath(text).map { column($0.keys, isText: isText) }
  }

  /// `signals.disk.bytesWritten` becomes `disk_bytesWritten`: a name that no database has to quote.
  private static func column(_ keys: [String], isText: Bool) -> Column {
    let shown = keys.first == "signals" ? Array(keys.dropFirst()) : keys
    let name = shown.joined(separator: "_").replacing("-", with: "_")
    return Column(name: name, path: FigurePath(keys: keys), isText: isText)
  }

  /// A report as one line of JSON.
  package static func json(_ figures: ReportFigures, source: String) -> String {
    var fields = ["\"schema\":\"\(schema)\"", "\"source\":\(quoted(source))"]
    for column in columns {
      let value: String
      if column.isText {
        value = figures.texts[column.path].map(quoted) ?? "null"
      } else {
        value = figures.numbers[column.path].map(number) ?? "null"
      }
      fields.append("\"\(column.name)\":\(value)")
    }
    return "{" + fields.joined(separator: ",") + "}\n"
  }

  /// The first line of a CSV file.
  package static var csvHeader: String {
    (["schema", "source"] + columns.map(\.name)).joined(separator: ",") + "\r\n"
  }

  /// A report as a line of CSV (RFC 4180); what is null is empty.
  package static func csv(_ figures: ReportFigures, source: String) -> String {
    var fields = [schema, CSVField.text(source)]
    for column in columns {
      fields.append(
        column.isText
          ? figures.texts[column.path].map(CSVField.text) ?? ""
          : figures.numbers[column.path].map(number) ?? "")
    }
    return fields.joined(separator: ",") + "\r\n"
  }

  private static func number(_ value: Double) -> String {
    value.rounded() == value && value.magnitude < 9e15 ? String(Int64(value)) : "\(value)"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      default:
        if scalar.value < 0x20 {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}
