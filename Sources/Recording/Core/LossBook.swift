import PerfData

/// Keeps when records were lost, of which the trace itself tells only when it became known: what was done in such a
/// time is not told whole.
///
/// A recorder that did not get to run for a while loses what came after its buffers were full, and learns of that in
/// its next round.
final class LossBook: RecordingSource {
  private typealias Mark = (time: UInt64, told: UInt64)

  private let sources: [any RecordingSource]
  private let rings: RingDrain
  /// How many records each has lost, as far as that is told.
  private var counts: [UInt64]
  private var started: UInt64 = 0
  /// The round before this one, and the one before that.
  private var lastRounds: (Mark, Mark) = ((0, 0), (0, 0))
  private var list = SpanList<CaptureEvent.LostSpan>()

  /// It comes after these in a recording's list.
  init(of sources: [any RecordingSource], rings: RingDrain) {
    self.sources = sources
    self.rings = rings
    counts = sources.map(\.lostRecords)
  }

  func start(at time: UInt64) {
    started = time
    lastRounds = ((time, 0), (time, 0))
  }

  func collect(_ round: Round) {
    note(round)
    lastRounds = ((round.now, told(round)), lastRounds.0)
  }

  func endPart(_ round: Round) { note(round) }

  func beginPart(_ round: Round) { list = SpanList() }

  func finish(_ ending: RecordingEnding, _ round: Round) { note(round) }

  /// How many records there are by now.
  private func told(_ round: Round) -> UInt64 { UInt64(rings.records + round.sink.records) }

  private func note(_ round: Round) {
    for (index, source) in sources.enumerated() {
      let beginning = source.takeLossBeginning()
      let count = source.lostRecords
      guard count > counts[index] else { continue }
      let from = max(min(beginning ?? lastRounds.0.time, lastRounds.0.time), started)
      // Of an earlier beginning it is not known how much was told since: little, for the buffers were full.
      let before = from < lastRounds.0.time ? lastRounds.1 : lastRounds.0
      list.append(
        .init(
          from: from, to: round.now, lost: count - counts[index],
          told: told(round) &- before.told))
      counts[index] = count
    }
  }

  func describe(_ summary: inout RecordingSummary) {
    summary.capture.lost = list.spans.isEmpty ? nil : list.spans
  }
}

extension CaptureEvent.LostSpan: MergeableSpan {
  /// Of a time in which so many were recorded beside those that were lost.
  init(from: UInt64, to: UInt64, lost: UInt64, told: UInt64) {
    let share = Double(lost) / Double(max(1, lost &+ told))
    self.init(
      fromNs: from, toNs: to, records: lost, untoldNs: UInt64(Double(to &- from) * share))
  }

  static var most: Int { 50 }
  var source: String { "" }
  var details: Int { 0 }

  func dropDetails() {}

  func merged(with later: Self) -> Self {
    .init(
      fromNs: min(fromNs, later.fromNs), toNs: max(toNs, later.toNs),
      records: records &+ later.records, untoldNs: untoldNs &+ later.untoldNs)
  }
}
