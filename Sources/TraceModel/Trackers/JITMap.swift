import PerfData
import Quantities

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Names of the code that a process made itself, as it wrote them for perf.
struct JITMap {
  private struct Entry {
    var start: UInt64
    var end: UInt64
    var name: String
  }

  private var entries: [Entry] = []
  /// Larger files are not read, in bytes.
  private static let largest = 64 << 20

  /// `/tmp/perf-PID.map`, which V8, the JVM's agents, .NET and others write
  /// (tools/perf/Documentation/jit-interface.txt).
  init(pid: Int32) {
    for line in Self.contents(of: "/tmp/perf-\(pid).map").split(separator: 10) {
      let fields = line.split(separator: 0x20, maxSplits: 2)
      guard fields.count == 3, let start = Self.number(fields[0]),
        let size = Self.number(fields[1])
      else { continue }
      add(start, size, String(decoding: fields[2], as: UTF8.self))
    }
    sort()
  }

  /// A `jit-PID.dump` of this machine's byte order, which a process maps for perf to know of it
  /// (tools/perf/Documentation/jitdump-specification.txt).
  init(dump path: String) {
    let bytes = Self.contents(of: path)
    // "JiTD", version, and at 8 the size of the header.
    guard Bytes.u32(bytes, 0) == 0x4a69_5444, var at = Bytes.u32(bytes, 8).map({ Int($0) }) else {
      return
    }
    var names: [UInt64: String] = [:]
    while let kind = Bytes.u32(bytes, at), let size = Bytes.u32(bytes, at + 4).map({ Int($0) }),
      size >= 16, size <= bytes.count - at
    {
      // A header of 16 bytes, two ids and an address; then its place, its size and its number.
      switch kind {
      case 0 where size > 56:
        let name = String(
          decoding: bytes[(at + 56)..<(at + size)].prefix { $0 != 0 }, as: UTF8.self)
        if let start = Bytes.u64(bytes, at + 32), let length = Bytes.u64(bytes, at + 40),
          let number = Bytes.u64(bytes, at + 48)
        {
          names[number] = name
          add(start, length, name)
        }
      case 1 where size >= 64:
        // Moved: the old place, the new one.
        if let start = Bytes.u64(bytes, at + 40), let length = Bytes.u64(bytes, at + 48),
          let number = Bytes.u64(bytes, at + 56), let name = names[number]
        {
          add(start, length, name)
        }
      default: break
      }
      at += size
    }
    sort()
  }

  /// Whether a mapped file is a process's `jit-PID.dump`.
  static func isDump(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name.hasPrefix("jit-") && name.hasSuffix(".dump")
  }

  private mutating func add(_ start: UInt64, _ size: UInt64, _ name: String) {
    let (end, isOver) = start.addingReportingOverflow(size)
    if size > 0, !isOver { entries.append(Entry(start: start, end: end, name: name)) }
  }

  /// Of two at one address the later one is what stands there now.
  private mutating func sort() {
    entries = entries.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }.map(\.element)
  }

  /// What is in a file of this process's user, or of root, as perf asks for: anybody may put one into /tmp.
  private static func contents(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == 0 || status.st_uid == geteuid() || geteuid() == 0,
      status.st_size <= largest
    else { return [] }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let result = bytes.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      guard result > 0 else { break }
      count += result
    }
    return Array(bytes[..<count])
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
