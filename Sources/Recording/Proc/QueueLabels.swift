import PerfData

/// The labels of the serial dispatch queues that a process has already made, found by looking through its memory.
enum QueueLabels {
  /// What is looked through at most, and taken at once.
  private static let mostBytes: UInt64 = 1 << 30
  private static let pieceBytes: UInt64 = 1 << 20
  private static let mostQueues = 4096

  /// Of a process whose memory may be read; empty where that is not so, or where it has no libdispatch that is known.
  static func labels(pid: Int32) -> [QueueEvent] {
    guard let memory = ProcessMemory(of: pid) else { return [] }
    let mappings = MemoryMapping.all(of: pid)
    guard let layout = QueueLayout(pid: pid, mappings, memory) else { return [] }
    var found: [QueueEvent] = []
    var left = mostBytes
    for mapping in mappings where mapping.isWritable && isHeap(mapping.path) {
      for start in stride(from: mapping.start, to: mapping.end, by: Int(pieceBytes)) {
        let count = min(pieceBytes, mapping.end - start)
        guard left >= count, found.count < mostQueues else { return found }
        left -= count
        // An object may lie across the end.
        let bytes = memory.read(start, Int(count) + QueueLayout.objectBytes)
        for place in places(of: layout.table, in: bytes, before: Int(count)) {
          guard let address = ProcessMemory.word(bytes, at: place + layout.labelOffset),
            let label = memory.text(address), !label.isEmpty
          else { continue }
          found.append(
            QueueEvent(
              address: start + UInt64(place), label: String(decoding: label, as: UTF8.self)))
        }
      }
    }
    return found
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
}
