/// Records between being read and being handed out, by number.
struct EntryRing {
  private final class Block {
    let base: UnsafeMutablePointer<RecordEntry>
    /// A power of two, so that a number's low bits are its place.
    let count: Int

    init(count: Int) {
      self.count = count
      base = .allocate(capacity: count)
      base.initialize(
        repeating: RecordEntry(offset: 0, type: 0, size: 8, misc: 0), count: count)
    }

    deinit { base.deallocate() }
  }

  private var block = Block(count: 1 << 12)
  /// The first number that may still be asked for.
  private var lowest = 0
  /// The number of the next record.
  private(set) var next = 0

  @inline(__always)
  subscript(number: Int) -> RecordEntry { block.base[number & (block.count - 1)] }

  /// Where the next record is written; it counts once it is kept.
  @inline(__always)
  mutating func place() -> UnsafeMutablePointer<RecordEntry> {
    if next - lowest == block.count { grow() }
    return block.base + (next & (block.count - 1))
  }

  /// Where records are written by number, for as long as there is room.
  struct Places {
    fileprivate let base: UnsafeMutablePointer<RecordEntry>
    fileprivate let mask: Int

    @inline(__always)
    subscript(number: Int) -> UnsafeMutablePointer<RecordEntry> { base + (number & mask) }
  }

  var places: Places { Places(base: block.base, mask: block.count - 1) }
  /// How many records fit.
  var room: Int { block.count - (next - lowest) }

  /// The records that were written to the next places stay.
  @inline(__always)
  mutating func keep(_ count: Int = 1) { next += count }

  /// Nothing below that number will be asked for any more.
  mutating func release(below number: Int) { lowest = number }

  @inline(never)
  private mutating func grow() {
    let larger = Block(count: 2 * block.count)
    for number in lowest..<next { larger.base[number & (larger.count - 1)] = self[number] }
    block = larger
  }
}
