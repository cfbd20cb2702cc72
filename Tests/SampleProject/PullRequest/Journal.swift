import Foundation

/// A file of lines.
final class Journal {
  private let file: FileHandle

  init(path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  /// Adds a line, and makes it last at once.
  @inline(never) func write(_ line: String) throws {
    try file.write(contentsOf: Data((line + "\n").utf8))
    fsync(file.fileDescriptor)
  }

  func close() throws {
    try file.close()
  }
}
