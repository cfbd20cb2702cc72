import Glibc

/// The GNU build id of an ELF file, by which its symbols are found elsewhere.
enum BuildIDNote {
  /// Of twice as many files at most a recording knows them, those that were mapped last.
  static let most = 8192

  /// NT_GNU_BUILD_ID.
  private static let buildIDType: UInt32 = 3
  /// PT_NOTE.
  private static let noteSegment: UInt32 = 4
  /// Notes lie at the beginning of a file in practice; more is not read.
  private static let limit = 1 << 20

  /// Reads the build id; nil when the file is not 64-bit little-endian ELF or has none.
  static func read(_ path: String) -> [UInt8]? {
    // Who wrote the file may have put a pipe in its place, which would be waited for.
    guard let file = OwnedDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY),
      let bytes = file.readToEnd(limit: limit)
    else { return nil }
    return parse(bytes)
  }

  static func parse(_ bytes: [UInt8]) -> [UInt8]? {
    bytes.withUnsafeBytes { raw -> [UInt8]? in
      func value<T: FixedWidthInteger>(_ offset: Int, _: T.Type) -> T? {
        guard offset >= 0, offset <= raw.count - MemoryLayout<T>.size else { return nil }
        return T(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: T.self))
      }
      // Magic, then class 2 (64 bits) and data 1 (little endian).
      guard value(0, UInt32.self) == 0x464c_457f, value(4, UInt16.self) == 0x0102,
        let table = value(32, UInt64.self), let size = value(54, UInt16.self),
        let count = value(56, UInt16.self), table < UInt64(raw.count), size >= 56
      else { return nil }
      for index in 0..<Int(count) {
        let header = Int(table) + index * Int(size)
        guard let type = value(header, UInt32.self) else { return nil }
        guard type == noteSegment, let start = value(header + 8, UInt64.self),
          let length = value(header + 32, UInt64.self), start < UInt64(raw.count)
        else { continue }
        var at = Int(start)
        let end = at + Int(min(length, UInt64(raw.count) - start))
        while at + 12 <= end, let nameSize = value(at, UInt32.self),
          let size = value(at + 4, UInt32.self), let kind = value(at + 8, UInt32.self),
          nameSize <= 4096, size <= 65536
        {
          let content = at + 12 + (Int(nameSize) + 3) / 4 * 4
          guard content + Int(size) <= end else { break }
          let isGNU = nameSize == 4 && value(at + 12, UInt32.self) == 0x0055_4e47
          if isGNU, kind == buildIDType, size > 0 {
            return Array(raw[content..<content + min(20, Int(size))])
          }
          at = content + (Int(size) + 3) / 4 * 4
        }
      }
      return nil
    }
  }
}
