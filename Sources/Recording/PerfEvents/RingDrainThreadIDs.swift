import PerfData

/// What the drain does in a PID namespace besides all else.
extension RingDrain {
  /// The recorded thread that a tracepoint's field names.
  @inline(__always)
  func named(_ kernelTid: Int32) -> Int32 {
    isNamespaced ? kernelThreadIDs.tid(of: kernelTid) : kernelTid
  }

  /// Learns the ids of recorded threads from what has come into the rings since each was searched up to `starts`.
  func learnThreadIDs(from starts: [UInt64]) {
    for (ring, start) in zip(events.rings, starts) {
      ring.walk(from: start, to: ring.searched) { at, type, _ in
        switch type {
        case RecordType.sample: learnThreadIDs(ring, at)
        case RecordType.fork where threads.contains(ring.signed(at + 16)):
          kernelThreadIDs.began(
            ring.signed(at + 16), by: ring.signed(at + 20), at: ring.word(at + 24))
        default: break
        }
      }
    }
    kernelThreadIDs.endRound()
  }

  private func learnThreadIDs(_ ring: PerfRing, _ at: UInt64) {
    let source = source(ring.word(at + places.id))
    guard let maker = source.maker else { return }
    let at = at + source.shift
    let tid = ring.signed(at + places.tid)
    guard threads.contains(tid) else { return }
    var raw = at + places.raw
    // The callchain comes before it.
    if source.hasCallchain { raw += 8 + 8 * min(ring.word(at + places.rest), 1024) }
    kernelThreadIDs.learn(tid, is: ring.signed(raw + maker))
    if case .newThread = source.payload {
      kernelThreadIDs.firstWoken(
        ring.signed(raw + source.first), by: tid, at: ring.word(at + places.time))
    }
  }
}
