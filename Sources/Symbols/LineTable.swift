import Quantities

/// Source lines of one module, sorted by address.
public struct LineTable: Sendable {
  /// From this address on the code comes from that line.
  public struct Row: Sendable {
    var address: UInt64
    /// Index into `files`.
    var file: UInt32
    /// 0 for code that the compiler made, -1 for the end of a sequence.
    var line: Int32
    /// Index into `units`.
    var unit: UInt32
  }

  /// A line of a source file.
  public struct Location: Hashable, Sendable {
    public var file: String
    public var line: Int
  }

  let rows: [Row]
  let files: [String]
  /// Offsets of the compilation units in the debug information.
  let units: [UInt64]
  /// Why lines that the file has are missing, with the file.
  let problem: String?

  /// A table without lines.
  public static var empty: LineTable { LineTable(sorted: [], files: [], units: []) }

  /// Number of rows.
  public var count: Int { rows.count }

  /// A table whose rows are sorted already.
  init(sorted rows: [Row], files: [String], units: [UInt64], problem: String? = nil) {
    self.rows = rows
    self.files = files
    self.units = units
    self.problem = problem
  }

  /// Sorts the rows; of several at one address the last counts, and an end counts least.
  init(rows: [Row], files: [String], units: [UInt64]) {
    var order = rows.enumerated().map { ($0.element, $0.offset) }
    order.sort {
      if $0.0.address != $1.0.address { return $0.0.address < $1.0.address }
      let (first, second) = ($0.0.line < 0, $1.0.line < 0)
      return first == second ? $0.1 < $1.1 : first
    }
    var unique: [Row] = []
    unique.reserveCapacity(order.count)
    for (row, _) in order {
      if unique.last?.address == row.address {
        unique[unique.count - 1] = row
      } else {
        unique.append(row)
      }
    }
    self.rows = unique
    self.files = files
    self.units = units
    problem = nil
  }

  /// The row that covers `address`.
  func row(at address: UInt64) -> Row? {
    guard let index = index(at: address), rows[index].line >= 0 else { return nil }
    return rows[index]
  }

  /// The source line of `address` in the function that starts at `functionStart`.
  ///
  /// For code that the compiler made it is the last line before it in the same function.
  public func find(_ address: UInt64, functionStart: UInt64) -> Location? {
    guard var index = index(at: address), rows[index].line >= 0 else { return nil }
    while rows[index].line == 0, index > 0, rows[index].address > functionStart,
      rows[index - 1].line >= 0
    {
      index -= 1
    }
    let row = rows[index]
    guard row.line > 0, Int(row.file) < files.count else { return nil }
    return Location(file: files[Int(row.file)], line: Int(row.line))
  }

  private func index(at address: UInt64) -> Int? {
    let next = rows.partitioningIndex { $0.address > address }
    return next > 0 ? next - 1 : nil
  }
}
