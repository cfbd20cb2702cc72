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
  /// Calls inlined at `address`, innermost first, from the unit at the offset `unit`.
  func inlinedCalls(at address: UInt64, unit: UInt64) -> [InlinedCall] {
    guard let dwarf = dwarf() else { return [] }
    var unitDie = Dwarf_Die()
    guard dwarf_offdie(dwarf, unit, &unitDie) != nil else { return [] }
    var budget = 200_000
    guard var scope = Self.function(in: &unitDie, address: address, depth: 0, budget: &budget)
    else {
      return []
    }
    var calls: [InlinedCall] = []
    descend: while calls.count < 128 {
      var child = Dwarf_Die()
      guard dwarf_child(&scope, &child) == 0 else { break }
      while true {
        budget -= 1
        if budget < 0 { break descend }
        let tag = Int(dwarf_tag(&child))
        if tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block,
          dwarf_haspc(&child, address) > 0
        {
          if tag == DW_TAG_inlined_subroutine {
            calls.append(Self.call(&child, unit: &unitDie))
          }
          scope = child
          continue descend
        }
        var sibling = Dwarf_Die()
        guard dwarf_siblingof(&child, &sibling) == 0 else { break descend }
        child = sibling
      }
    }
    return calls.reversed()
  }

  /// The function whose code holds `address`, below namespaces and types too.
  private static func function(
    in parent: inout Dwarf_Die, address: UInt64, depth: Int, budget: inout Int
  ) -> Dwarf_Die? {
    var child = Dwarf_Die()
    guard depth < 16, dwarf_child(&parent, &child) == 0 else { return nil }
    while budget > 0 {
      budget -= 1
      switch Int(dwarf_tag(&child)) {
      case DW_TAG_subprogram:
        if dwarf_haspc(&child, address) > 0 { return child }
      case DW_TAG_namespace, DW_TAG_module, DW_TAG_structure_type, DW_TAG_class_type,
        DW_TAG_enumeration_type:
        if let found = function(in: &child, address: address, depth: depth + 1, budget: &budget) {
          return found
        }
      default: break
      }
      var sibling = Dwarf_Die()
      guard dwarf_siblingof(&child, &sibling) == 0 else { return nil }
      child = sibling
    }
    return nil
  }

  private static func call(_ die: inout Dwarf_Die, unit: inout Dwarf_Die) -> InlinedCall {
    let name =
      string(&die, UInt32(DW_AT_linkage_name))
      ?? dwarf_diename(&die).map { String(cString: $0) } ?? "inlined function"
    var file: String?
    var files: OpaquePointer?
    var count = 0
    if let index = number(&die, UInt32(DW_AT_call_file)),
      dwarf_getsrcfiles(&unit, &files, &count) == 0, let files, index < UInt64(count),
      let text = dwarf_filesrc(files, Int(index), nil, nil)
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
