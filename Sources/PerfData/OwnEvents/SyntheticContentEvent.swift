/// What a file holds after a recorded process closed it, compared with when it was last closed.
public struct ContentEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.content

  /// The file's name at that time.
  public var path: String
  /// Its size in bytes.
  public var size: UInt64
  /// Bytes of the blocks of 4 KiB that differ; nil where it was not read before.
  public var changedBytes: UInt64?
  /// Whether it holds exactly what it held; nil where it was not read before.
  public var isEqual: Bool?

  /// Makes an event.
  public init(path: String, size: UInt64, changedBytes: UInt64? = nil, isEqual: Bool? = nil) {
    self.path = path
    self.size = size
    self.changedBytes = changedBytes
    self.isEqual = isEqual
  }
}
