/// Records between being read and being handed out, by number.
struct EntryRing {
  /// Of a power of two, so that a number's low bits are its place.
  private var entries: ContiguousArray<RecordEntry>
  /// The first number that may still be asked for.
  private var lowest = 0
  /// The number of the next record.
  private(set) var next = 0

  private static let blank = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)

  init() { entries = ContiguousArray(repeating: Self.blank, count: 1 << 12) }

  @inline(__always)
  subscript(number: Int) -> RecordEntry { entries[number & (entries.count - 1)] }

  @inline(__always)
  mutating func append(_ entry: RecordEntry) {
    if next - lowest == entries.count { grow() }
    entries[next & (entries.count - 1)] = entry
    next += 1
  }

  /// Nothing below that number will be asked for any more.
  mutating func release(below number: Int) { lowest = number }

  private mutating func grow() {
    var larger = ContiguousArray(repeating: Self.blank, count: 2 * entries.count)
    for number in lowest..<next { larger[number & (larger.count - 1)] = self[number] }
    entries = larger
  }
}
