/// What stands behind the name of libdispatch's function that runs what is in a serial queue, where it is known which.
package enum SerialDrain {
  /// The main queue, by its address in the function's frame.
  package static let ofMainQueue = "(main queue)"
  /// None of that in the frame.
  package static let ofOtherQueue = "(another queue)"

  private static let prefix = " (queue "

  /// Another queue, whose label is known.
  package static func of(_ label: String) -> String { prefix.dropFirst() + label + ")" }

  /// The label of the queue that a function with what stands behind it drains; empty where none is known, and nil where
  /// it drains no other queue than the main one.
  package static func label(in function: String) -> String? {
    if function.hasSuffix(ofOtherQueue) { return "" }
    guard function.hasPrefix("_dispatch"), function.hasSuffix(")"),
      let start = function.firstRange(of: prefix)
    else { return nil }
    return String(function[start.upperBound...].dropLast())
  }
}
