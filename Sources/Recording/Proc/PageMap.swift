import Glibc

/// Which pages of a process's memory there are (/proc/PID/pagemap, Documentation/admin-guide/mm/pagemap.rst).
struct PageMap {
  private let file: OwnedDescriptor
  private static let pageBytes = UInt64(sysconf(Int32(_SC_PAGESIZE)))
  /// Bits 62 and 63 of a page's word: swapped out, present.
  private static let exists: UInt64 = 0b11 << 62

  /// Of a process whose memory may be read.
  init?(of pid: Int32) {
    guard let file = OwnedDescriptor(opening: "/proc/\(pid)/pagemap") else { return nil }
    self.file = file
  }

  /// Whether any page of a range was ever touched; true where that cannot be told.
  func holdsAny(of range: Range<UInt64>) -> Bool {
    let first = range.lowerBound / Self.pageBytes
    let end = (range.upperBound + Self.pageBytes - 1) / Self.pageBytes
    var words = [UInt64](repeating: 0, count: Int(end - first))
    let read = words.withUnsafeMutableBytes {
      pread(file.number, $0.baseAddress, $0.count, off_t(first * 8))
    }
    return read < words.count * 8 || words.contains { $0 & Self.exists != 0 }
  }
}
