/// A part of a recording that is kept in several begins.
///
/// What stood at that moment (processes, threads, mappings, descriptors, waits) follows in so many records, so that
/// each part can be read alone. After the part before, which tells all of it, they are passed over.
public struct PartEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.part

  /// Counts from 1.
  public var number: Int
  /// How many records follow that tell what stood; their bytes may change when names are written.
  public var standingRecords: Int

  /// Makes an event.
  public init(number: Int, standingRecords: Int) {
    self.number = number
    self.standingRecords = standingRecords
  }
}

/// Why the last seconds of a recording that goes on were written.
public struct TriggerEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.trigger

  /// What can make a recorder write.
  public enum Kind: String, Codable, Sendable {
    /// The main thread was kept from its event loop.
    case hang
    /// A process held much memory.
    case footprint
    /// The recorder was sent a signal.
    case signal
    /// Who looks at a recording wanted its last seconds: reports are of these alone.
    case asked
  }

  /// What happened.
  public var kind: Kind
  /// The condition as the user wrote it.
  public var condition: String
  /// When it began, in nanoseconds on the trace's clock.
  public var fromNs: UInt64
  /// When it was over, or was decided while it lasted.
  public var toNs: UInt64
  /// It had not ended when this was written.
  public var isGoingOn: Bool
  /// The process that hung, or whose footprint it was.
  public var pid: Int?
  /// Its footprint.
  public var footprintBytes: UInt64?
  /// Seconds that the recorder was to keep.
  public var keptSeconds: Double

  /// Makes an event.
  public init(
    kind: Kind, condition: String, fromNs: UInt64, toNs: UInt64, isGoingOn: Bool = false,
    pid: Int? = nil, footprintBytes: UInt64? = nil, keptSeconds: Double
  ) {
    self.kind = kind
    self.condition = condition
    self.fromNs = fromNs
    self.toNs = toNs
    self.isGoingOn = isGoingOn
    self.pid = pid
    self.footprintBytes = footprintBytes
    self.keptSeconds = keptSeconds
  }
}
