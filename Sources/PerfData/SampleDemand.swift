/// What a pass is to make of the samples of one attribute.
public struct SampleDemand: Sendable {
  /// Whether a sample is handed out.
  public enum Use: Sendable {
    /// It is.
    case handOut
    /// Its time is noted alone.
    case count
    /// It is passed over as if it were not there.
    case ignore
  }

  let use: Use
  /// Bytes from the record's start to the raw payload's size; -1 where the payload is not looked at.
  private var payload = -1
  private var first = Place()
  private var second = Place()
  private var third = Place()
  private var isFiltered = false
  private var wanted = InlineArray<8, UInt64>(repeating: 0)

  /// Asks for whole samples, or for none.
  public init(_ use: Use) { self.use = use }

  /// Asks for integers of the raw payload, which begins with its size at that many bytes from the record's start.
  public init(payload: Int, _ first: IntegerField, _ second: IntegerField, _ third: IntegerField) {
    use = .handOut
    self.payload = payload
    self.first = Place(first)
    self.second = Place(second)
    self.third = Place(third)
  }

  /// Asks for the returns of some system calls that did not fail, each with its number and `result`; the others are counted.
  public init(payload: Int, returnsOf filter: CallFilter) {
    use = .handOut
    self.payload = payload
    first = Place(filter.number)
    second = Place(filter.result)
    third = second
    isFiltered = true
    for (number, isWanted) in filter.isWanted.enumerated() where isWanted && number < 512 {
      wanted[number / 64] |= 1 << UInt64(number % 64)
    }
  }

  /// Reads what was asked for into the sample; false where it is not to be handed out.
  @inline(__always)
  func read(
    _ entry: UnsafeMutablePointer<RecordEntry>, _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    guard payload >= 0 else { return true }
    let start = payload + 4
    let size = Int(entry.pointee.size)
    guard size >= start else { return true }
    let offset = entry.pointee.offset
    let count = Int(bytes.loadUnaligned(fromByteOffset: offset + payload, as: UInt32.self))
    guard count <= size - start, first.end <= count, second.end <= count,
      third.end <= count
    else { return true }
    let body = offset + start
    let first = first.value(bytes, body)
    let second = second.value(bytes, body)
    guard isFiltered else {
      entry.pointee.values = PayloadValues(
        first: Int32(truncatingIfNeeded: first), second: Int32(truncatingIfNeeded: second),
        third: Int32(truncatingIfNeeded: third.value(bytes, body)))
      entry.pointee.hasValues = true
      return true
    }
    guard second >= 0, first >= 0, first < 512,
      wanted[Int(first / 64)] >> UInt64(first % 64) & 1 != 0
    else { return false }
    entry.pointee.values = PayloadValues(
      first: Int32(truncatingIfNeeded: first), second: Int32(truncatingIfNeeded: second),
      third: Int32(truncatingIfNeeded: second >> 32))
    entry.pointee.hasValues = true
    return true
  }

  /// An integer in a payload, read as a whole word where eight bytes are there.
  private struct Place {
    private var offset = 0
    private var size = 1
    private var shift: UInt64 = 56
    private var isSigned = false

    init() {}

    init(_ field: IntegerField) {
      offset = field.offset
      size = field.size
      shift = UInt64(64 - 8 * field.size)
      isSigned = field.isSigned
    }

    /// Bytes of payload that it takes.
    @inline(__always)
    var end: Int { offset + size }

    @inline(__always)
    func value(_ bytes: UnsafeRawBufferPointer, _ body: Int) -> Int64 {
      let start = body + offset
      var word: UInt64 = 0
      if start + 8 <= bytes.count {
        word = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) &<< shift
      } else {
        for index in 0..<size { word |= UInt64(bytes[start + index]) << UInt64(8 * index) }
        word = word &<< shift
      }
      return isSigned
        ? Int64(bitPattern: word) &>> Int64(bitPattern: shift) : Int64(bitPattern: word &>> shift)
    }
  }
}

/// Demands by attribute, at a fixed place.
final class DemandTable {
  let base: UnsafeMutablePointer<SampleDemand>
  let count: Int

  init(_ demands: [SampleDemand]) {
    count = demands.count
    base = .allocate(capacity: max(count, 1))
    for (index, demand) in demands.enumerated() { (base + index).initialize(to: demand) }
  }

  /// Whether a sample of a known attribute is to be handed out; notes its time, and reads what was asked for into it.
  @inline(__always)
  func wants(
    _ record: UnsafeMutablePointer<RecordEntry>, _ bytes: UnsafeRawBufferPointer,
    _ times: inout PassTimes
  ) -> Bool {
    guard record.pointee.attribute < count else { return true }
    // Used where it lies, not copied out first.
    let demand = base + Int(record.pointee.attribute)
    guard demand.pointee.use != .ignore else { return false }
    times.note(record.pointee.time)
    return demand.pointee.use == .handOut && demand.pointee.read(record, bytes)
  }

  deinit { base.deallocate() }
}

/// Which returns of system calls are wanted.
public struct CallFilter: Sendable {
  let number: IntegerField
  let result: IntegerField
  let isWanted: [Bool]

  /// Returns without an error of the calls whose numbers, below 512, are true in the table.
  public init(number: IntegerField, result: IntegerField, isWanted: [Bool]) {
    self.number = number
    self.result = result
    self.isWanted = isWanted
  }
}

/// Integers of a sample's payload that were asked for.
public struct PayloadValues: Sendable, Hashable {
  /// The low 32 bits of each.
  public var first: Int32 = 0
  /// See `first`.
  public var second: Int32 = 0
  /// See `first`.
  public var third: Int32 = 0

  /// What a system call returned.
  public var result: Int64 { Int64(third) << 32 | Int64(UInt32(bitPattern: second)) }
}

/// The times of all records of a pass, handed out or not.
public struct PassTimes: Sendable {
  /// The earliest; nanoseconds, as `RecordEntry.time`.
  public var earliest: UInt64 = .max
  /// The latest.
  public var latest: UInt64 = 0
  /// How many records have a time.
  public var count = 0

  /// None yet.
  public init() {}

  @inline(__always)
  mutating func note(_ time: UInt64) {
    guard time > 0 else { return }
    earliest = min(earliest, time)
    latest = max(latest, time)
    count &+= 1
  }
}
