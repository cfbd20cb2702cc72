import PerfData

/// The labels of the serial dispatch queues that a process has already made, found by looking through its memory.
enum QueueLabels {
  /// What is looked through at most, of what was ever touched, and taken at once: a third of a second's work.
  static let mostBytes: UInt64 = 1 << 30
  private static let pieceBytes: UInt64 = 1 << 20
  private static let mostQueues = 4096

  /// Of a process whose memory may be read; empty where that is not so, or where it has no libdispatch that is known.
  static func labels(pid: Int32, in mostBytes: UInt64 = mostBytes) -> [QueueEvent] {
    guard let memory = ProcessMemory(of: pid) else { return [] }
    let mappings = MemoryMapping.all(of: pid)
    guard let layout = QueueLayout(pid: pid, mappings, memory) else { return [] }
    var found: [QueueEvent] = []
    // To read what was never touched takes as long, and gives the process page tables for it.
    let pages = PageMap(of: pid)
    var left = mostBytes
    for mapping in inOrderOfLikelihood(mappings) {
      let pieces = stride(from: mapping.start, to: mapping.end, by: Int(pieceBytes)).map {
        $0..<min($0 + pieceBytes, mapping.end)
      }
      let held = pieces.map { pages?.holdsAny(of: $0) ?? true } + [false]
      for (index, piece) in pieces.enumerated() where held[index] {
        let (start, count) = (piece.lowerBound, UInt64(piece.count))
        guard left >= count, found.count < mostQueues else { return found }
        left -= count
        // An object may lie across the end.
        let bytes = memory.read(
          start, Int(count) + (held[index + 1] ? QueueLayout.objectBytes : 0))
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

  /// What malloc gives out: small objects first, which a server's large buffers may lie below.
  static func inOrderOfLikelihood(_ mappings: [MemoryMapping]) -> [MemoryMapping] {
    var heap: [MemoryMapping] = []
    var arenas: [MemoryMapping] = []
    var others: [MemoryMapping] = []
    for mapping in mappings where mapping.isWritable {
      if mapping.path == "[heap]" {
        heap.append(mapping)
      } else if mapping.path.isEmpty || mapping.path.hasPrefix("[anon") {
        if mapping.start % arenaBytes == 0 {
          arenas.append(mapping)
        } else {
          others.append(mapping)
        }
      }
    }
    return heap + arenas + others
  }

  /// At whose multiples glibc's other arenas than the first begin (`HEAP_MAX_SIZE`).
  private static let arenaBytes: UInt64 = 64 << 20
}
