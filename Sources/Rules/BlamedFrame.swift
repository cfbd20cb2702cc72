import Signals

extension [StackFrame] {
  /// The first function of the program's own code, else the innermost one.
  var blamed: String? { first { $0.isProgram }?.function ?? first?.function }
}
