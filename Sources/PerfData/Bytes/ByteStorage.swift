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
  private let isMapped: Bool

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
      isMapped = false
      return
    }
    let length = Int(status.st_size)
    guard let base = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor, 0),
      base != UnsafeMutableRawPointer(bitPattern: -1)
    else { throw PerfDataError(.system(call: "mmap", path: path, errno: errno)) }
    bytes = ByteView(UnsafeRawBufferPointer(start: base, count: length))
    isMapped = true
  }

  /// Copies bytes.
  init(_ source: [UInt8]) {
    isMapped = false
    guard !source.isEmpty else {
      bytes = ByteView(UnsafeRawBufferPointer(start: nil, count: 0))
      return
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
    copy.copyBytes(from: source)
    bytes = ByteView(UnsafeRawBufferPointer(copy))
  }

  /// Gives the whole pages of a range of a mapped file back; they are read again when they are looked at again.
  func release(_ range: Range<Int>) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let start = (range.lowerBound + page - 1) / page * page
    let end = range.upperBound / page * page
    guard isMapped, start < end, end <= bytes.count, let base = bytes.pointer.baseAddress else {
      return
    }
    // The pages are clean, so nothing is lost; an error only means that they stay.
    _ = madvise(UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_DONTNEED)
  }

  deinit {
    guard let base = bytes.pointer.baseAddress else { return }
    if isMapped {
      munmap(UnsafeMutableRawPointer(mutating: base), bytes.count)
    } else {
      base.deallocate()
    }
  }
}
