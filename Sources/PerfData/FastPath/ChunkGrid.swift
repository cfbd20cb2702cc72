/// The data in chunks of one size, which begin with the data.
struct ChunkGrid {
  static let bytes = 256 << 10

  let data: Range<Int>

  /// How many there are.
  var count: Int { (data.count + Self.bytes - 1) / Self.bytes }

  /// The number of the chunk that holds an offset.
  func number(of offset: Int) -> Int { (offset - data.lowerBound) / Self.bytes }

  /// A chunk's offsets.
  func range(_ number: Int) -> Range<Int> {
    let start = data.lowerBound + number * Self.bytes
    return start..<min(start + Self.bytes, data.upperBound)
  }
}
