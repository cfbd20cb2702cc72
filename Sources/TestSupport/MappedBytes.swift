import Foundation

/// How much of a file is mapped into this process.
package enum MappedBytes {
  /// Bytes of it that are in memory; nil where the kernel does not tell.
  package static func count(of path: String) -> Int? {
    // The kernel gives a page of text at a time.
    guard let file = FileHandle(forReadingAtPath: "/proc/self/smaps"),
      let text = try? file.readToEnd()
    else { return nil }
    var isOfFile = false
    var bytes = 0
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      if line.contains("-"), !line.contains("kB") { isOfFile = line.hasSuffix(path) }
      guard isOfFile, line.hasPrefix("Rss:") else { continue }
      bytes += line.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 } ?? 0
    }
    return bytes
  }
}
