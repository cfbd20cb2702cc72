#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A new file that is written from its start to its end.
final class OutputFile {
  private let path: String
  private var descriptor: Int32
  /// Bytes written whole.
  private(set) var count: UInt64 = 0

  /// Creates a file that must not exist, for its owner alone: a trace holds pieces of programs' memory.
  init(creating path: String) throws(PerfDataError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw PerfDataError(.system(call: "create", path: path, errno: errno))
    }
  }

  deinit {
    if descriptor >= 0 { _ = closeDescriptor(descriptor) }
  }

  /// Appends all of the bytes, or throws and cuts the file back to where it was; as much as went in stays if it
  /// `keepsPart`.
  func append(_ bytes: ByteView, keepsPart: Bool = false) throws(PerfDataError) {
    var written = 0
    while written < bytes.count {
      guard let base = bytes.pointer.baseAddress else { return }
      let result = write(descriptor, base + written, bytes.count - written)
      if result > 0 {
        written += result
      } else if result < 0, errno != EINTR {
        let code = errno
        if keepsPart {
          count += UInt64(written)
        } else if ftruncate(descriptor, off_t(clamping: count)) == 0 {
          lseek(descriptor, off_t(clamping: count), SEEK_SET)
        }
        throw PerfDataError(.system(call: "write", path: path, errno: code))
      }
    }
    count += UInt64(written)
  }

  func append(_ bytes: [UInt8]) throws(PerfDataError) {
    try bytes.withView { source throws(PerfDataError) in try append(source) }
  }

  /// Replaces the file's first bytes.
  func overwriteStart(_ bytes: [UInt8]) throws(PerfDataError) {
    let result = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    guard result == bytes.count else {
      throw PerfDataError(.system(call: "write", path: path, errno: errno))
    }
  }

  /// Gives the file another file's owner and permissions, as far as the caller may.
  func adoptOwner(of status: stat) {
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    _ = fchmod(descriptor, status.st_mode & 0o777)
  }

  /// Closes the file; a late error of the file system counts.
  func close() throws(PerfDataError) {
    let old = descriptor
    descriptor = -1
    guard old >= 0, closeDescriptor(old) == 0 else {
      throw PerfDataError(.system(call: "close", path: path, errno: errno))
    }
  }
}

/// `close`, which the method of that name hides.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
