/// A thread has a stack again that was told of it before, and is not told anew.
///
/// Of a wait (`lull:wait`) it counts from the sample's time on, whenever the thread waits: a recorder in the kernel
/// tells a stack where it is new, and a wait without one has that of the thread's wait before. Of a send or a call that
/// reads or writes (`lull:site`) it counts of the one at that time; of which, the stack that was told says.
public struct EarlierStackEvent: Sendable, Hashable {
  /// When the stack was told of that thread, in nanoseconds on the trace's clock; 0 where it is not known.
  public var stack: UInt64

  /// Makes an event.
  public init(stack: UInt64) { self.stack = stack }

  /// The raw payload: a little-endian word.
  public func encoded() -> [UInt8] {
    var output = ByteBuilder()
    output.append(stack)
    return output.bytes
  }

  /// Reads a raw payload; nil where it is too short.
  public init?(decoding raw: RawPayload) {
    guard let stack = raw.unsignedInteger(at: 0, size: 8) else { return nil }
    self.stack = stack
  }
}
