import Glibc

/// Records, one behind the other, in memory that is kept from one round to the next.
///
/// What is appended most often is copies of a few: an array's own way to take them in costs more than the copy.
struct RecordBytes: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// In bytes.
  private(set) var count = 0
  /// How many records.
  private(set) var records = 0

  init() {
    capacity = 4096
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  var isEmpty: Bool { count == 0 }
  /// A copy of all.
  var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: memory, count: count)) }

  borrowing func withBytes<Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  mutating func append(_ record: [UInt8]) { append(record) { _ in } }

  /// Appends a copy of a record in which some words are others.
  @inline(__always)
  mutating func append(_ template: [UInt8], _ patch: (UnsafeMutableRawPointer) -> Void) {
    if count + template.count > capacity { grow(by: template.count) }
    template.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      (memory + count).copyMemory(from: start, byteCount: bytes.count)
      patch(memory + count)
    }
    count += template.count
    records += 1
  }

  private mutating func grow(by more: Int) {
    capacity = max(2 * capacity, count + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: memory, byteCount: count)
    memory.deallocate()
    memory = larger
  }

  mutating func removeAll() { (count, records) = (0, 0) }
}
