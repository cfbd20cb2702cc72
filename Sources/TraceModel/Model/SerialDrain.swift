/// What stands behind the name of libdispatch's function that runs what is in a serial queue, where it is known which.
package enum SerialDrain {
  /// The main queue, by its address in the function's frame.
  package static let ofMainQueue = "(main queue)"
  /// None of that in the frame.
  package static let ofOtherQueue = "(another queue)"
}
