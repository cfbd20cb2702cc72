/// What is read of the samples of one attribute, in one line of the cache: millions of samples ask for it.
///
/// Plans lie 64 bytes apart, so that finding one takes no multiplication.
///
/// Which event comes next cannot be foretold, so what differs from event to event is reckoned without branches.
struct SamplePlan {
  /// How a sample that is handed out is told.
  enum Telling: UInt8 {
    /// By its values.
    case values
    /// By its place in the file.
    case place
    /// By its place where the table's filter says so, by its values otherwise.
    case filtered
  }

  /// Bytes of the shortest sample that a plan can be for: it has a time.
  static let shortest = 16
  /// No sample is that long: all of them are for who looks at them closely.
  private static let never: UInt16 = .max

  /// Where one of the three integers is that are asked for.
  struct Place {
    /// Which bits are its own of the 32 that stand there.
    private var mask: UInt32 = 0
    /// Bytes from the record's start.
    private var offset: UInt16 = 0
    /// What it is shifted by, up and down again, to extend its sign, where it is shorter.
    private(set) var signShift: UInt16 = 0

    init() {}

    init(_ field: IntegerField, at offset: UInt16) {
      self.offset = offset
      let bits = UInt32(8 * min(field.size, 4))
      mask = .max >> (32 - bits)
      signShift = field.isSigned ? UInt16(32 - bits) : 0
    }

    /// Without its sign extended.
    @inline(__always)
    func low(_ start: UnsafeRawPointer) -> Int32 {
      Int32(bitPattern: start.loadUnaligned(fromByteOffset: Int(offset), as: UInt32.self) & mask)
    }

    func extended(_ start: UnsafeRawPointer) -> Int32 {
      (low(start) &<< Int32(signShift)) &>> Int32(signShift)
    }
  }

  private(set) var first = Place()
  private(set) var second = Place()
  private(set) var third = Place()
  /// To the raw payload's size. Where the payload is not looked at it is the record's type that stands there, which is
  /// less than any sample's size.
  private var payload: UInt16 = 0
  /// Bytes of payload that the three take.
  private var end: UInt16 = 0
  private var time: UInt16 = 0
  private var thread: UInt16 = 0
  private var cpu: UInt16 = 0
  /// Shorter samples are for who can say what is missing.
  private(set) var least = Self.never
  /// The same for the loop that reads most samples, which extends no signs.
  private(set) var leastPlain = Self.never
  /// The attribute's index.
  let event: Int16
  /// -1 where samples do not tell their thread, their CPU.
  private let noThread: Int8
  private let noCPU: Int8
  private(set) var telling = Telling.values
  /// 1 where values are handed out, 0 where they are not.
  let handsOut: UInt8
  /// 1 where the sample shows that its thread runs.
  let showsRun: UInt8
  /// It is not handed out if that was shown before.
  let mayBeShown: Bool
  /// The second integer is the thread that gets the CPU.
  let isSwitch: Bool
  /// So many bytes must follow a sample's start in memory.
  private(set) var reach: UInt16 = 0
  /// Makes 64 bytes of it.
  private let unused: UInt64 = 0

  /// Of samples that all are for who looks at them closely.
  init() { self.init(SampleDemand(.ignore), RecordLayout(), event: -1, idPlace: 0) }

  init(_ demand: SampleDemand, _ layout: RecordLayout, event: Int, idPlace: Int) {
    self.event = Int16(truncatingIfNeeded: event)
    handsOut = demand.use == .values || demand.use == .run ? 1 : 0
    // Without the CPU nothing is followed.
    isSwitch = demand.tells == .switch && layout.cpu >= 0
    showsRun = (demand.use == .run || demand.tells != .nothing) && layout.cpu >= 0 ? 1 : 0
    mayBeShown = demand.use == .run && layout.cpu >= 0
    if demand.use == .name { telling = .place } else if demand.named != nil { telling = .filtered }
    noThread = layout.tid < 0 ? -1 : 0
    noCPU = layout.cpu < 0 ? -1 : 0
    // What is ignored has no time that counts, and what has no time or is longer than any sample is not for the fast
    // way.
    guard layout.time >= 0, demand.use != .ignore else { return }
    let fields = demand.fields
    let body = demand.looksAtPayload ? demand.payload + 4 : 0
    let places = fields.map { body + $0.offset }
    let ends = fields.map { $0.offset + $0.size }
    let enough = max(layout.least, demand.payload + 16, idPlace + 8)
    let longest = max(enough, (places.max() ?? 0) + 4, ends.max() ?? 0)
    guard longest < Int(Self.never) else { return }
    if fields.count == 3 {
      first = Place(fields[0], at: UInt16(places[0]))
      second = Place(fields[1], at: UInt16(places[1]))
      third = Place(fields[2], at: UInt16(places[2]))
      end = UInt16(ends.max() ?? 0)
    }
    payload = UInt16(demand.payload)
    time = UInt16(layout.time + 8)
    thread = layout.tid < 0 ? 0 : UInt16(layout.tid + 8)
    cpu = layout.cpu < 0 ? 0 : UInt16(layout.cpu + 8)
    least = UInt16(enough)
    let isPlain = [first, second, third].allSatisfy { $0.signShift == 0 }
    if isPlain { leastPlain = least }
    reach = UInt16(longest)
  }

  /// The time of a sample of at least `least` bytes; 0 where it has none.
  @inline(__always)
  func time(_ start: UnsafeRawPointer) -> UInt64 {
    start.loadUnaligned(fromByteOffset: Int(time), as: UInt64.self)
  }

  /// Whether the payload of a sample of that size, at least `least`, holds all that was asked for.
  @inline(__always)
  func isWhole(_ start: UnsafeRawPointer, _ size: Int) -> Bool {
    let count = start.loadUnaligned(fromByteOffset: Int(payload), as: UInt32.self)
    return Int(count) <= size &- Int(payload) &- 4 && UInt32(end) <= count
  }

  /// The low 32 bits of the integers that were asked for, their signs extended.
  func values(_ start: UnsafeRawPointer) -> PayloadValues {
    PayloadValues(
      first: first.extended(start), second: second.extended(start), third: third.extended(start))
  }

  /// Process and thread, of which the latter is the upper half; all bits where they are not told.
  @inline(__always)
  func thread(_ start: UnsafeRawPointer) -> UInt64 {
    start.loadUnaligned(fromByteOffset: Int(thread), as: UInt64.self)
      | UInt64(bitPattern: Int64(noThread))
  }

  /// -1 where it is not told.
  @inline(__always)
  func cpu(_ start: UnsafeRawPointer) -> Int32 {
    start.loadUnaligned(fromByteOffset: Int(cpu), as: Int32.self) | Int32(noCPU)
  }
}
