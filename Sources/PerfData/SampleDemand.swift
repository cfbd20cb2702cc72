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
  /// Bytes of payload that the three take, and those that reading them as whole words looks at.
  private var end = 0
  private var reach = 0
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
    measure()
  }

  /// Asks for the returns of some system calls that did not fail, each with its number and `result`; the others are counted.
  public init(payload: Int, returnsOf filter: CallFilter) {
    use = .handOut
    self.payload = payload
    first = Place(filter.number)
    second = Place(filter.result)
    third = second
    isFiltered = true
    measure()
    for (number, isWanted) in filter.isWanted.enumerated() where isWanted && number < 512 {
      wanted[number / 64] |= 1 << UInt64(number % 64)
    }
  }

  private mutating func measure() {
    let places = [first, second, third]
    end = places.map(\.end).max() ?? 0
    reach = places.map { $0.offset + 8 }.max() ?? 0
  }

  /// Whether a sample passes the filter, if there is one.
  @inline(__always)
  func isPassed(by sample: RecordScanner.FoundSample, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard isFiltered, let body = payload(sample.offset, sample.size, bytes) else { return true }
    let number = first.value(bytes, body)
    return second.value(bytes, body) >= 0 && number >= 0 && number < 512
      && wanted[Int(number / 64)] >> UInt64(number % 64) & 1 != 0
  }

  /// Reads what was asked for into the sample.
  @inline(__always)
  func read(_ entry: UnsafeMutablePointer<RecordEntry>, _ bytes: UnsafeRawBufferPointer) {
    guard let body = payload(entry.pointee.offset, Int(entry.pointee.size), bytes) else { return }
    let values: (Int64, Int64, Int64)
    if body &+ reach <= bytes.count {
      values = (
        first.wholeValue(bytes, body), second.wholeValue(bytes, body),
        third.wholeValue(bytes, body)
      )
    } else {
      values = (first.value(bytes, body), second.value(bytes, body), third.value(bytes, body))
    }
    entry.pointee.values = PayloadValues(
      first: Int32(truncatingIfNeeded: values.0), second: Int32(truncatingIfNeeded: values.1),
      third: Int32(truncatingIfNeeded: isFiltered ? values.1 >> 32 : values.2))
    entry.pointee.hasValues = true
  }

  /// Where the payload begins, if it is long enough for what is asked for.
  @inline(__always)
  private func payload(_ offset: Int, _ size: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
    let start = payload + 4
    guard payload >= 0, size >= start else { return nil }
    let count = Int(bytes.loadUnaligned(fromByteOffset: offset + payload, as: UInt32.self))
    guard count <= size - start, end <= count else { return nil }
    return offset &+ start
  }

  /// An integer in a payload, read as a whole word where eight bytes are there.
  private struct Place {
    private(set) var offset = 0
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

    func value(_ bytes: UnsafeRawBufferPointer, _ body: Int) -> Int64 {
      let start = body + offset
      guard start + 8 > bytes.count else { return wholeValue(bytes, body) }
      var word: UInt64 = 0
      for index in 0..<size { word |= UInt64(bytes[start + index]) << UInt64(8 * index) }
      return extended(word &<< shift)
    }

    /// Of a place after which the file goes on for a word.
    @inline(__always)
    func wholeValue(_ bytes: UnsafeRawBufferPointer, _ body: Int) -> Int64 {
      extended(bytes.loadUnaligned(fromByteOffset: body &+ offset, as: UInt64.self) &<< shift)
    }

    @inline(__always)
    private func extended(_ word: UInt64) -> Int64 {
      isSigned
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

  /// Whether a sample is to be handed out; notes its time.
  @inline(__always)
  func wants(
    _ sample: RecordScanner.FoundSample, _ bytes: UnsafeRawBufferPointer, _ times: inout PassTimes
  ) -> Bool {
    guard sample.attribute < count else { return true }
    // Used where it lies, not copied out first.
    let demand = base + Int(sample.attribute)
    guard demand.pointee.use != .ignore else { return false }
    times.note(sample.time)
    return demand.pointee.use == .handOut && demand.pointee.isPassed(by: sample, bytes)
  }

  /// Reads what was asked for into a record.
  @inline(__always)
  func read(_ record: UnsafeMutablePointer<RecordEntry>, _ bytes: UnsafeRawBufferPointer) {
    guard record.pointee.type == RecordType.sample, record.pointee.attribute >= 0,
      record.pointee.attribute < count
    else { return }
    (base + Int(record.pointee.attribute)).pointee.read(record, bytes)
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
