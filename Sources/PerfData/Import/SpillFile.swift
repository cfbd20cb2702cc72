import Files

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Records made of a trace in another form: in memory while they are few, else in a file without a name.
final class SpillFile {
  private static let largestInMemory = 16 << 20

  private var buffer: [UInt8] = []
  private var descriptor: Int32 = -1
  private var written = 0

  /// Bytes so far.
  var count: Int { written + buffer.count }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func append(_ bytes: ByteView) throws(PerfDataError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.largestInMemory { try flush() }
  }

  func append(_ bytes: [UInt8]) throws(PerfDataError) {
    buffer += bytes
    if buffer.count >= Self.largestInMemory { try flush() }
  }

  private static var directory: String {
    TemporaryFolder.path
  }

  private func flush() throws(PerfDataError) {
    if descriptor < 0 {
      var template = Array((Self.directory + "/lull-XXXXXX").utf8CString)
      descriptor = mkstemp(&template)
      guard descriptor >= 0 else { throw failure("create a file in") }
      unlink(template)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    var done = 0
    while done < buffer.count {
      let result = buffer[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if result > 0 {
        done += result
      } else if errno != EINTR {
        throw failure("write to a file in")
      }
    }
    written += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  private func failure(_ call: String) -> PerfDataError {
    PerfDataError(.system(call: call, path: Self.directory, errno: errno))
  }

  /// Everything that was appended.
  func storage() throws(PerfDataError) -> ByteStorage {
    guard descriptor >= 0 else { return ByteStorage(buffer) }
    try flush()
    return try ByteStorage(descriptor: descriptor, path: Self.directory)
  }
}
