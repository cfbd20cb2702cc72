/// Where the numbers are that stand at one place in all samples of an attribute, or in the trailers of its other
/// records.
///
/// They are asked for once per attribute: what reads records keeps the offsets that it needs.
package struct SampleOffsets {
  private var visitor = OffsetVisitor()

  /// From the start of a sample's body.
  package init(samplesOf layout: SampleLayout) {
    // What ends the walk is that all of them are passed.
    try? layout.walkFixed(&visitor)
    visitor.isFixed = false
    try? layout.walkVariable(&visitor)
  }

  /// From the start of a trailer.
  package init(trailersOf layout: SampleLayout) { try? layout.walkTrailer(&visitor) }

  /// Bytes before a number; nil where there is none.
  package subscript(_ part: SamplePart) -> Int? { visitor.offsets[part] }

  /// Bytes of all of them.
  package var size: Int { visitor.size }

  /// What comes next in a sample; nil where nothing does.
  package var next: SamplePart? { visitor.next }
}

private struct OffsetVisitor: SampleVisitor {
  /// What comes next is not at one place, or behind something that is not.
  struct Variable: Error {}

  var offsets: [SamplePart: Int] = [:]
  var size = 0
  var next: SamplePart?
  var isFixed = true

  mutating func number(_ part: SamplePart) throws(Variable) -> UInt64 {
    guard isFixed else {
      next = part
      throw Variable()
    }
    offsets[part] = size
    size += part.width
    return 0
  }

  func entries(_ count: UInt64, words: Int, _ part: SamplePart) throws(Variable) {
    throw Variable()
  }

  func bytes(_ count: UInt64, _ part: SamplePart) throws(Variable) { throw Variable() }
}
