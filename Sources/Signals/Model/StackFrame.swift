import TraceModel

/// One resolved frame of a stack, innermost first in the arrays that hold it.
package struct StackFrame: Sendable, Codable, Hashable {
  /// Demangled function name, or an address where no symbol was found.
  package var function: String
  /// File name of the library or executable.
  package var module: String
  /// Source file, where line tables were found.
  package var file: String?
  /// Line in the source file.
  package var line: Int?
  /// Whether the frame is the program's own code.
  package var isProgram: Bool
  /// Whether it left no frame, since calling the function above it was its last act; nil where it did.
  package var isTailCall: Bool?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    function: String,
    module: String = "",
    file: String? = nil,
    line: Int? = nil,
    isProgram: Bool = false,
    isTailCall: Bool? = nil
  ) {
    self.isTailCall = isTailCall
    self.function = function
    self.module = module
    self.file = file
    self.line = line
    self.isProgram = isProgram
  }

  /// A frame of a trace as reports show it.
  init(_ frame: Frame) {
    self.init(
      function: frame.displayName, module: frame.module, file: frame.file, line: frame.line,
      isProgram: frame.isProgram, isTailCall: frame.isTailCall ? true : nil)
  }
}
