/// A dispatch queue that a process made before the recording, as the recorder found it in the process's memory.
public struct QueueEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.queue

  /// Where its object lies.
  public var address: UInt64
  /// What the program calls it.
  public var label: String

  /// Makes an event.
  public init(address: UInt64, label: String) {
    self.address = address
    self.label = label
  }
}
