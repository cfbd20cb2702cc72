/// Where the parts of one sample are that are looked for without decoding the rest.
struct SampleRanges: SampleVisitor {
  /// Why the walk ends before the sample does.
  enum Stop: Error {
    /// The sample is too short for what its counts say.
    case short
    /// What was looked for is found.
    case found
  }

  private let bytes: ByteView
  private var position: Int
  private let end: Int
  /// What is looked for last; nil for all of the sample.
  private let last: SamplePart?

  /// The raw payload without its size.
  private(set) var raw: Range<Int>?
  private(set) var userRegisters: Range<Int>?
  private(set) var interruptRegisters: Range<Int>?
  private(set) var callchain: Range<Int>?
  /// Bytes of a hardware's trace.
  private(set) var trace: Range<Int>?
  /// The user stack with its numbers: size, bytes, used size.
  private(set) var stack: Range<Int>?

  /// Goes on from a place in a sample's body.
  @inline(__always)
  init(_ bytes: ByteView, from position: Int, to end: Int, until last: SamplePart?) {
    self.bytes = bytes
    self.position = position
    self.end = end
    self.last = last
  }

  @inline(__always)
  mutating func number(_ part: SamplePart) throws(Stop) -> UInt64 {
    let width = part.width
    guard width <= end - position else { throw .short }
    let value =
      width == 4
      ? UInt64(bytes.load(UInt32.self, at: position))
      : width == 8 ? bytes.load(UInt64.self, at: position) : 0
    if part == .stackSize { stack = position..<position + 8 }
    position += width
    if part == .stackUsed, let start = stack?.lowerBound { stack = start..<position }
    return value
  }

  @inline(__always)
  mutating func entries(_ count: UInt64, words: Int, _ part: SamplePart) throws(Stop) {
    guard count <= UInt64((end - position) / (8 * words)) else { throw .short }
    let start = position
    position += Int(count) * 8 * words
    if part == .userRegisters { userRegisters = start..<position }
    if part == .interruptRegisters { interruptRegisters = start..<position }
    if part == .callchain { callchain = start..<position }
    if part == last { throw .found }
  }

  @inline(__always)
  mutating func bytes(_ count: UInt64, _ part: SamplePart) throws(Stop) {
    guard count <= UInt64(end - position) else { throw .short }
    let start = position
    position += Int(count)
    if part == .raw { raw = start..<position }
    if part == .aux { trace = start..<position }
    if part == last { throw .found }
  }
}

extension SampleLayout {
  /// Where a sample holds its raw payload, without its size, its user stack with its numbers (size, bytes, used size),
  /// and its callchain and registers, which are words.
  package struct Contents {
    package var raw: Range<Int>?
    package var stack: Range<Int>?
    package var words: [Range<Int>]
    /// It holds some of a hardware's trace.
    package var hasTrace: Bool
  }

  /// The contents of a whole sample, its header included; nil for a malformed one.
  package func contents(of sample: [UInt8]) -> Contents? {
    sample.withView { bytes in
      var ranges = SampleRanges(bytes, from: 8, to: bytes.count, until: nil)
      do throws(SampleRanges.Stop) { try walk(&ranges) } catch { return nil }
      return Contents(
        raw: ranges.raw, stack: ranges.stack,
        words: [ranges.callchain, ranges.userRegisters, ranges.interruptRegisters]
          .compactMap { $0 },
        hasTrace: ranges.trace?.isEmpty == false)
    }
  }

  /// Bytes of the trailer with which records end that are no samples.
  package var trailerSize: Int { hasTrailer ? SampleOffsets(trailersOf: self).size : 0 }
}
