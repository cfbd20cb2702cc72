import Files

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The text of an errno.
func systemMessage(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}

/// An immutable block of bytes: a mapped file or a copy in memory.
final class ByteStorage: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: nothing writes to the block after `init`.
  let bytes: ByteView
  /// Where they are, if they are a file's.
  private let file: MappedFile?

  var count: Int { bytes.count }

  /// Maps a regular file; a pipe or a directory is refused with what to do.
  convenience init(path: String) throws(PerfDataError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw PerfDataError(.system(call: "open", path: path, errno: errno))
    }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor, path: path)
  }

  /// Maps an open regular file, which stays its owner's to close.
  init(descriptor: Int32, path: String) throws(PerfDataError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw PerfDataError(.system(call: "stat", path: path, errno: errno))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw PerfDataError(
        .unsupported(
          "\(path) is not a regular file: give a perf.data file, not a pipe or directory"))
    }
    guard status.st_size > 0 else {
      bytes = ByteView(UnsafeRawBufferPointer(start: nil, count: 0))
      file = nil
      return
    }
    guard let file = MappedFile(descriptor: descriptor, count: Int(status.st_size)) else {
      throw PerfDataError(.system(call: "mmap", path: path, errno: errno))
    }
    bytes = ByteView(file.bytes)
    self.file = file
  }

  /// Copies bytes.
  init(_ source: [UInt8]) {
    file = nil
    guard !source.isEmpty else {
      bytes = ByteView(UnsafeRawBufferPointer(start: nil, count: 0))
      return
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
    copy.copyBytes(from: source)
    bytes = ByteView(UnsafeRawBufferPointer(copy))
  }

  /// Gives the whole pages of a range of a mapped file back; they are read again when they are looked at again.
  func release(_ range: Range<Int>) { file?.release(range) }

  deinit { if file == nil { bytes.pointer.baseAddress?.deallocate() } }
}
