/// What was written to files of which nothing tells the paths, nor whether they are on a disk.
public struct UntoldWrites: Sendable, Hashable {
  public var writes = 0
  public var syncs = 0
  public var bytes: UInt64 = 0
  /// Some are known by one of many, whose file the others need not have been of.
  public var areOfMany = false
  /// Calls were sampled, so that some stand for many.
  public var areSampled = false

  public init() {}

  public var isEmpty: Bool { writes == 0 && syncs == 0 }
}
