import Glibc
import PerfData

/// The labels of the serial dispatch queues that a process has already made, read from its memory.
///
/// Where a queue keeps its label libdispatch does not promise. But it makes one queue whose label is known, the main
/// one, whose address it exports: where that queue's object holds the address of that label, others hold theirs. Which
/// objects are queues is told by their first word, which is the address of libdispatch's table of a queue's functions;
/// the main queue's must be so, too. Where any of it is otherwise, no queue is named.
struct QueueLabels {
  private static let mainQueue = "_dispatch_main_q"
  private static let mainLabel = Array("com.apple.main-thread".utf8)
  private static let mainTable = "__OS_dispatch_queue_main_vtable"
  private static let serialTable = "__OS_dispatch_queue_serial_vtable"

  /// An object is smaller; so much is looked through for the label's place.
  private static let objectBytes = 256
  /// What is looked through at most, and taken at once.
  private static let mostBytes: UInt64 = 1 << 30
  private static let pieceBytes: UInt64 = 1 << 20
  private static let mostQueues = 4096
  private static let longestLabel = 256

  /// A line of /proc/PID/maps.
  private struct Mapping {
    var start: UInt64
    var end: UInt64
    var isWritable: Bool
    var fileOffset: UInt64
    var path: Substring
  }

  private let memory: OwnedDescriptor

  /// Of a process whose memory may be read; empty where that is not so, or where it has no libdispatch that is known.
  static func labels(pid: Int32) -> [QueueEvent] {
    guard let memory = OwnedDescriptor(opening: "/proc/\(pid)/mem") else { return [] }
    return QueueLabels(memory: memory).labels(pid)
  }

  private func labels(_ pid: Int32) -> [QueueEvent] {
    let mappings = Self.mappings(KernelFile.text("/proc/\(pid)/maps") ?? "")
    guard let (table, offset) = layout(mappings, pid) else { return [] }
    var found: [QueueEvent] = []
    var left = Self.mostBytes
    for mapping in mappings where mapping.isWritable && Self.isHeap(mapping.path) {
      for start in stride(from: mapping.start, to: mapping.end, by: Int(Self.pieceBytes)) {
        let count = min(Self.pieceBytes, mapping.end - start)
        guard left >= count, found.count < Self.mostQueues else { return found }
        left -= count
        // An object may lie across the end.
        let bytes = read(start, Int(count) + Self.objectBytes)
        for place in Self.places(of: table, in: bytes, before: Int(count)) {
          guard let address = Self.word(bytes, at: place + offset), let label = text(address),
            !label.isEmpty
          else { continue }
          found.append(
            QueueEvent(
              address: start + UInt64(place), label: String(decoding: label, as: UTF8.self)))
        }
      }
    }
    return found
  }

  /// The address of serial queues' table of functions, and where in a queue the address of its label stands.
  private func layout(_ mappings: [Mapping], _ pid: Int32) -> (table: UInt64, offset: Int)? {
    let program = KernelFile.link("/proc/\(pid)/exe").map { $0[...] }
    let candidates = mappings.filter {
      $0.fileOffset == 0 && ($0.path.hasSuffix("/libdispatch.so") || $0.path == program)
    }
    for mapping in candidates {
      let path =
        mapping.path == program ? "/proc/\(pid)/exe" : "/proc/\(pid)/root" + mapping.path
      let objects =
        ElfFile(path: path)?.objects(named: [Self.mainQueue, Self.mainTable, Self.serialTable])
        ?? [:]
      guard let main = objects[Self.mainQueue], let mainTable = objects[Self.mainTable],
        let serialTable = objects[Self.serialTable]
      else { continue }
      let bytes = read(mapping.start &+ main, Self.objectBytes)
      guard Self.word(bytes, at: 0) == mapping.start &+ mainTable else { return nil }
      let places = stride(from: 8, to: bytes.count, by: 8).filter {
        Self.word(bytes, at: $0).flatMap(text) == Self.mainLabel
      }
      guard let offset = places.first, places.count == 1 else { return nil }
      return (mapping.start &+ serialTable, offset)
    }
    return nil
  }

  /// Where an aligned word stands.
  static func places(of word: UInt64, in bytes: [UInt8], before end: Int) -> [Int] {
    bytes.withUnsafeBytes { all in
      var places: [Int] = []
      var place = 0
      let last = min(end, all.count - 7)
      while place < last {
        if all.loadUnaligned(fromByteOffset: place, as: UInt64.self) == word.littleEndian {
          places.append(place)
        }
        place += 8
      }
      return places
    }
  }

  /// What malloc gives out.
  private static func isHeap(_ path: Substring) -> Bool {
    path.isEmpty || path == "[heap]" || path.hasPrefix("[anon")
  }

  private static func mappings(_ text: String) -> [Mapping] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 5)
      guard fields.count >= 5 else { return nil }
      let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard ends.count == 2, ends[0] < ends[1], let offset = UInt64(fields[2], radix: 16) else {
        return nil
      }
      return Mapping(
        start: ends[0], end: ends[1], isWritable: fields[1].hasPrefix("rw"), fileOffset: offset,
        path: fields.count > 5 ? fields[5].drop { $0 == " " } : "")
    }
  }

  private static func word(_ bytes: [UInt8], at place: Int) -> UInt64? {
    guard place >= 0, place + 8 <= bytes.count else { return nil }
    return bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
  }

  /// The C string at an address; nil where there is none of a label's length.
  private func text(_ address: UInt64) -> [UInt8]? {
    let bytes = read(address, Self.longestLabel)
    return bytes.firstIndex(of: 0).map { Array(bytes[..<$0]) }
  }

  /// As much as there is of a process's memory from an address on.
  private func read(_ address: UInt64, _ count: Int) -> [UInt8] {
    guard let place = off_t(exactly: address), place > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let used = bytes.withUnsafeMutableBytes {
      pread(memory.number, $0.baseAddress, $0.count, place)
    }
    bytes.removeLast(bytes.count - max(0, used))
    return bytes
  }
}
