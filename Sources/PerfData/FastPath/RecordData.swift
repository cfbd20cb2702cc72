/// The data section, where the file is mapped.
struct RecordData: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: nothing writes to the file.

  /// The whole file.
  let bytes: UnsafeRawBufferPointer
  /// The section's offsets in it.
  let range: Range<Int>

  init(_ storage: ByteStorage, _ range: Range<Int>) {
    bytes = storage.bytes.pointer
    self.range = range
  }

  /// The processor's own fetching ends at each page; so many bytes ahead hide what memory takes to answer.
  static let lookahead = 4096

  /// Bytes of a record that ends a round: a header alone.
  static let roundEndBytes = 8

  /// Whether the end of a round is at an offset.
  func isRoundEnd(_ offset: Int) -> Bool {
    guard range.contains(offset), range.upperBound - offset >= Self.roundEndBytes else {
      return false
    }
    let header = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return UInt32(truncatingIfNeeded: header) == RecordType.finishedRound
      && Int(header >> 48) == Self.roundEndBytes
  }
}
