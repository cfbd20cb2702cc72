import TraceModel

/// A frame of a call stack, of a trace or of a report, as far as it matters who is to blame.
package protocol BlamableFrame {
  var isKernel: Bool { get }
  /// Stands for frames that could not be found.
  var isGap: Bool { get }
  /// Belongs to the program's own code.
  var isProgram: Bool { get }
  /// The function's name; nil where only an address is known.
  var functionName: String? { get }
}

extension Sequence where Element: BlamableFrame {
  /// The frame of a stack, innermost first, that is to blame for what the stack did.
  ///
  /// It is the innermost function of the program's own code; without one the idle wait's, else the innermost outside
  /// the kernel, one with a name before others. Findings, tables, pages and budgets all name this one.
  package var blamed: Element? {
    let user = filter { !$0.isKernel && !$0.isGap }
    return user.first(where: \.isProgram)
      ?? user.first { WaitClassifier.isIdleFunction($0.functionName) }
      ?? user.first { $0.functionName != nil } ?? user.first ?? first { !$0.isGap }
  }
}

extension Frame: BlamableFrame {
  package var functionName: String? { function }
}

/// A frame outside the kernel that is kept by the name that is shown.
package protocol ShownFrame: BlamableFrame {
  var function: String { get }
  var module: String { get }
}

extension ShownFrame {
  package var isKernel: Bool { false }
  package var isGap: Bool { module.isEmpty && function == Frame.gap.displayName }
  package var functionName: String? { function.hasPrefix(module + "+0x") ? nil : function }
}

extension StackFrame: ShownFrame {}
