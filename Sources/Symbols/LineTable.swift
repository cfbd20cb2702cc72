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

  let addresses: Column<UInt64>
  let fileOfRow: Column<UInt32>
  let lineOfRow: Column<Int32>
  let unitOfRow: Column<UInt32>
  let files: [String]
  /// Offsets of the compilation units in the debug information.
  let units: [UInt64]
  /// Why lines that the file has are missing, with the file.
  let problem: String?

  /// A table without lines.
  public static var empty: LineTable { LineTable(sorted: [], files: [], units: []) }

  /// Number of rows.
  public var count: Int { addresses.count }

  /// A table whose rows are sorted already.
  init(sorted rows: [Row], files: [String], units: [UInt64], problem: String? = nil) {
    addresses = Column(rows.map(\.address))
    fileOfRow = Column(rows.map(\.file))
    lineOfRow = Column(rows.map(\.line))
    unitOfRow = Column(rows.map(\.unit))
    self.files = files
    self.units = units
    self.problem = problem
  }

  /// The same of columns; nil where they differ in length.
  init?(
    addresses: Column<UInt64>, fileOfRow: Column<UInt32>, lineOfRow: Column<Int32>,
    unitOfRow: Column<UInt32>, files: [String], units: [UInt64], problem: String?
  ) {
    guard
      [fileOfRow.count, lineOfRow.count, unitOfRow.count].allSatisfy({ $0 == addresses.count })
    else { return nil }
    self.addresses = addresses
    self.fileOfRow = fileOfRow
    self.lineOfRow = lineOfRow
    self.unitOfRow = unitOfRow
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
    self.init(sorted: unique, files: files, units: units)
  }

  /// The row that covers `address`.
  func row(at address: UInt64) -> Row? {
    guard let index = index(at: address), lineOfRow[index] >= 0 else { return nil }
    return Row(
      address: addresses[index], file: fileOfRow[index], line: lineOfRow[index],
      unit: unitOfRow[index])
  }

  /// The source line of `address` in the function that starts at `functionStart`.
  ///
  /// For code that the compiler made it is the last line before it in the same function.
  public func find(_ address: UInt64, functionStart: UInt64) -> Location? {
    guard var index = index(at: address), lineOfRow[index] >= 0 else { return nil }
    while lineOfRow[index] == 0, index > 0, addresses[index] > functionStart,
      lineOfRow[index - 1] >= 0
    {
      index -= 1
    }
    guard lineOfRow[index] > 0, Int(fileOfRow[index]) < files.count else { return nil }
    return Location(file: files[Int(fileOfRow[index])], line: Int(lineOfRow[index]))
  }

  private func index(at address: UInt64) -> Int? {
    let next = addresses.partitioningIndex { $0 > address }
    return next > 0 ? next - 1 : nil
  }
}
