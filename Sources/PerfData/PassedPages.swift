/// Gives the file's pages back to the system as they have been read, so that a pass takes little memory however long the trace.
struct PassedPages {
  private let storage: ByteStorage
  private var released = 0
  private static let step = 4 << 20

  init(_ storage: ByteStorage) { self.storage = storage }

  /// Of a part the lowest record that was looked at is there, .max where none was, and nothing that stands before `floor` comes again.
  ///
  /// The parts of several rings alternate: the one furthest behind counts.
  mutating func note(_ lowest: Int, _ floor: Int) {
    note(lowest < .max ? max(lowest, floor) : floor)
  }

  /// All that stands before an offset was read.
  @inline(__always)
  mutating func note(_ offset: Int) {
    guard offset - released >= Self.step else { return }
    storage.release(released..<offset)
    released = offset
  }
}
