/// Gives the file's pages back to the system as they have been read, so that a pass takes little memory however long the trace.
struct PassedPages {
  private let storage: ByteStorage
  private var released = 0
  private static let step = 4 << 20

  init(_ storage: ByteStorage) { self.storage = storage }

  /// All that stands before an offset was read.
  @inline(__always)
  mutating func note(_ offset: Int) {
    guard offset - released >= Self.step else { return }
    storage.release(released..<offset)
    released = offset
  }

  /// All that stands before the records that are only named here was read.
  mutating func note(_ records: UnsafeBufferPointer<OrderedRecord>) {
    // The parts of several rings alternate: the one furthest behind counts.
    let lowest = records.reduce(Int.max) { min($0, $1.offset ?? .max) }
    if lowest < .max { note(lowest) }
  }
}
