import Quantities

/// A table that the page can sort and filter.
struct TableModel {
  /// Rows beyond these are in the JSON only.
  static let mostRows = 250

  let id: String
  let title: String
  let columns: [ColumnModel]
  let rows: [RowModel]
  let count: String
  let note: String?

  /// Makes a table of rows that are in order of importance.
  init(
    id: String, title: String, columns: [ColumnModel], rows: [[CellModel]], note: String? = nil
  ) {
    self.id = id
    self.title = title
    self.columns = columns
    self.rows = rows.prefix(Self.mostRows).map { RowModel(cells: $0) }
    count = Figures.grouped(rows.count)
    self.note =
      rows.count > Self.mostRows
      ? "The first \(Self.mostRows) of \(Figures.grouped(rows.count)); all are in the JSON." : note
  }
}

/// The head of a column.
struct ColumnModel {
  let title: String
  let isNumber: Bool

  static func text(_ title: String) -> ColumnModel { ColumnModel(title: title, isNumber: false) }
  static func number(_ title: String) -> ColumnModel { ColumnModel(title: title, isNumber: true) }
}

/// A line of a table.
struct RowModel {
  let cells: [CellModel]
}

/// What stands in a cell, and by what it is sorted.
struct CellModel {
  let text: String
  let sort: String?
  let isNumber: Bool
  let isCode: Bool
  /// Seconds at which the timeline shows it.
  let time: String?

  static func text(_ text: String) -> CellModel {
    CellModel(text: PageText.shown(text), sort: nil, isNumber: false, isCode: false, time: nil)
  }

  static func code(_ text: String) -> CellModel {
    CellModel(text: PageText.shown(text), sort: nil, isNumber: false, isCode: true, time: nil)
  }

  static func number(_ value: Double, _ text: String) -> CellModel {
    CellModel(
      text: text, sort: Figures.fixed(value, 9), isNumber: true, isCode: false, time: nil)
  }

  static func count(_ value: Int) -> CellModel { number(Double(value), Figures.grouped(value)) }
  static func bytes(_ value: UInt64) -> CellModel { number(Double(value), Figures.bytes(value)) }
  static func seconds(_ value: Double) -> CellModel { number(value, Figures.seconds(value)) }
  static func joules(_ value: Double) -> CellModel { number(value, Figures.joules(value)) }

  /// A moment that the timeline can show.
  static func moment(_ value: Double) -> CellModel {
    CellModel(
      text: Figures.fixed(value, 3) + " s", sort: Figures.fixed(value, 9), isNumber: true,
      isCode: false, time: Figures.fixed(value, 6))
  }

  static let none = CellModel(text: "–", sort: "-1", isNumber: true, isCode: false, time: nil)
}
