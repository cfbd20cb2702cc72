import PerfData

/// Why a trace could not be used.
public struct TraceError: Error, CustomStringConvertible, Sendable {
  public var description: String
  /// The reader's error, when the bytes were at fault.
  public var cause: PerfDataError?

  init(_ cause: PerfDataError, path: String) {
    self.cause = cause
    description = "\(path): \(cause)"
  }

  init(_ text: String) {
    cause = nil
    description = text
  }
}
