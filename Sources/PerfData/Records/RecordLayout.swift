/// Where the fields common to all records are in those of one attribute.
///
/// Offsets count bytes from the body's start in samples and from the record's end in others; -1 is none.
struct RecordLayout {
  var tid = -1
  var time = -1
  var cpu = -1
  /// Bytes of a record, its header included, that hold all of them.
  var least = 8
  var trailerTid = -1
  var trailerTime = -1
  var trailerCPU = -1
  var trailerSize = 0

  /// Of records that tell none of them.
  init() {}

  init(_ layout: SampleLayout) {
    let sample = SampleOffsets(samplesOf: layout)
    tid = sample[.pid] ?? -1
    time = sample[.time] ?? -1
    cpu = sample[.cpu] ?? -1
    let last = max(tid, time, cpu)
    if last >= 0 { least = 8 + last + 8 }
    guard layout.hasTrailer else { return }
    let trailer = SampleOffsets(trailersOf: layout)
    trailerSize = trailer.size
    trailerTid = trailer[.pid].map { trailer.size - $0 } ?? -1
    trailerTime = trailer[.time].map { trailer.size - $0 } ?? -1
    trailerCPU = trailer[.cpu].map { trailer.size - $0 } ?? -1
  }
}
