/// One function of a stack.
public struct Frame: Hashable, Sendable {
  public var function: String?
  /// The function's name with modules and types, where that is another.
  public var fullName: String?
  public var module: String
  public var moduleOffset: UInt64
  public var file: String?
  public var line: Int?
  public var isKernel: Bool
  /// Belongs to the program itself, not to a system library or runtime.
  public var isProgram: Bool

  /// Stands for frames that could not be found.
  public static let gap = Frame(
    function: nil, fullName: nil, module: "", moduleOffset: 0, file: nil, line: nil,
    isKernel: false,
    isProgram: false)

  /// Stands for a sample of which no stack was taken.
  public static let noStack = Frame(
    function: "[no stack]", fullName: nil, module: "", moduleOffset: 0, file: nil, line: nil,
    isKernel: false, isProgram: false)

  public var isGap: Bool { function == nil && module.isEmpty }

  /// The name to show: the function's, else module + offset.
  public var displayName: String {
    if isGap { return "[gap]" }
    return function ?? "\(module)+0x\(String(moduleOffset, radix: 16))"
  }
}

/// Interns frames and stacks, so that equal ones are kept once.
public struct StackTable: Sendable {
  public private(set) var frames: [Frame] = []
  /// Frame indices, innermost first.
  public private(set) var stacks: [[Int32]] = []
  private var frameIndex: [Frame: Int32] = [:]
  private var stackIndex: [[Int32]: Int] = [:]

  public init() {}

  public mutating func intern(_ frame: Frame) -> Int32 {
    if let known = frameIndex[frame] { return known }
    let index = Int32(frames.count)
    frames.append(frame)
    frameIndex[frame] = index
    return index
  }

  public mutating func intern(stack: [Int32]) -> Int {
    if let known = stackIndex[stack] { return known }
    stacks.append(stack)
    stackIndex[stack] = stacks.count - 1
    return stacks.count - 1
  }

  /// The frames of a stack, innermost first.
  public func frames(of stack: Int) -> [Frame] {
    guard stacks.indices.contains(stack) else { return [] }
    return stacks[stack].map { frames[Int($0)] }
  }
}
