import PerfData
import Quantities

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Names of the code that a process made itself: `/tmp/perf-PID.map`, which V8, the JVM's agents, .NET and others write
/// for perf (tools/perf/Documentation/jit-interface.txt).
struct JITMap {
  private struct Entry {
    var start: UInt64
    var end: UInt64
    var name: String
  }

  private var entries: [Entry] = []
  /// Larger files are not read, in bytes.
  private static let largest = 64 << 20

  init(pid: Int32) { self.init(path: "/tmp/perf-\(pid).map") }

  /// Reads a file of this process's user, or of root, as perf does: anybody may put one into /tmp.
  init(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == 0 || status.st_uid == geteuid() || geteuid() == 0,
      status.st_size <= Self.largest
    else { return }
    var text = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < text.count {
      let result = text.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      guard result > 0 else { break }
      count += result
    }
    for line in text[..<count].split(separator: 10) {
      let fields = line.split(separator: 0x20, maxSplits: 2)
      guard fields.count == 3, let start = Self.number(fields[0]),
        let size = Self.number(fields[1]),
        size > 0, !start.addingReportingOverflow(size).overflow
      else { continue }
      entries.append(
        Entry(start: start, end: start + size, name: String(decoding: fields[2], as: UTF8.self)))
    }
    // Of two at one address the later one is what stands there now.
    entries = entries.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }.map(\.element)
  }

  /// Hexadecimal, with or without 0x.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    let text = String(decoding: digits, as: UTF8.self)
    return UInt64(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
  }

  func name(of address: UInt64) -> String? {
    let next = entries.partitioningIndex { $0.start > address }
    guard next > 0, entries[next - 1].end > address else { return nil }
    return entries[next - 1].name
  }
}
