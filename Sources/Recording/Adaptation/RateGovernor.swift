import PerfData

/// Turns sources to sampling while their rates would slow the target down, and does what else keeps a busy target fast.
///
/// What is done for one that switches or calls the kernel very often is in `RateGovernorSlicing`.
final class RateGovernor {
  /// When a new program last made sources be recorded whole.
  private var lastProgram: UInt64 = 0
  /// From when on events of the task that can be done without are closed.
  var busySince = UInt64.max
  var slices = SliceClock()
  var takeover: CPUWideTakeover
  /// Counts transfers by process, where the kernel lets us.
  let transfers: TransferCounter?
  var switches = EventRate(EventRate.switches)
  var calls = EventRate(EventRate.systemCalls)
  var lastEvaluation: UInt64 = 0
  let writes: WriteCalls
  /// The calls that wrote, at the end.
  private var written: UInt64?

  var states = AdaptiveSource.allCases.map(SourceState.init)
  let events: EventSet
  private var list = SpanList<CaptureEvent.SampledSpan>()
  /// Called when a source changes over.
  var onChange: ((_ source: String, _ isSampled: Bool, _ time: UInt64) -> Void)?
  /// Why something was not recorded to the end.
  var stopped: [Purpose: String] = [:]

  /// New programs make sources be recorded whole once in so long at most: a burst of 10,000 then takes 4 % of a CPU.
  private static let programNanoseconds: UInt64 = 250_000_000

  init(events: EventSet, writes: WriteCalls, transfers: TransferCounter?) {
    self.events = events
    self.transfers = transfers
    self.writes = writes
    takeover = CPUWideTakeover(isPossible: events.canBeTakenOver)
    for (index, opened) in events.events.enumerated()
    where !opened.ids.isEmpty && opened.spec.replaced == nil {
      for source in states.indices { states[source].add(index, opened.spec) }
    }
  }

  subscript(source: AdaptiveSource) -> SourceState {
    get { states[source.rawValue] }
    set { states[source.rawValue] = newValue }
  }

  // MARK: - What the drain asks and tells

  /// Whether a record counts of one of a source's two events.
  @inline(__always)
  func keeps(_ source: Int, isSample: Bool, time: UInt64) -> Bool {
    states[source].keeps(isSample: isSample, time: time)
  }

  /// Counts a record of either event of a source.
  @inline(__always)
  func note(_ source: Int, isSample: Bool) { states[source].note(isSample: isSample) }

  /// Counts a record of another program, which costs as much.
  @inline(__always)
  func noteForeign(_ source: Int, weight: UInt64) {
    states[source].noteForeign()
    if source == AdaptiveSource.systemCalls.rawValue { calls.events += Double(weight) }
  }

  /// Counts a SWITCH record; a wait makes two.
  @inline(__always)
  func noteSwitch() { switches.events += 1 }

  /// Counts the end of a system call that stands for so many.
  func noteCall(_ count: UInt64, isWrite: Bool, time: UInt64) {
    calls.events += Double(count)
    if isWrite { slices.noteWrites(count, at: time) }
  }

  /// Whether a record counts of an event that is not wanted all the time.
  @inline(__always)
  func keeps(_ phase: EventSpec.Phase, time: UInt64) -> Bool {
    switch phase {
    case .always: true
    case .untilBusy: time < busySince
    case .onceBusy: time >= busySince
    case .untilTakeover: time < takeover.since
    case .afterTakeover: time >= takeover.since
    }
  }

  /// Whether the rings hold records of all programs.
  var hearsAll: Bool { takeover.isDone }

  // MARK: - Looking at the rates

  /// When the recorder has to look again at the latest.
  var nextChange: UInt64 { slices.next }

  var isInSlice: Bool { slices.isSlicing && slices.isRecording }
  var isBetweenSlices: Bool { slices.isSlicing && !slices.isRecording }

  /// Looks at the rates and changes over what has to be; call after each drain, with what changed before it.
  ///
  /// True when everything is recorded again.
  func evaluate(now: UInt64, after change: SliceChange?) -> Bool {
    considerEventWaits(now)
    // Between two slices there is nothing to judge by.
    if !isBetweenSlices || change == .ended {
      considerStopping(now)
      for source in AdaptiveSource.allCases where self[source].sampledEvent != nil {
        if !self[source].isSampled {
          if self[source].isOverLimit(now: now) { sample(source) }
        } else if !slices.isSlicing || !self[source].isHeldSampled {
          if self[source].isCalm(now: now) { recordWhole(source) }
        }
      }
    }
    let isWhole = considerSlicing(now)
    considerTakeover(now)
    return isWhole
  }

  /// Jobs cannot be sampled; they are recorded or not.
  private func considerStopping(_ now: UInt64) {
    guard stopped[.concurrency] == nil, self[.jobs].wholeEvent != nil,
      self[.jobs].isOverLimit(now: now)
    else { return }
    endJobs(
      "at \(Int(self[.jobs].perSecond)) jobs a second, recording them would have taken more than 2 % of a CPU; it was ended"
    )
  }

  /// Takes the probes of jobs out of the target, once and for all.
  func endJobs(_ reason: String) {
    let probes = events.events.indices.filter {
      events.events[$0].spec.purpose == .concurrency && !events.events[$0].ids.isEmpty
    }
    guard stopped[.concurrency] == nil, !probes.isEmpty else { return }
    events.close(probes)
    stopped[.concurrency] = reason
  }

  /// Ends of event waits are recorded while stacks are sampled, until they come too fast themselves.
  private func considerEventWaits(_ now: UInt64) {
    guard self[.eventWaits].isSampled, self[.eventWaits].isOverLimit(now: now) else { return }
    recordEventWaits(false, from: now)
  }

  /// Follows the source of stacks, whose waits without a stack they tell.
  func recordEventWaits(_ isWanted: Bool, from now: UInt64) {
    self[.eventWaits].accompany(isWanted, from: now, events)
  }

  func sample(_ source: AdaptiveSource) {
    guard let moment = self[source].sample(events, transfers) else { return }
    if source == .stacks { recordEventWaits(true, from: moment) }
    onChange?(self[source].name, true, moment)
  }

  private func recordWhole(_ source: AdaptiveSource) {
    guard let moment = self[source].recordWhole(events, transfers) else { return }
    endSpan(source, until: moment)
    if source == .stacks, !switches.isHigh { recordEventWaits(false, from: moment) }
    onChange?(self[source].name, false, moment)
  }

  private func endSpan(_ source: AdaptiveSource, until: UInt64) {
    if let span = self[source].endSpan(until: until, events, transfers) { list.append(span) }
  }

  /// Whether anything is sampled that a new program would make be recorded whole.
  var isSampling: Bool { !slices.isSlicing && states.contains(where: \.isSampling) }

  /// A program begins: the rate of others before it says nothing of its own, so all is recorded until that is too much again.
  func programBegan(now: UInt64) {
    guard isSampling, now &- lastProgram >= Self.programNanoseconds else { return }
    lastProgram = now
    for source in AdaptiveSource.allCases where self[source].isSampling { recordWhole(source) }
  }

  // MARK: - What is told at the end

  /// Ends the spans that are still open, at the end of the recording.
  func finish(now: UInt64) {
    written = writes.total
    slices.end(at: now, writeCalls: written)
    for span in slices.spans {
      let names = events.events.filter {
        $0.spec.cost.isSliced && $0.spec.variant == .plain && !$0.ids.isEmpty
      }.map(\.spec.name)
      for name in Set(names).sorted() {
        list.append(
          .init(
            source: name, fromNs: span.fromNs, toNs: span.toNs,
            period: UInt64(max(1, span.weight.rounded()))))
      }
    }
    for source in AdaptiveSource.allCases where self[source].isSampling {
      endSpan(source, until: now)
    }
  }

  /// Spans in which a source was sampled.
  var spans: [CaptureEvent.SampledSpan] { list.spans }

  /// Spans of which slices were recorded.
  var sliceSpans: [CaptureEvent.Slices] { slices.spans }

  /// The exact totals of what is counted whether or not it is recorded.
  var exactCounts: [CaptureEvent.ExactCount] {
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
