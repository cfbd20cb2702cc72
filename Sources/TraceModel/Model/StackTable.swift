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
