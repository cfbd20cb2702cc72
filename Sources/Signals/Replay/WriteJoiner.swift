/// Replays the writes to one file with a buffer.
///
/// Writes that continue one another within a second are joined at the time of the last, up to 64 KiB,
/// which is what a buffered writer does; a sync, a seek or a pause empties the buffer. Nothing is
/// written before its data is there, and the bytes are the same.
package struct WriteJoiner: Sendable {
  /// A buffered writer's common size.
  package static let bufferBytes: UInt64 = 64 << 10
  /// Data must not wait longer than this.
  package static let longestWait = 1.0

  /// Writes that are left.
  package private(set) var writes = 0
  /// Bytes of them, which are the bytes of the original ones.
  package private(set) var bytes: UInt64 = 0
  private var buffered: UInt64 = 0
  private var firstTime = 0.0
  private var nextOffset: UInt64?

  /// Nothing was written.
  package init() {}

  /// One write as it was; `offset` where the call said so.
  package mutating func write(_ count: UInt64, at time: Double, offset: UInt64? = nil) {
    let continues = offset == nil || nextOffset == nil || offset == nextOffset
    if buffered > 0,
      !continues || time - firstTime >= Self.longestWait || buffered &+ count > Self.bufferBytes
    {
      flush()
    }
    if buffered == 0 { firstTime = time }
    buffered &+= count
    nextOffset = offset.map { $0 &+ count }
    if buffered >= Self.bufferBytes { flush() }
  }

  /// Empties the buffer, as a sync or the end does.
  package mutating func flush() {
    guard buffered > 0 else { return }
    writes += 1
    bytes &+= buffered
    buffered = 0
    nextOffset = nil
  }
}
