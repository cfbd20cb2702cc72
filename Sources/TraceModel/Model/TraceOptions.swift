/// What to do while decoding.
public struct TraceOptions: Sendable {
  /// Name or pid of the process to score instead of the one found.
  public var process: String?
  public var fullNames: Bool
  /// The part of the recording to look at; all of it by default.
  public var window: TraceWindow?

  public init(process: String? = nil, fullNames: Bool = false, window: TraceWindow? = nil) {
    self.window = window
    self.process = process
    self.fullNames = fullNames
  }
}
