/// By what ways the subject may have written that no event tells of.
public struct UnseenWays: Sendable, Hashable {
  /// Regular files that were mapped for writing.
  public var mapped: [String] = []
  /// Requests by Linux's asynchronous calls (io_submit), and by POSIX's where they are seen in no other way.
  public var submitted: UInt64 = 0
  /// Writes and syncs of io_uring's registered files.
  public var registered = 0
  /// Rings of io_uring, of a recorder that sees nothing of what goes through them.
  public var rings = 0

  public init() {}

  /// Whether something was asked for of which it is not known what came of it.
  public var hasRequests: Bool { submitted > 0 || registered > 0 || rings > 0 }
}
