import CElf

/// A call that the compiler replaced by the body of the called function.
public struct InlinedCall: Hashable, Sendable {
  /// Linker name of the called function, or its plain name.
  public var function: String
  /// Where it is called.
  public var callFile: String?
  public var callLine: Int?
}

extension ModuleReader {
  /// Calls inlined in the compilation unit at the offset `unit` of the debug information.
  func inlines(unit: UInt64) -> InlineTable {
    guard let dwarf = dwarf() else { return .empty }
    var unitDie = Dwarf_Die()
    guard libdw.dwarf_offdie(dwarf, unit, &unitDie) != nil else { return .empty }
    var walk = InlineWalk(unit: unitDie)
    var start = unitDie
    walk.visit(&start, depth: 0, nesting: 0)
    return InlineTable(spans: walk.spans, calls: walk.calls)
  }

  fileprivate static func call(_ die: inout Dwarf_Die, unit: inout Dwarf_Die) -> InlinedCall {
    let name =
      string(&die, UInt32(DW_AT_linkage_name))
      ?? libdw.dwarf_diename(&die).map { String(cString: $0) } ?? "inlined function"
    var file: String?
    var files: OpaquePointer?
    var count = 0
    if let index = number(&die, UInt32(DW_AT_call_file)),
      libdw.dwarf_getsrcfiles(&unit, &files, &count) == 0, let files, index < UInt64(count),
      let text = libdw.dwarf_filesrc(files, Int(index), nil, nil)
    {
      file = String(cString: text)
      if let name = file, !name.hasPrefix("/"),
        let directory = string(&unit, UInt32(DW_AT_comp_dir))
      {
        file = directory + "/" + name
      }
    }
    let line = number(&die, UInt32(DW_AT_call_line)).flatMap { Int(exactly: $0) }
    return InlinedCall(function: name, callFile: file, callLine: line == 0 ? nil : line)
  }
}

/// Goes through the entries of one compilation unit.
private struct InlineWalk {
  var unit: Dwarf_Die
  var spans: [InlineTable.Span] = []
  var calls: [InlinedCall] = []
  /// Entries that are looked at, at most: no real unit has as many.
  private var budget = 4_000_000
  private static let deepest = 128

  init(unit: Dwarf_Die) { self.unit = unit }

  /// Collects the inlined calls below an entry; `depth` counts those around it.
  mutating func visit(_ parent: inout Dwarf_Die, depth: UInt32, nesting: Int) {
    var child = Dwarf_Die()
    guard nesting < Self.deepest, libdw.dwarf_child(&parent, &child) == 0 else { return }
    while budget > 0 {
      budget -= 1
      switch Int(libdw.dwarf_tag(&child)) {
      case DW_TAG_inlined_subroutine:
        add(&child, depth: depth)
        visit(&child, depth: depth + 1, nesting: nesting + 1)
      case DW_TAG_subprogram, DW_TAG_lexical_block, DW_TAG_namespace, DW_TAG_module,
        DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_enumeration_type:
        visit(&child, depth: depth, nesting: nesting + 1)
      default: break
      }
      var sibling = Dwarf_Die()
      guard libdw.dwarf_siblingof(&child, &sibling) == 0 else { return }
      child = sibling
    }
  }

  private mutating func add(_ die: inout Dwarf_Die, depth: UInt32) {
    var base: UInt64 = 0
    var start: UInt64 = 0
    var end: UInt64 = 0
    var offset = 0
    var index: UInt32?
    while budget > 0 {
      offset = libdw.dwarf_ranges(&die, offset, &base, &start, &end)
      guard offset > 0 else { return }
      budget -= 1
      guard start < end else { continue }
      if index == nil {
        index = UInt32(calls.count)
        calls.append(ModuleReader.call(&die, unit: &unit))
      }
      spans.append(.init(start: start, end: end, depth: depth, call: index ?? 0))
    }
  }
}
