import Glibc

/// By what a file is known again that was read before: it would be another one if any of this were different.
enum FileStamp {
  /// Device, number, size, and the times at which its contents and itself were changed last; zeros for a file that is
  /// not there.
  ///
  /// Archives give their files the same time of contents each time, and a file that takes another's place may get its
  /// number.
  static func of(_ path: String) -> [UInt8] {
    var status = stat()
    if stat(path, &status) != 0 { status = stat() }
    var writer = WireWriter()
    writer.put(UInt64(status.st_dev))
    writer.put(UInt64(status.st_ino))
    writer.put(Int64(status.st_size))
    writer.put(Int64(status.st_mtim.tv_sec))
    writer.put(Int64(status.st_mtim.tv_nsec))
    writer.put(Int64(status.st_ctim.tv_sec))
    writer.put(Int64(status.st_ctim.tv_nsec))
    return writer.bytes
  }

  /// Of several files.
  static func of(_ paths: [String]) -> [UInt8] { paths.flatMap { of($0) } }
}
