import Files
import Glibc

/// A file descriptor that is closed when its last owner goes.
package final class OwnedDescriptor: Sendable {
  /// The descriptor's number.
  package let number: Int32

  /// Takes over an open descriptor.
  package init(_ number: Int32) {
    self.number = number
  }

  /// Opens a path, relative to a directory when one is given; nil leaves the cause in `errno`.
  package convenience init?(
    opening path: String, in directory: OwnedDescriptor? = nil, flags: Int32 = O_RDONLY
  ) {
    let opened = openat(directory?.number ?? AT_FDCWD, path, flags | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    self.init(opened)
  }

  deinit { close(number) }

  /// Reads from the start to the end by `pread` where the file allows it.
  ///
  /// The buffer is the caller's, so that sampling does not allocate; nil says that it failed.
  package func readAgain(into buffer: inout [UInt8]) -> Int? {
    var used = 0
    while true {
      if used == buffer.count { buffer.append(contentsOf: repeatElement(0, count: used + 4096)) }
      let count = buffer.withUnsafeMutableBytes { bytes in
        pread(number, bytes.baseAddress.map { $0 + used }, bytes.count - used, off_t(used))
      }
      if count < 0 {
        if errno == EINTR { continue }
        return nil
      }
      if count == 0 { return used }
      used += count
    }
  }

  /// Reads all that is left by `read`, in large pieces; nil says that it failed.
  package func readToEnd(limit: Int = 64 << 20) -> [UInt8]? {
    var result: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while result.count < limit {
      let count = read(number, &piece, piece.count)
      if count < 0 {
        if errno == EINTR { continue }
        return nil
      }
      if count == 0 { break }
      result.append(contentsOf: piece[..<count])
    }
    return result
  }
}

/// The small text files that the kernel writes.
package enum KernelFile {
  /// The bytes of a file, or nil with the cause in `errno`.
  package static func bytes(_ path: String) -> [UInt8]? {
    OwnedDescriptor(opening: path)?.readToEnd()
  }

  /// The text of a file, invalid UTF-8 replaced, or nil with the cause in `errno`.
  package static func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The first number in a file.
  package static func integer(_ path: String) -> Int? {
    guard let text = text(path) else { return nil }
    return Int(text.prefix { $0 != "\n" && $0 != " " })
  }

  /// Where a symbolic link leads, or nil with the cause in `errno`.
  package static func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4097)
    let count = readlink(path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The names in a directory that are numbers, ascending.
  package static func numbers(in path: String) -> [Int32] {
    names(in: path).compactMap { Int32($0) }.filter { $0 >= 0 }.sorted()
  }

  /// The names in a directory but those that begin with a dot, sorted.
  ///
  /// None where it cannot be listed: a kernel or a machine lacks what is looked for, a process ends at any time, and
  /// into which processes one may look is asked by itself.
  package static func names(in path: String) -> [String] {
    ((try? Folder.names(in: path)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }

  /// What the C library calls an error number.
  package static func errorText(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
