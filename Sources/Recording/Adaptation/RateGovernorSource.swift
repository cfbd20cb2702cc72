import PerfData

/// The governor as a source: it has no events of its own, but looks at the rates of those that were collected.
extension RateGovernor: RecordingSource {
  /// Early on the rates are looked at often: a busy program is busy from its start. So they are while one is sampled,
  /// whose successor is not to be.
  private static let eagerNanoseconds: UInt64 = 500_000_000
  private static let eagerWait: UInt64 = 10_000_000
  /// Between two slices it is seen in time that the program pauses.
  private static let pauseWait: UInt64 = 25_000_000

  func start(at time: UInt64) { started = time }

  func nextDue(now: UInt64) -> UInt64 {
    if isBetweenSlices { return min(slices.next, now + Self.pauseWait) }
    let isEager = now &- started < Self.eagerNanoseconds || isSampling
    return isEager && !isInSlice ? min(slices.next, now + Self.eagerWait) : slices.next
  }

  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    switch observation {
    case .processBegan(let pid, let parent, _):
      writes.created(pid, by: parent)
      programs.began(pid, by: parent)
      transfers?.began(pid)
    case .processEnded(let pid, let time):
      writes.ended(pid, at: time)
      programs.ended(pid)
      transfers?.ended(pid)
    case .processExecuted(let pid, _, _):
      programs.executed(pid)
      if !round.isLast { programBegan(now: SystemInfo.monotonicNanoseconds()) }
    default: break
    }
  }

  func collect(_ round: Round) throws(PerfDataError) {
    if !round.isLast, evaluate(now: round.now) { round.tell([.gap]) }
    // At once, for a recording that is killed.
    for change in changes {
      let text = "{\"sampled\":\(change.isSampled),\"source\":\"\(change.source)\"}"
      try round.sink.append(.source, raw: Array(text.utf8), pid: pid, time: change.time)
    }
    changes.removeAll(keepingCapacity: true)
  }

  /// What is sampled is recorded whole for a moment, so that each span is of one part.
  func endPart(_ round: Round) throws(PerfDataError) {
    for source in AdaptiveSource.allCases where self[source].isSampling { recordWhole(source) }
    if endSlices() { round.tell([.gap]) }
    endSpans(now: round.now)
  }

  func beginPart(_ round: Round) throws(PerfDataError) {
    list = SpanList()
    slices.forgetSpans()
    counted = Dictionary(totals.map { ($0.source, $0.count) }) { $1 }
  }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    endSpans(now: round.now)
  }

  var unavailable: [CaptureEvent.Unavailable] {
    stopped.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { CaptureEvent.Unavailable($0.key, $0.value) }
  }

  func describe(_ summary: inout RecordingSummary) {
    guard summary.capture.complete else { return describeSoFar(&summary) }
    summary.capture.sampled = list.spans
    summary.capture.exactCounts = exactCounts
    summary.capture.slices = slices.spans.isEmpty ? nil : slices.spans
  }

  /// Ends the spans that are still open, at the end of the recording.
  private func endSpans(now: UInt64) {
    written = writes.total
    slices.end(at: now, writeCalls: written)
    for span in sampled(by: slices.spans) { list.append(span) }
    for source in AdaptiveSource.allCases where self[source].isSampling {
      if let span = self[source].endSpan(until: now, events, transfers) { list.append(span) }
    }
  }

  /// What was recorded in slices, source by source.
  func sampled(by slices: [CaptureEvent.Slices]) -> [CaptureEvent.SampledSpan] {
    let names = events.events.filter {
      $0.spec.cost.isSliced && $0.spec.variant == .plain && !$0.ids.isEmpty
    }.map(\.spec.name)
    return slices.flatMap { span in
      Set(names).sorted().map {
        .init(
          source: $0, fromNs: span.fromNs, toNs: span.toNs,
          period: UInt64(max(1, span.weight.rounded())))
      }
    }
  }

  /// What was counted in this part, whether or not it was recorded.
  private var exactCounts: [CaptureEvent.ExactCount] {
    totals.map { .init(source: $0.source, count: $0.count &- (counted[$0.source] ?? 0)) }
  }

  /// The exact totals since the recording began.
  private var totals: [CaptureEvent.ExactCount] {
    var counts = states.compactMap { state -> CaptureEvent.ExactCount? in
      // What is sliced does not count between two slices.
      if state.source.isSliced, !slices.spans.isEmpty { return nil }
      return state.exactCount(events, wasTakenOver: takeover.isDone)
    }
    if let written {
      counts.append(.init(source: CaptureEvent.ExactCount.writeCalls, count: written))
    }
    return counts
  }
}
