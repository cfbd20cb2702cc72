import PerfData

/// Where the fields are that all samples of Lull's own events have, in bytes from the record's start.
struct SamplePlaces {
  let id: UInt64
  let pid: UInt64
  let tid: UInt64
  let time: UInt64
  /// What comes behind them: the callchain's length, or the raw payload's size.
  let rest: UInt64
  /// The raw payload, where there is no callchain.
  let raw: UInt64

  init(_ fields: SampleFields) {
    let offsets = SampleOffsets(samplesOf: SampleLayout(fields))
    func place(_ part: SamplePart) -> UInt64 { UInt64(8 + (offsets[part] ?? 0)) }
    (id, pid, tid, time) = (place(.identifier), place(.pid), place(.tid), place(.time))
    rest = UInt64(8 + offsets.size)
    raw = rest + UInt64(SamplePart.rawSize.width)
  }
}

/// Where the fields are with which all other records of Lull's own events end, in bytes from the record's end.
struct TrailerPlaces {
  let id: UInt64
  let pid: UInt64
  let tid: UInt64
  let time: UInt64
  /// All of them.
  let size: UInt64

  init() {
    let offsets = SampleOffsets(trailersOf: .base)
    func place(_ part: SamplePart) -> UInt64 { UInt64(offsets.size - (offsets[part] ?? 0)) }
    (id, pid, tid, time) = (place(.identifier), place(.pid), place(.tid), place(.time))
    size = UInt64(offsets.size)
  }
}
