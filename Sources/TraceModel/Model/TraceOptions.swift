/// What to do while decoding.
public struct TraceOptions: Sendable {
  /// Name or pid of the process to score instead of the one found.
  public var process: String?
  public var fullNames: Bool
  /// The part of the recording to look at; by default what it was written for, which is all of it but where its last
  /// seconds were asked for.
  public var window: TraceWindow?

  /// Whether it is looked at while it is made: that it has no end yet is no loss then.
  public var isOngoing: Bool

  public init(
    process: String? = nil, fullNames: Bool = false, window: TraceWindow? = nil,
    isOngoing: Bool = false
  ) {
    self.window = window
    self.isOngoing = isOngoing
    self.process = process
    self.fullNames = fullNames
  }
}
