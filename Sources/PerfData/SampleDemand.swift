/// What a pass is to make of the samples of one attribute.
public struct SampleDemand: Sendable {
  /// What is handed out of a sample.
  public enum Use: Sendable {
    /// Its place in the file, where there is more to be read.
    case name
    /// Its time, thread and CPU, and what was asked for of its payload.
    case values
    /// Nothing; its time is noted.
    case count
    /// Nothing, as if it were not there.
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
  /// By number: the least result of a system call of which the place is handed out.
  private var named: CallFilter?

  /// Asks for nothing of the payload.
  public init(_ use: Use) { self.use = use }

  /// Asks for integers of the raw payload, which begins with its size at that many bytes from the record's start.
  public init(payload: Int, _ first: IntegerField, _ second: IntegerField, _ third: IntegerField) {
    self.init(.values, payload, first, second, third)
  }

  /// Asks for the places of those returns of system calls that the filter names; of the others for the number and the `result`, or
  /// for nothing.
  public init(
    payload: Int, number: IntegerField, result: IntegerField, named: CallFilter, others: Use
  ) {
    self.init(others, payload, number, result, result.upperHalf)
    self.named = named
  }

  private init(
    _ use: Use, _ payload: Int, _ first: IntegerField, _ second: IntegerField,
    _ third: IntegerField
  ) {
    self.use = use
    self.payload = payload
    self.first = Place(first)
    self.second = Place(second)
    self.third = Place(third)
    let places = [self.first, self.second, self.third]
    end = places.map(\.end).max() ?? 0
    reach = places.map { $0.offset + 8 }.max() ?? 0
  }

  /// What is to be made of a sample, and the integers that were asked for.
  @inline(__always)
  func outcome(
    of sample: RecordScanner.FoundSample, _ bytes: UnsafeRawBufferPointer
  ) -> (use: Use, values: PayloadValues) {
    guard payload >= 0 else { return (use, PayloadValues()) }
    // One that is too short is for who can say so.
    guard let body = payload(sample.offset, sample.size, bytes) else {
      return (.name, PayloadValues())
    }
    let isWhole = body &+ reach <= bytes.count
    let values = PayloadValues(
      first: first.low(bytes, body, isWhole), second: second.low(bytes, body, isWhole),
      third: third.low(bytes, body, isWhole))
    if let named, named.contains(values.first, values.result) { return (.name, values) }
    return (use, values)
  }

  /// Where the payload begins, if it is long enough for what is asked for.
  @inline(__always)
  private func payload(_ offset: Int, _ size: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
    let start = payload + 4
    guard size >= start else { return nil }
    let count = Int(bytes.loadUnaligned(fromByteOffset: offset + payload, as: UInt32.self))
    guard count <= size - start, end <= count else { return nil }
    return offset &+ start
  }

  /// An integer in a payload, of which the low 32 bits are read.
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
    var end: Int { offset + size }

    /// `isWhole` where the file goes on for a word after the place.
    @inline(__always)
    func low(_ bytes: UnsafeRawBufferPointer, _ body: Int, _ isWhole: Bool) -> Int32 {
      let start = body &+ offset
      let word =
        isWhole
        ? bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) : shortWord(bytes, start)
      let extended =
        isSigned
        ? Int64(bitPattern: word &<< shift) &>> Int64(bitPattern: shift)
        : Int64(bitPattern: (word &<< shift) &>> shift)
      return Int32(truncatingIfNeeded: extended)
    }

    @inline(never)
    private func shortWord(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
      (0..<size).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
    }
  }
}
