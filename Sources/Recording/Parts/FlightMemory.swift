import PerfData

/// The last parts of a recording, in memory.
final class FlightMemory: RecordTarget {
  /// A part: what stood as it began, and its records.
  struct Part {
    var began: UInt64
    /// Empty of the recording's first part, whose records tell of its beginning.
    var standing: [UInt8]
    var chunks: [[UInt8]] = []
    var count = 0
    /// What is told of it, once it has ended.
    var capture: CaptureEvent?
  }

  /// Records are appended to what is smaller, so that what is looked at elsewhere meanwhile is not copied whole.
  private static let chunkBytes = 256 << 10

  /// From the oldest to the one that is recorded.
  private(set) var parts: [Part]
  private(set) var dataBytes: UInt64 = 0
  private let length: UInt64
  private let limit: Int

  /// Keeps at least `length` nanoseconds, as long as they have no more than `limit` bytes.
  init(length: UInt64, limit: Int, now: UInt64) {
    self.length = length
    self.limit = limit
    parts = [Part(began: now, standing: [])]
  }

  /// Those that have ended.
  var ended: ArraySlice<Part> { parts.dropLast() }

  /// Bytes in memory.
  var count: Int { parts.reduce(0) { $0 + $1.count + $1.standing.count } }

  /// What is recorded is so large that the next part is to begin: with eight of them the oldest can be let go.
  var isLarge: Bool { (parts.last?.count ?? 0) >= limit / 8 }

  func append(_ bytes: UnsafeRawBufferPointer) {
    dataBytes += UInt64(bytes.count)
    let last = parts.count - 1
    parts[last].count += bytes.count
    if let size = parts[last].chunks.last?.count, size + bytes.count <= Self.chunkBytes {
      parts[last].chunks[parts[last].chunks.count - 1] += bytes
    } else {
      parts[last].chunks.append(Array(bytes))
    }
  }

  /// The next part begins; what is too old, or too much, is let go.
  func beginPart(at now: UInt64, ending capture: CaptureEvent, standing: [UInt8]) {
    parts[parts.count - 1].capture = capture
    parts.append(Part(began: now, standing: standing))
    while parts.count > 2, now &- parts[1].began >= length || count > limit {
      parts.removeFirst()
    }
  }
}
