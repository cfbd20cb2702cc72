import Foundation

/// A file of lines.
final class Journal {
  private let file: FileHandle
  private var lines = Data()

  init(path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  /// Adds a line.
  func write(_ line: String) throws {
    lines += Data((line + "\n").utf8)
  }

  /// Writes all lines at once and makes them last.
  func close() throws {
    try file.write(contentsOf: lines)
    try file.synchronize()
    try file.close()
  }
}
