import Quantities

/// One operation of a DWARF expression.
public struct FrameOperation: Hashable, Sendable {
  var code: UInt8
  var first: UInt64
  var second: UInt64
}

/// Where the caller's value of a register is found.
public enum SavedValue: Hashable, Sendable {
  case same
  case undefined
  /// In memory at this distance from the canonical frame address.
  case atOffset(Int64)
  /// The canonical frame address plus this.
  case valueOffset(Int64)
  case inRegister(UInt8)
  case atExpression([FrameOperation])
  case valueExpression([FrameOperation])
}

/// How to get from a frame to its caller, for one range of instructions.
public struct FrameRule: Hashable, Sendable {
  /// How to compute the canonical frame address (the caller's stack pointer).
  public enum FrameAddress: Hashable, Sendable {
    case register(UInt8, Int64)
    case expression([FrameOperation])
  }

  /// A register other than the return address and where it is saved.
  public struct SavedRegister: Hashable, Sendable {
    var number: UInt8
    var value: SavedValue
  }

  public var frameAddress: FrameAddress
  public var returnAddress: SavedValue
  /// Registers whose rule is other than "same".
  public var registers: [SavedRegister]
  /// The caller was interrupted, not called: its address is exact.
  public var isSignalFrame: Bool
}

/// Call frame information of one module as a sorted table.
public struct CallFrameTable: Sendable {
  /// Marks addresses without information.
  static let none = UInt32.max

  let starts: Column<UInt64>
  let ruleIndices: Column<UInt32>
  let rules: [FrameRule]

  /// A table without information.
  public static var empty: CallFrameTable { CallFrameTable(rows: [], rules: []) }

  /// Number of rows.
  public var count: Int { starts.count }

  /// A table that is sorted already; nil where its columns differ in length.
  init?(sortedStarts: Column<UInt64>, ruleIndices: Column<UInt32>, rules: [FrameRule]) {
    guard sortedStarts.count == ruleIndices.count else { return nil }
    starts = sortedStarts
    self.ruleIndices = ruleIndices
    self.rules = rules
  }

  /// Sorts the rows; at one address a row with a rule wins over the end of another function.
  init(rows: [(start: UInt64, rule: UInt32)], rules: [FrameRule]) {
    let order = rows.sorted {
      $0.start == $1.start
        ? $0.rule == Self.none && $1.rule != Self.none : $0.start < $1.start
    }
    var starts: [UInt64] = []
    var indices: [UInt32] = []
    starts.reserveCapacity(order.count)
    indices.reserveCapacity(order.count)
    for row in order {
      if starts.last == row.start {
        indices[indices.count - 1] = row.rule
      } else if indices.last != row.rule {
        starts.append(row.start)
        indices.append(row.rule)
      }
    }
    self.starts = Column(starts)
    ruleIndices = Column(indices)
    self.rules = rules
  }

  /// The rule for the instruction at `address` (a link-time address of the module).
  public func find(_ address: UInt64) -> FrameRule? {
    let next = starts.partitioningIndex { $0 > address }
    guard next > 0, ruleIndices[next - 1] < rules.count else { return nil }
    return rules[Int(ruleIndices[next - 1])]
  }
}
