/// One resolved frame of a stack, innermost first in the arrays that hold it.
public struct StackFrame: Sendable, Hashable, Codable {
  /// Demangled function name, or an address where no symbol was found.
  public var function: String
  /// File name of the library or executable.
  public var module: String
  /// Source file, where line tables were found.
  public var file: String?
  /// Line in the source file.
  public var line: Int?
  /// Whether the frame is the program's own code.
  public var isProgram: Bool

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    function: String,
    module: String = "",
    file: String? = nil,
    line: Int? = nil,
    isProgram: Bool = false
  ) {
    self.function = function
    self.module = module
    self.file = file
    self.line = line
    self.isProgram = isProgram
  }
}
