import Quantities

/// A record on its way from the core that reads to the one that makes something of it: 32 bytes, since millions of them
/// are put in order and pass from one core's cache to the other's.
///
/// Of a sample of which only some values were asked for it holds these; any other record is named by its place in the
/// file.
public struct OrderedRecord: Sendable {
  /// What it is ordered by, in nanoseconds: its own time, or its predecessor's where it has none.
  public private(set) var time: UInt64
  /// What was asked for of the payload; of a record that is only named, its place.
  private var content: PayloadValues
  /// The process that the sample was taken in.
  public private(set) var pid: Int32
  /// The thread that the sample was taken in.
  public private(set) var tid: Int32
  /// The CPU; -1 where the record does not say, or for a number that no machine has.
  public private(set) var cpu: Int16
  private var event: Int16

  /// In `event`: it was shown before that the thread runs. Reckoned, so that other modules' loops have it as a number.
  private static var shownBit: Int16 { 14 }
  private static var shown: Int16 { 1 << shownBit }
  /// Samples of attributes from here on are only named.
  static var mostAttributes: Int { Int(shown) }

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

  /// Writes what a plan finds in a sample, each piece as it is read, so that none has to wait for the others.
  ///
  /// `thread` is its upper half, the process the lower one. Returns the second value.
  @inline(__always)
  mutating func write(
    _ sample: UnsafeRawPointer, _ plan: UnsafePointer<SamplePlan>, time: UInt64, thread: UInt64,
    cpu: Int32
  ) -> Int32 {
    self.time = time
    pid = Int32(truncatingIfNeeded: thread)
    tid = Int32(truncatingIfNeeded: thread >> 32)
    self.cpu = Int16(truncatingIfNeeded: cpu)
    content.first = plan.pointee.first.low(sample)
    let second = plan.pointee.second.low(sample)
    content.second = second
    content.third = plan.pointee.third.low(sample)
    return second
  }

  /// Tells of which attribute the sample is that was written, and, by 1, that its thread was known to run.
  @inline(__always)
  mutating func tell(_ attribute: Int16, isShown: UInt8) {
    event = attribute | Int16(isShown) &<< Self.shownBit
  }

  /// Writes values that were read in the slow way.
  @inline(__always)
  mutating func write(_ values: PayloadValues) { content = values }

  /// The place in the file of a record that is only named; nil where all that was asked for is here.
  @inline(__always)
  public var offset: Int? {
    event >= 0 ? nil : Int(UInt32(bitPattern: content.first)) | Int(content.second) << 32
  }

  /// Index into the file's attributes, of a sample that is here.
  @inline(__always)
  public var attribute: Int { Int(event & ~Self.shown) }

  /// Whether the record before it on its CPU showed already that its thread runs, of events that tell so
  /// (`SampleDemand.tells`).
  @inline(__always)
  public var isShown: Bool { event & Self.shown != 0 }

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
