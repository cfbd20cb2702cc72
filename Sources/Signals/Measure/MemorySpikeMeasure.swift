import Quantities
import TraceModel

/// Finds memory that was there for a moment only.
enum MemorySpikeMeasure {
  /// Turns with fewer readings in and around them are not seen into.
  static func measure(_ footprints: [Footprint], turns: [Turn], in subject: SubjectView)
    -> [MemorySpike]
  {
    guard footprints.count >= 3 else { return [] }
    let times = footprints.map(\.time)
    var spikes: [MemorySpike] = []
    for turn in turns {
      // The reading at or before its beginning, and the first at or after its end.
      let begin = max(0, times.partitioningIndex { $0 > turn.start } - 1)
      let end = min(times.partitioningIndex { $0 > turn.end }, footprints.count - 1)
      guard begin < end else { continue }
      let before = footprints[begin].sample
      let after = footprints[end].sample
      let peak = FootprintPeak.of(footprints[begin...end].lazy.map(\.sample))
      guard peak > after.footprint, peak > before.footprint else { continue }
      spikes.append(
        MemorySpike(
          time: subject.time(turn.start), beforeBytes: before.footprint, peakBytes: peak,
          afterBytes: after.footprint))
    }
    return Array(
      spikes.sorted { $0.peakBytes - $0.afterBytes > $1.peakBytes - $1.afterBytes }
        .prefix(20))
  }
}
