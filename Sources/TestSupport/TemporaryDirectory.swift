import Files
import PerfData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A new directory of a test's own.
package struct TemporaryDirectory: Sendable {
  /// Its path.
  package let path: String

  /// Makes the directory.
  package init() throws(PerfDataError) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/lull-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw PerfDataError(.system(call: "mkdtemp", path: base, errno: errno))
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Lends a file of these bytes, which is removed then.
  package static func withFile<R>(
    _ bytes: [UInt8], _ body: (String) throws -> R
  ) throws -> R {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/file"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count else {
      throw PerfDataError(.system(call: "write", path: path, errno: errno))
    }
    return try body(path)
  }

  /// Removes the directory with the plain files in it.
  package func remove() {
    Folder.remove(path)
  }
}
