import Glibc

/// A line of /proc/PID/maps.
struct MemoryMapping {
  var start: UInt64
  var end: UInt64
  var isWritable: Bool
  var isExecutable: Bool
  var fileOffset: UInt64
  var path: Substring

  /// Those of a process, with the paths that it knows.
  static func all(of pid: Int32) -> [MemoryMapping] {
    let root = ProcessRoot(of: pid)
    return (KernelFile.text("/proc/\(pid)/maps") ?? "").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 5)
      guard fields.count >= 5 else { return nil }
      let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard ends.count == 2, ends[0] < ends[1], let offset = UInt64(fields[2], radix: 16) else {
        return nil
      }
      return MemoryMapping(
        start: ends[0], end: ends[1], isWritable: fields[1].hasPrefix("rw"),
        isExecutable: fields[1].contains("x"), fileOffset: offset,
        path: fields.count > 5 ? root.path(fields[5].drop { $0 == " " }) : "")
    }
  }
}

/// The memory of another process, where it may be read (/proc/PID/mem).
struct ProcessMemory {
  private static let longestText = 256

  private let file: OwnedDescriptor

  init?(of pid: Int32) {
    guard let file = OwnedDescriptor(opening: "/proc/\(pid)/mem") else { return nil }
    self.file = file
  }

  /// As much as there is from an address on.
  func read(_ address: UInt64, _ count: Int) -> [UInt8] {
    guard let place = off_t(exactly: address), place > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let used = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, place) }
    bytes.removeLast(bytes.count - max(0, used))
    return bytes
  }

  /// The C string at an address; nil where there is none of a name's length.
  func text(_ address: UInt64) -> [UInt8]? {
    let bytes = read(address, Self.longestText)
    return bytes.firstIndex(of: 0).map { Array(bytes[..<$0]) }
  }

  static func word(_ bytes: [UInt8], at place: Int) -> UInt64? {
    guard place >= 0, place + 8 <= bytes.count else { return nil }
    return bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
  }
}
