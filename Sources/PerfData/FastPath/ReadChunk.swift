/// The samples and ends of rounds with which a chunk begins, up to the first record that is something else, read while
/// another core was busy with what comes before.
final class ReadChunk: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: one core at a time has the chunk.

  /// Samples of ascending time, none perhaps, and where they stand.
  struct Run {
    /// Where the first of them is, and where what follows.
    let range: Range<Int>
    let samples: SampleLoop.Run
    /// What follows is the end of a round.
    let endsRound: Bool
  }

  fileprivate(set) var runs: [Run] = []
  /// The records of all runs, one after another.
  private(set) var records: UnsafeMutablePointer<OrderedRecord>
  /// How many records there is room for: at first as many as most chunks hold.
  fileprivate private(set) var capacity = ChunkGrid.bytes / 64

  init() { records = .allocate(capacity: capacity) }

  deinit { records.deallocate() }

  /// Has twice the room for what is read next.
  fileprivate func grow() {
    records.deallocate()
    capacity *= 2
    records = .allocate(capacity: capacity)
  }
}

/// Reads chunks for one core.
final class ChunkReader: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: one core at a time has the reader.

  /// So many samples must follow each other for the first one to be believed. A wrong one is found out, and costs time
  /// alone.
  private static let convincingRow = 3

  private let data: RecordData
  private let loop: SampleLoop

  init(_ data: RecordData, _ planTable: PlanTable) {
    self.data = data
    loop = SampleLoop(planTable)
  }

  /// Reads the samples of a range of offsets.
  func read(_ range: Range<Int>, to chunk: ReadChunk) {
    // What there was no room for is left to the core that orders.
    if chunk.runs.last?.samples.ending == .full { chunk.grow() }
    chunk.runs.removeAll(keepingCapacity: true)
    guard let first = first(in: range) else { return }
    var offset = first
    var kept = 0
    loop.running.forget()
    while true {
      let start = offset
      let samples = loop.read(
        data, &offset, before: range.upperBound, least: 0, to: chunk.records + kept,
        room: chunk.capacity - kept)
      let endsRound = samples.ending == .other && data.isRoundEnd(offset)
      chunk.runs.append(
        ReadChunk.Run(range: start..<offset, samples: samples, endsRound: endsRound))
      kept += samples.kept
      if endsRound {
        offset += RecordData.roundEndBytes
        loop.running.forget()
      } else if samples.ending != .older {
        return
      }
    }
  }

  /// Where the first sample seems to be.
  private func first(in range: Range<Int>) -> Int? {
    var offset = range.lowerBound
    while offset < min(range.upperBound, data.range.upperBound - 8) {
      if isConvincing(offset) { return offset }
      offset += 8
    }
    return nil
  }

  private func isConvincing(_ offset: Int) -> Bool {
    var offset = offset
    for _ in 0..<Self.convincingRow {
      guard let size = loop.planTable.sizeOfSample(data, at: offset) else { return false }
      offset += size
    }
    return true
  }
}
