import CElf

extension ModuleReader {
  /// All line rows of the debug information.
  ///
  /// `segments` are those of the module itself: rows of code that was not linked are left out.
  public func lines(segments: [Segment]) -> LineTable {
    guard let dwarf = dwarf() else {
      return LineTable(sorted: [], files: [], units: [], problem: linesProblem)
    }
    var units: [Dwarf_Die] = []
    eachUnit(of: dwarf) { die in
      units.append(die)
      return true
    }
    return lines(ofUnits: units, segments: segments)
  }

  /// Goes through the units of the debug information until `body` says that it is enough; false if it did.
  @discardableResult
  func eachUnit(of dwarf: OpaquePointer, _ body: (inout Dwarf_Die) -> Bool) -> Bool {
    var unit: OpaquePointer?
    for _ in 0..<Limit.units {
      var next: OpaquePointer?
      var die = Dwarf_Die()
      let status = libdw.dwarf_get_units(dwarf, unit, &next, nil, nil, &die, nil)
      guard status == 0, let next else { break }
      unit = next
      if libdw.dwarf_tag(&die) != 0, !body(&die) { return false }
    }
    return true
  }

  /// The line rows of some units.
  func lines(ofUnits dies: [Dwarf_Die], segments: [Segment]) -> LineTable {
    let code = segments.filter(\.isExecutable)
    var files = FileNames()
    var units: [UInt64] = []
    var rows: [LineTable.Row] = []
    for var die in dies where rows.count < Limit.lineRows {
      var table: OpaquePointer?
      var count = 0
      guard libdw.dwarf_getsrclines(&die, &table, &count) == 0, let table else { continue }
      let number = UInt32(units.count)
      units.append(libdw.dwarf_dieoffset(&die))
      let directory = Self.string(&die, UInt32(DW_AT_comp_dir))
      for index in 0..<min(count, Limit.lineRows - rows.count) {
        guard let line = libdw.dwarf_onesrcline(table, index) else { continue }
        var address: UInt64 = 0
        var lineNumber: Int32 = 0
        var isEnd = false
        guard libdw.dwarf_lineaddr(line, &address) == 0, libdw.dwarf_lineno(line, &lineNumber) == 0,
          libdw.dwarf_lineendsequence(line, &isEnd) == 0
        else { continue }
        let isCode = code.contains {
          address >= $0.address && address - $0.address <= $0.fileSize
        }
        guard isCode else { continue }
        rows.append(
          LineTable.Row(
            address: address,
            file: isEnd
              ? 0 : files.index(libdw.dwarf_linesrc(line, nil, nil), directory: directory),
            line: isEnd ? -1 : max(0, lineNumber), unit: number))
      }
    }
    return LineTable(rows: rows, files: files.names, units: units)
  }

  /// A string attribute of an entry.
  static func string(_ die: inout Dwarf_Die, _ attribute: UInt32) -> String? {
    var value = Dwarf_Attribute()
    guard libdw.dwarf_attr_integrate(&die, attribute, &value) != nil,
      let text = libdw.dwarf_formstring(&value)
    else { return nil }
    return String(cString: text)
  }

  /// An unsigned number attribute of an entry.
  static func number(_ die: inout Dwarf_Die, _ attribute: UInt32) -> UInt64? {
    var value = Dwarf_Attribute()
    var result: UInt64 = 0
    guard libdw.dwarf_attr(&die, attribute, &value) != nil,
      libdw.dwarf_formudata(&value, &result) == 0
    else {
      return nil
    }
    return result
  }
}

/// File names of a line table, each held once.
struct FileNames {
  private(set) var names: [String] = [""]
  private var indices: [String: UInt32] = [:]
  /// libdw gives the same pointer for the same file of a unit.
  private var pointers: [UnsafePointer<CChar>: UInt32] = [:]

  mutating func index(_ pointer: UnsafePointer<CChar>?, directory: String?) -> UInt32 {
    guard let pointer else { return 0 }
    if let known = pointers[pointer] { return known }
    var name = String(cString: pointer)
    if !name.hasPrefix("/"), let directory { name = directory + "/" + name }
    let index = indices[name] ?? UInt32(names.count)
    if index == names.count {
      names.append(name)
      indices[name] = index
    }
    pointers[pointer] = index
    return index
  }
}
