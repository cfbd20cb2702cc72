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
  /// 1 where values are handed out, 0 where they are not.
  let handsOut: Int
  /// Bytes from the record's start to the raw payload's size. Where the payload is not looked at it is the record's type that stands
  /// there, which is less than any sample's size.
  private var payload = 0
  private(set) var looksAtPayload = false
  private var first = Place()
  private var second = Place()
  private var third = Place()
  /// Bytes of payload that the three take.
  private var end = 0
  /// Bytes from the record's start that reading them as whole words looks at; 0 without a payload, where a sample holds enough.
  private(set) var reach = 0
  /// Shorter samples do not hold the payload's size, or the type that stands for it.
  var least: Int { payload + Self.leastBytes }
  private static let leastBytes = 16
  /// By number: the least result of a system call of which the place is handed out.
  private var named: CallFilter?

  /// Asks for nothing of the payload.
  public init(_ use: Use) {
    self.use = use
    handsOut = use == .values ? 1 : 0
  }

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
    self.init(use)
    self.payload = payload
    looksAtPayload = true
    self.first = Place(first)
    self.second = Place(second)
    self.third = Place(third)
    let places = [self.first, self.second, self.third]
    end = places.map(\.end).max() ?? 0
    reach = payload + 4 + (places.map { $0.offset + 8 }.max() ?? 0)
  }

  /// The integers that were asked for of a sample of that size, no less than `least`; nil where its payload is too short for them.
  ///
  /// `reach` bytes must follow its start.
  @inline(__always)
  func plainValues(of start: UnsafeRawPointer, _ size: Int) -> PayloadValues? {
    let count = Int(start.loadUnaligned(fromByteOffset: payload, as: UInt32.self))
    guard count <= size &- payload &- 4, end <= count else { return nil }
    let body = start + (payload &+ 4)
    return PayloadValues(first: first.low(body), second: second.low(body), third: third.low(body))
  }

  /// Whether the place is handed out of a sample with those values.
  @inline(__always)
  func isNamed(_ values: PayloadValues) -> Bool {
    use == .name || named?.contains(values.first, values.result) ?? false
  }

  /// An integer in a payload, of which the low 32 bits are read.
  private struct Place {
    private(set) var offset = 0
    private var size = 1
    private var shift: UInt64 = 56
    /// All bits of a signed integer, which is extended, and the lowest of another.
    private var mask: Int64 = 0xff

    init() {}

    init(_ field: IntegerField) {
      offset = field.offset
      size = field.size
      shift = UInt64(64 - 8 * field.size)
      mask = field.isSigned ? -1 : Int64(bitPattern: .max >> shift)
    }

    /// Bytes of payload that it takes.
    var end: Int { offset + size }

    @inline(__always)
    func low(_ body: UnsafeRawPointer) -> Int32 {
      let word = body.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // Without a branch: which event comes next cannot be foretold.
      let extended = (Int64(bitPattern: word &<< shift) &>> Int64(bitPattern: shift)) & mask
      return Int32(truncatingIfNeeded: extended)
    }
  }
}
