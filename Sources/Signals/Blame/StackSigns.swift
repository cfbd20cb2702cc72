import Quantities
import TraceModel

/// What a stack shows of the part that its thread plays.
struct RoleSigns: OptionSet, Hashable {
  let rawValue: UInt16

  /// A job of Swift concurrency runs.
  static let job = RoleSigns(rawValue: 1)
  /// Something that a serial dispatch queue runs.
  static let serialDrain = RoleSigns(rawValue: 2)
  /// The first thread has left the main queue to workers.
  static let parked = RoleSigns(rawValue: 4)
  /// A job that a serial dispatch queue runs.
  static let serialJob = RoleSigns(rawValue: 8)
  /// A job that is not of such a queue.
  static let pooledJob = RoleSigns(rawValue: 16)
  /// A stack that does not reach to its thread's beginning: who called is not known. A probe on a function's return has
  /// its stacks end there, with the address that it put in the place of the caller's.
  static let cut = RoleSigns(rawValue: 1 << 13)
  /// Something that the main queue runs, known by the queue itself.
  static let mainDrain = RoleSigns(rawValue: 1 << 14)
  /// Something that a serial queue runs that is not the main one.
  static let otherDrain = RoleSigns(rawValue: 1 << 15)

  /// A function of that role's rows in `RoleSignature`.
  static func function(of role: ThreadRole) -> RoleSigns {
    RoleSigns(rawValue: 32 << UInt16(ThreadRole.allCases.firstIndex(of: role) ?? 0))
  }
}

/// Finds what stacks show; each function's name is searched through once.
struct StackSigns {
  private let table: StackTable
  private var ofFrames: ContiguousArray<RoleSigns?>
  private var ofStacks: ContiguousArray<RoleSigns?>

  init(_ table: StackTable) {
    self.table = table
    ofFrames = ContiguousArray(repeating: nil, count: table.frames.count)
    ofStacks = ContiguousArray(repeating: nil, count: table.stacks.count)
  }

  /// What a stack shows, by its index; nothing where there is none.
  mutating func signs(of stack: Int?) -> RoleSigns {
    guard let stack, ofStacks.indices.contains(stack) else { return [] }
    if let known = ofStacks[stack] { return known }
    var signs: RoleSigns = []
    for frame in table.stacks[stack] { signs.formUnion(self.signs(ofFrame: Int(frame))) }
    if signs.contains(.job) { signs.insert(signs.contains(.serialDrain) ? .serialJob : .pooledJob) }
    ofStacks[stack] = signs
    return signs
  }

  /// Those of the stacks looked at so far that show something.
  func stacks(showing signs: RoleSigns) -> Set<Int> {
    Set(ofStacks.indices.filter { ofStacks[$0]?.contains(signs) == true })
  }

  private mutating func signs(ofFrame index: Int) -> RoleSigns {
    if let known = ofFrames[index] { return known }
    let frame = table.frames[index]
    let signs: RoleSigns =
      frame.isGap ? .cut : frame.isKernel ? [] : frame.function.map { Self.signs(of: $0) } ?? []
    ofFrames[index] = signs
    return signs
  }

  private static func signs(of function: String) -> RoleSigns {
    var signs: RoleSigns = []
    for row in RoleSignature.functions where function.holds(row.function) {
      signs.insert(.function(of: row.role))
    }
    if function.holds(RoleSignature.job) { signs.insert(.job) }
    if RoleSignature.serialDrain.contains(where: function.holds) {
      signs.insert(.serialDrain)
      if SerialDrain.label(in: function) != nil {
        signs.insert(.otherDrain)
      } else if function.holds(SerialDrain.ofMainQueue) || function.holds(RoleSignature.mainDrain) {
        signs.insert(.mainDrain)
      }
    }
    if function.holds(RoleSignature.parked) { signs.insert(.parked) }
    return signs
  }
}
