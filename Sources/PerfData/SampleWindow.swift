/// The data in stretches of one size, which begin with the data.
struct StretchGrid {
  static let bytes = 256 << 10

  let data: Range<Int>

  /// How many there are.
  var count: Int { (data.count + Self.bytes - 1) / Self.bytes }

  /// The number of the stretch that holds an offset.
  func number(of offset: Int) -> Int { (offset - data.lowerBound) / Self.bytes }

  /// A stretch's offsets.
  func range(_ number: Int) -> Range<Int> {
    let start = data.lowerBound + number * Self.bytes
    return start..<min(start + Self.bytes, data.upperBound)
  }
}

/// A stretch of the file where samples are read from it: a copy, or where the file is mapped.
///
/// To map pages that are looked at once takes longer than to copy them to where caches hold them (220 MB on one core: 24 ms mapped, 17
/// copied).
final class SampleWindow {
  /// More than any record has.
  private static let longestRecord = 1 << 16
  /// More than most records have that reach beyond the end of a stretch.
  private static let overlap = 2 << 10

  private let storage: ByteStorage
  private let memory: UnsafeMutableRawPointer
  /// The offsets of what is here.
  private(set) var range = 0..<0
  /// Where offset 0 would be.
  private(set) var base: UnsafeRawPointer
  /// From `base` on there is memory up to here.
  private(set) var memoryEnd = 0

  init(_ storage: ByteStorage) {
    self.storage = storage
    let size = StretchGrid.bytes + 2 * Self.longestRecord
    memory = .allocate(byteCount: size, alignment: 1 << 12)
    base = UnsafeRawPointer(memory)
  }

  deinit { memory.deallocate() }

  /// The offset of what is at an address here.
  @inline(__always)
  func offset(of address: UnsafeRawPointer) -> Int { address - base }

  /// Copies what is in the file from an offset on, up to the end of its stretch and so much beyond that the record that begins last is
  /// whole; false where that cannot be.
  ///
  /// Nothing beyond `dataEnd` is taken in. At the end of a stretch `overlap` may be too little: from there on it is enough.
  func copy(from offset: Int, stretchEnd: Int, dataEnd: Int) -> Bool {
    let left = stretchEnd - offset
    let beyond = left < Self.longestRecord ? Self.longestRecord : Self.overlap
    let count = min(left + beyond, dataEnd - offset)
    let copied = storage.read(count, at: offset, to: memory)
    guard copied == count else { return false }
    range = offset..<offset + count
    base = UnsafeRawPointer(memory) - offset
    // What is read beyond a record's end does not count, so it may be what was here before.
    memoryEnd = range.upperBound + Self.longestRecord
    return true
  }

  /// Has what is from an offset on where the file is mapped.
  func map(from offset: Int, dataEnd: Int) {
    guard let start = storage.bytes.baseAddress else { return }
    range = offset..<dataEnd
    base = start
    memoryEnd = storage.count
  }

  /// Has nothing here.
  func clear() { range = 0..<0 }

  /// Bytes of a record that ends a round: a header alone.
  static let roundEndBytes = 8

  /// The type and the bytes of what is a record at that offset, where it is whole here.
  func header(at offset: Int) -> (type: UInt32, size: Int)? {
    guard range.contains(offset), range.upperBound - offset >= 8 else { return nil }
    let header = (base + offset).loadUnaligned(as: UInt64.self)
    let size = Int(header >> 48)
    guard size >= 8, size <= range.upperBound - offset else { return nil }
    return (UInt32(truncatingIfNeeded: header), size)
  }

  /// Whether the end of a round is there, and nothing else with it.
  func isRoundEnd(_ offset: Int) -> Bool {
    guard let (type, size) = header(at: offset) else { return false }
    return type == RecordType.finishedRound && size == Self.roundEndBytes
  }
}
