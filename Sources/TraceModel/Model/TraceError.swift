import PerfData

/// Why a trace could not be used.
public struct TraceError: Error, CustomStringConvertible, Sendable {
  public var description: String
  /// The reader's error, when the bytes were at fault.
  public var cause: PerfDataError?
  /// The file of these bytes.
  public var path: String?

  init(_ cause: PerfDataError, path: String) {
    self.cause = cause
    self.path = path
    description = "\(path): \(cause)"
  }

  init(_ text: String) {
    cause = nil
    description = text
  }
}
