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
  /// It called the function above it as its last act, which left no frame of its own.
  ///
  /// That it was called is known by the call in the function below it; its place is where it begins.
  public var isTailCall = false

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
    if function == WaitClassifier.outOfCalls { return "[outside of calls]" }
    return function ?? "\(module)+0x\(String(moduleOffset, radix: 16))"
  }
}
