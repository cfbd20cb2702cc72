import PerfData

/// Turns a source to sampling while its rate would slow the target down.
///
/// Every event of a source is recorded by one kernel event, one of many by another. The second
/// one counts exactly all the time, and its records are kept only while the first is off, so
/// totals are exact and no event is lost or counted twice at a change.
final class RateGovernor {
  struct State {
    var fullEvent: Int?
    var sampledEvent: Int?
    var name = ""
    var period: UInt64 = 1
    var tokens: Double
    var lastRefill: UInt64 = 0
    /// Records since the last look.
    var records: UInt64 = 0
    var windowStart: UInt64 = 0
    var lastHigh: UInt64 = 0
    var isSampled = false
    /// The latest time in which records of the sampling event are kept.
    var since = UInt64.max
    var until = UInt64.max
    /// Its samples in that time, and its count before.
    var samples: UInt64 = 0
    var countBefore: UInt64 = 0
    /// What it tells is counted by `TransferCounter` in that time.
    var isCounted = false
    /// All that happened in such times before, and the records of the full event outside of them.
    var sampledCount: UInt64 = 0
    var recorded: UInt64 = 0
  }

  /// When a new program last made sources be recorded whole.
  var lastProgram: UInt64 = 0
  /// From when on events of the task that can be done without are closed.
  var hecticSince = UInt64.max
  var slices = SliceClock()
  var standIns: StandIns
  /// Counts transfers by process, where the kernel lets us.
  let transfers: TransferCounter?
  var switches = EventRate(EventRate.switches)
  var calls = EventRate(EventRate.systemCalls)
  var lastEvaluation: UInt64 = 0
  let writes: WriteCalls
  /// The calls that wrote, at the end.
  var written: UInt64?

  var states: [State]
  let events: EventSet
  var list = SpanList<CaptureEvent.SampledSpan>()
  /// Called when a source changes over.
  var onChange: ((_ source: String, _ isSampled: Bool, _ time: UInt64) -> Void)?

  init(events: EventSet, writes: WriteCalls, transfers: TransferCounter?) {
    self.events = events
    self.transfers = transfers
    self.writes = writes
    standIns = StandIns(canTakeOver: events.canStandIn)
    states = AdaptiveSource.allCases.map { State(tokens: Self.limit($0).burst) }
    for (index, opened) in events.events.enumerated()
    where !opened.ids.isEmpty && opened.spec.standsInFor == nil {
      switch opened.spec.role {
      case .plain: break
      case .full(let source):
        states[source.rawValue].fullEvent = index
        states[source.rawValue].name = opened.spec.name
      case .sampled(let source):
        states[source.rawValue].sampledEvent = index
        states[source.rawValue].period = opened.spec.period
      }
    }
  }

  /// Whether a record counts of one of a source's two events: that which samples has its time, the other one all else.
  @inline(__always)
  func keeps(_ source: Int, isSample: Bool, time: UInt64) -> Bool {
    (time >= states[source].since && time < states[source].until) == isSample
  }

  /// Counts a record of either event of a source.
  @inline(__always)
  func note(_ source: Int, isSample: Bool) {
    states[source].records += 1
    if isSample { states[source].samples += 1 } else { states[source].recorded += 1 }
  }

  /// Counts a record of another program, which costs as much.
  @inline(__always)
  func noteForeign(_ source: Int, weight: UInt64) {
    states[source].records += 1
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
  func keeps(_ season: EventSpec.Season, time: UInt64) -> Bool {
    switch season {
    case .always: true
    case .calm: time < hecticSince
    case .hectic: time >= hecticSince
    case .beforeStandIns: time < standIns.since
    case .standIn: time >= standIns.since
    }
  }

  /// When the recorder has to look again at the latest.
  var nextChange: UInt64 { slices.next }

  /// Whether the rings hold records of all programs.
  var hearsAll: Bool { standIns.areOn }

  var isInSlice: Bool { slices.isSlicing && slices.isRecording }
  var isBetweenSlices: Bool { slices.isSlicing && !slices.isRecording }

  /// Spans in which a source was sampled.
  var spans: [CaptureEvent.SampledSpan] { list.spans }

  /// Spans of which slices were recorded.
  var sliceSpans: [CaptureEvent.Slices] { slices.spans }

  /// Looks at the rates and changes over what has to be; call after each drain, with what changed before it.
  ///
  /// True when everything is recorded again.
  func evaluate(now: UInt64, after change: SliceChange?) -> Bool {
    considerEventWaits(now)
    // Between two slices there is nothing to judge by.
    if !isBetweenSlices || change == .ended {
      considerStopping(now)
      for index in states.indices where states[index].sampledEvent != nil {
        if states[index].isSampled {
          if !slices.isSlicing || !isHeldSampled(index) { considerFull(index, now) }
        } else {
          considerSampling(index, now)
        }
      }
    }
    let isWhole = considerSlicing(now)
    considerStandIns(now)
    return isWhole
  }

  /// Why a signal was not recorded to the end.
  var stopped: [String: String] = [:]

  /// Ends the spans that are still open, at the end of the recording.
  func finish(now: UInt64) {
    written = writes.total
    slices.end(at: now, writeCalls: written)
    for span in slices.spans {
      let names = events.events.filter {
        $0.spec.isSliced && !$0.ids.isEmpty && !$0.spec.name.hasSuffix("/")
      }.map(\.spec.name)
      for name in Set(names).sorted() {
        list.append(
          .init(
            source: name, fromNs: span.fromNs, toNs: span.toNs,
            period: UInt64(max(1, span.weight.rounded()))))
      }
    }
    for index in states.indices
    where states[index].isSampled && states[index].sampledEvent != nil {
      endSpan(index, until: now)
    }
  }

  /// The exact totals of what is counted whether or not it is recorded.
  var exactCounts: [CaptureEvent.ExactCount] {
    var counts = states.compactMap { state -> CaptureEvent.ExactCount? in
      // What is sliced does not count between two slices.
      if let sampled = state.sampledEvent, events.events[sampled].spec.isSliced,
        !slices.spans.isEmpty
      {
        return nil
      }
      // By then its own event, which counted all the time, was closed.
      if standIns.areOn, state.isCounted {
        return .init(source: state.name, count: state.recorded &+ state.sampledCount)
      }
      return counted(state).map { .init(source: state.name, count: $0) }
    }
    if let written {
      counts.append(.init(source: CaptureEvent.ExactCount.writeCalls, count: written))
    }
    return counts
  }
}
