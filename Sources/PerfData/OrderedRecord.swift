/// A record on its way from the core that reads to the one that makes something of it: 32 bytes, since millions of them are put in
/// order and pass from one core's cache to the other's.
///
/// Of a sample of which only some values were asked for it holds these; any other record is named by its place in the file.
public struct OrderedRecord: Sendable {
  /// What it is ordered by, in nanoseconds: its own time, or its predecessor's where it has none.
  public let time: UInt64
  /// What was asked for of the payload; of a record that is only named, its place.
  private let content: PayloadValues
  /// The thread that the sample was taken in.
  public let tid: Int32
  /// The process that the sample was taken in.
  public let pid: Int32
  /// The CPU; -1 where the record does not say, or for a number that no machine has.
  public let cpu: Int16
  private let event: Int16

  /// Samples of attributes above are only named.
  static let mostAttributes = Int(Int16.max)

  /// Names a record by its place in the file.
  @inline(__always)
  init(time: UInt64, offset: Int) {
    self.time = time
    content = PayloadValues(
      first: Int32(truncatingIfNeeded: offset), second: Int32(truncatingIfNeeded: offset >> 32))
    tid = -1
    pid = -1
    cpu = -1
    event = -1
  }

  @inline(__always)
  init(time: UInt64, values: PayloadValues, thread: UInt64, cpu: Int32, attribute: Int) {
    self.time = time
    content = values
    pid = Int32(truncatingIfNeeded: thread)
    tid = Int32(truncatingIfNeeded: thread >> 32)
    self.cpu = Int16(exactly: cpu) ?? -1
    event = Int16(truncatingIfNeeded: attribute)
  }

  /// The place in the file of a record that is only named; nil where all that was asked for is here.
  @inline(__always)
  public var offset: Int? {
    event >= 0 ? nil : Int(UInt32(bitPattern: content.first)) | Int(content.second) << 32
  }

  /// Index into the file's attributes, of a sample that is here.
  @inline(__always)
  public var attribute: Int { Int(event) }

  /// What was asked for of a sample that is here.
  @inline(__always)
  public var values: PayloadValues { content }

  /// The time as a point on the trace's clock.
  public var timestamp: Timestamp { Timestamp(nanoseconds: time) }
}

/// Integers of a sample's payload that were asked for.
public struct PayloadValues: Sendable, Hashable {
  /// The low 32 bits of each.
  public var first: Int32 = 0
  /// See `first`.
  public var second: Int32 = 0
  /// See `first`.
  public var third: Int32 = 0

  /// An integer of 64 bits whose halves are `second` and `third`.
  public var result: Int64 { Int64(third) << 32 | Int64(UInt32(bitPattern: second)) }
}
