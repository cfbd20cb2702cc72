/// A dispatch queue as the recorder found it in the memory of a process.
public struct QueueEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.queue

  /// Where its object lies.
  public var address: UInt64
  /// What the program calls it; empty where it has no name, or where there is no such queue any longer.
  public var label: String

  /// Makes an event.
  public init(address: UInt64, label: String) {
    self.address = address
    self.label = label
  }
}
