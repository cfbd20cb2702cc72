import Files

/// What is kept of a file's `FileIdentity` beside what was read of it: it would be another one if any of this were
/// different.
enum FileStamp {
  /// Zeros for a file that is not there.
  static func of(_ path: String) -> [UInt8] {
    let file = FileIdentity(path)
    var writer = WireWriter()
    writer.put(file?.device ?? 0)
    writer.put(file?.inode ?? 0)
    writer.put(file?.size ?? 0)
    writer.put(file?.modified ?? 0)
    writer.put(file?.changed ?? 0)
    return writer.bytes
  }

  /// Of several files.
  static func of(_ paths: [String]) -> [UInt8] { paths.flatMap { of($0) } }
}
