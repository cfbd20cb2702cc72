/// Bytes of a mapped file or of an array, lent by who keeps them: what all but the fast path reads through.
///
/// Who reads has checked that the bytes are there; debug builds check it again.
struct ByteView: RandomAccessCollection, @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: nothing writes to the bytes.

  /// For system calls, libraries, and the fast path's loop.
  let pointer: UnsafeRawBufferPointer

  init(_ pointer: UnsafeRawBufferPointer) { self.pointer = pointer }

  var startIndex: Int { 0 }
  var endIndex: Int { pointer.count }

  @inline(__always)
  subscript(offset: Int) -> UInt8 {
    check(offset, 1)
    return pointer[offset]
  }

  /// The number at an offset, as this machine writes it.
  @inline(__always)
  func load<T: BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
    check(offset, MemoryLayout<T>.size)
    return pointer.loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// A part, whose offsets begin with 0.
  func view(_ range: Range<Int>) -> ByteView {
    ByteView(UnsafeRawBufferPointer(rebasing: pointer[range]))
  }

  func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R? { try pointer.withContiguousStorageIfAvailable(body) }

  @inline(__always)
  private func check(_ offset: Int, _ size: Int) {
    #if DEBUG
      precondition(offset >= 0 && offset <= pointer.count - size, "a read beyond the bytes")
    #endif
  }
}

extension [UInt8] {
  /// Lends the bytes.
  func withView<R, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
    try withUnsafeBufferPointer { buffer throws(E) in
      try body(ByteView(UnsafeRawBufferPointer(buffer)))
    }
  }
}
