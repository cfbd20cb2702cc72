import PerfData

/// Turns a source to sampling while its rate would slow the target down.
///
/// Every event of a source is recorded by one kernel event, one of many by another. The second
/// one counts exactly all the time, and its records are kept only while the first is off, so
/// totals are exact and no event is lost or counted twice at a change.
final class RateGovernor {
  /// How many events a source may have at once, and a second, before it is sampled.
  struct Limit {
    var burst: Double
    var perSecond: Double
  }

  /// A recorded system call costs up to 1 µs and a socket transfer as much, and a server makes
  /// all three for a request: 5,000 a second of each are 1.5 % of a CPU. A stack of 3 KB costs
  /// about 4 µs with its copying: 2,000 are 0.8 %. A burst of 10,000 takes 10 ms once, and keeps
  /// short programs exact; one of 1,600 stacks takes 5 MB of a ring.
  static func limit(_ source: AdaptiveSource) -> Limit {
    switch source {
    case .systemCalls, .sends, .receives: Limit(burst: 10_000, perSecond: 5_000)
    case .stacks: Limit(burst: 1_600, perSecond: 2_000)
    case .spins: Limit(burst: 4_000, perSecond: 2_000)
    case .jobs: Limit(burst: jobBurst, perSecond: largestJobShare / jobSeconds)
    // A burst is told whole at up to a thousand event waits a second; a busier loop is told by its samples.
    case .eventWaits: Limit(burst: 4_000, perSecond: 1_000)
    }
  }

  /// What the probes of one job cost: entry, return, its creation and its handing over, 5 µs in a loop of nothing but jobs.
  private static let jobSeconds = 5e-6
  /// Of a CPU; where jobs would take more, they are not recorded any longer.
  private static let largestJobShare = 0.02
  /// A twentieth of a second at the start of a program.
  private static let jobBurst = 10_000.0

  /// Sampling ends when the rate has stayed under half the limit for so long.
  static let calmNanoseconds: UInt64 = 1_000_000_000
  private static let windowNanoseconds: UInt64 = 100_000_000
  /// New programs make sources be recorded whole once in so long at most: a burst of 10,000 then takes 4 % of a CPU.
  private static let programNanoseconds: UInt64 = 250_000_000

  private struct State {
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
  }

  /// When a new program last made sources be recorded whole.
  private var lastProgram: UInt64 = 0
  /// From when on events of the task that can be done without are closed.
  private var hecticSince = UInt64.max
  private var slices = SliceClock()
  private var switches = EventRate(EventRate.switches)
  private var calls = EventRate(EventRate.systemCalls)
  private var lastEvaluation: UInt64 = 0
  private let writes: WriteCalls
  /// The calls that wrote, at the end.
  private var written: UInt64?

  private var states: [State]
  private let events: EventSet
  private var list = SpanList<CaptureEvent.SampledSpan>()
  /// Called when a source changes over.
  var onChange: ((_ source: String, _ isSampled: Bool, _ time: UInt64) -> Void)?

  init(events: EventSet, writes: WriteCalls) {
    self.events = events
    self.writes = writes
    states = AdaptiveSource.allCases.map { State(tokens: Self.limit($0).burst) }
    for (index, opened) in events.events.enumerated() where !opened.ids.isEmpty {
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

  /// Whether a record of the sampling event counts: only while the full one is off.
  @inline(__always)
  func keepsSampled(_ source: Int, time: UInt64) -> Bool {
    time >= states[source].since && time < states[source].until
  }

  /// Counts a record of either event of a source.
  @inline(__always)
  func note(_ source: Int, isSample: Bool) {
    states[source].records += 1
    if isSample { states[source].samples += 1 }
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
    }
  }

  /// When the recorder has to look again at the latest.
  var nextChange: UInt64 { slices.next }

  var isInSlice: Bool { slices.isSlicing && slices.isRecording }
  var isBetweenSlices: Bool { slices.isSlicing && !slices.isRecording }

  /// Spans in which a source was sampled.
  var spans: [CaptureEvent.SampledSpan] { list.spans }

  /// Spans of which slices were recorded.
  var sliceSpans: [CaptureEvent.Slices] { slices.spans }

  /// What has changed at the end or beginning of a slice.
  enum SliceChange { case began, ended }

  /// Begins or ends a slice that is due.
  func changeSlice(now: UInt64) -> SliceChange? {
    guard slices.isSlicing, now >= slices.next else { return nil }
    if slices.isRecording { setSliced(enabled: false) }
    let begins = slices.change(at: SystemInfo.monotonicNanoseconds())
    if begins { setSliced(enabled: true) } else { calls.heard += slices.lastSlice }
    return begins ? .began : .ended
  }

  /// Begins and ends recording in slices; true when all is recorded again.
  private func considerSlicing(_ now: UInt64) -> Bool {
    let elapsed = lastEvaluation == 0 ? 0 : now &- lastEvaluation
    lastEvaluation = now
    switches.heard += elapsed
    if !slices.isSlicing { calls.heard += elapsed }
    let wasSwitching = switches.isHigh
    switches.judge(now: now)
    calls.judge(now: now)
    guard events.canSlice else { return false }
    if switches.isHigh, !wasSwitching {
      closeForGood(rate: switches.perSecond)
      recordEventWaits(true, from: now)
    } else if wasSwitching, !switches.isHigh {
      recordEventWaits(states[AdaptiveSource.stacks.rawValue].isSampled, from: now)
    }
    let isWanted = switches.isHigh || calls.isHigh
    if isWanted, !slices.isSlicing {
      for index in states.indices where isHeldSampled(index) && !states[index].isSampled {
        AdaptiveSource(rawValue: index).map(beginSampling)
      }
      slices.begin(at: SystemInfo.monotonicNanoseconds(), writeCalls: writes.total)
    } else if !isWanted, slices.isSlicing {
      if !slices.isRecording { setSliced(enabled: true) }
      slices.end(at: SystemInfo.monotonicNanoseconds(), writeCalls: writes.total)
      return true
    }
    return false
  }

  /// Whether a source is sampled all the time that others are recorded in slices.
  private func isHeldSampled(_ index: Int) -> Bool {
    states[index].sampledEvent.map { !events.events[$0].spec.isSliced } == true
  }

  private func setSliced(enabled: Bool) {
    events.setGates(enabled: enabled)
    for (index, opened) in events.events.enumerated()
    where opened.spec.isSliced && opened.spec.reach == .system {
      events.set(index, enabled: enabled)
    }
  }

  /// Closes what a target that switches often pays for at each switch, once and for all: events that were closed cannot come
  /// back, since the trace names their ids at its beginning.
  private func closeForGood(rate: Double) {
    guard hecticSince == .max else { return }
    for (index, opened) in events.events.enumerated() where opened.spec.season == .hectic {
      events.set(index, enabled: true)
    }
    hecticSince = SystemInfo.monotonicNanoseconds()
    for (index, opened) in events.events.enumerated() where opened.spec.season == .calm {
      events.close(index)
      guard opened.spec.signal == EventSpec.fileNames, !opened.ids.isEmpty else { continue }
      stopped[EventSpec.fileNames] =
        "at \(Int(rate / 2)) waits a second, the probes that tell paths would have slowed each of them; they were ended, "
        + "and paths are those of /proc from then on"
    }
  }

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
    return considerSlicing(now)
  }

  /// Why a signal was not recorded to the end.
  private(set) var stopped: [String: String] = [:]

  /// Jobs cannot be sampled, since each is told from its beginning and its end; they are recorded or not.
  private func considerStopping(_ now: UInt64) {
    let index = AdaptiveSource.jobs.rawValue
    guard stopped[EventSpec.concurrency] == nil, states[index].fullEvent != nil else { return }
    let limit = Self.limit(.jobs)
    let records = Double(states[index].records)
    let elapsed =
      states[index].lastRefill == 0 ? 0 : Double(now &- states[index].lastRefill) / 1e9
    states[index].lastRefill = now
    states[index].records = 0
    states[index].tokens =
      min(limit.burst, states[index].tokens + elapsed * limit.perSecond) - records
    guard states[index].tokens < 0 else { return }
    for (event, opened) in events.events.enumerated()
    where opened.spec.signal == EventSpec.concurrency { events.close(event) }
    let rate = elapsed > 0 ? Int(records / elapsed) : 0
    stopped[EventSpec.concurrency] =
      "at \(rate) jobs a second, recording them would have taken more than 2 % of a CPU; it was ended"
  }

  /// Ends of event waits are recorded while stacks are sampled, until they come too fast themselves.
  private func considerEventWaits(_ now: UInt64) {
    let index = AdaptiveSource.eventWaits.rawValue
    guard let event = states[index].fullEvent, states[index].isSampled else { return }
    let limit = Self.limit(.eventWaits)
    let elapsed = Double(now &- states[index].lastRefill) / 1e9
    states[index].lastRefill = now
    states[index].tokens =
      min(limit.burst, states[index].tokens + elapsed * limit.perSecond)
      - Double(states[index].records)
    states[index].records = 0
    guard states[index].tokens < 0 else { return }
    states[index].isSampled = false
    events.set(event, enabled: false)
  }

  /// Follows the source of stacks, whose waits without a stack they tell.
  private func recordEventWaits(_ isWanted: Bool, from now: UInt64) {
    let index = AdaptiveSource.eventWaits.rawValue
    guard let event = states[index].fullEvent, states[index].isSampled != isWanted else { return }
    states[index].isSampled = isWanted
    states[index].tokens = Self.limit(.eventWaits).burst
    states[index].lastRefill = now
    states[index].records = 0
    events.set(event, enabled: isWanted)
  }

  private func considerSampling(_ index: Int, _ now: UInt64) {
    guard let source = AdaptiveSource(rawValue: index) else { return }
    let limit = Self.limit(source)
    let elapsed = states[index].lastRefill == 0 ? 0 : Double(now &- states[index].lastRefill) / 1e9
    states[index].lastRefill = now
    states[index].tokens =
      min(limit.burst, states[index].tokens + elapsed * limit.perSecond)
      - Double(states[index].records)
    states[index].records = 0
    if states[index].tokens < 0 { beginSampling(source) }
  }

  private func beginSampling(_ source: AdaptiveSource) {
    let index = source.rawValue
    guard let full = states[index].fullEvent, let sampled = states[index].sampledEvent else {
      return
    }
    events.set(full, enabled: false)
    if events.events[sampled].spec.startsDisabled { events.set(sampled, enabled: true) }
    // All records of the full event are older than this moment.
    let moment = SystemInfo.monotonicNanoseconds()
    states[index].isSampled = true
    states[index].countBefore = counted(states[index]) ?? 0
    states[index].samples = 0
    states[index].since = moment
    states[index].until = .max
    states[index].records = 0
    states[index].lastHigh = moment
    states[index].windowStart = moment
    if source == .stacks { recordEventWaits(true, from: moment) }
    onChange?(states[index].name, true, moment)
  }

  private func considerFull(_ index: Int, _ now: UInt64) {
    guard let source = AdaptiveSource(rawValue: index) else { return }
    let elapsed = now &- states[index].windowStart
    guard now > states[index].windowStart, elapsed >= Self.windowNanoseconds else { return }
    let rate = Double(states[index].records &* states[index].period) / (Double(elapsed) / 1e9)
    states[index].records = 0
    states[index].windowStart = now
    if rate > Self.limit(source).perSecond / 2 { states[index].lastHigh = now }
    guard now &- states[index].lastHigh >= Self.calmNanoseconds else { return }
    resume(index)
  }

  private func resume(_ index: Int) {
    guard let full = states[index].fullEvent, let sampled = states[index].sampledEvent,
      let source = AdaptiveSource(rawValue: index)
    else { return }
    // What the sampling event gives from here on does not count, what it gave before still does.
    let moment = SystemInfo.monotonicNanoseconds()
    if events.events[sampled].spec.startsDisabled { events.set(sampled, enabled: false) }
    events.set(full, enabled: true)
    states[index].until = moment
    states[index].isSampled = false
    states[index].records = 0
    states[index].tokens = Self.limit(source).burst
    states[index].lastRefill = moment
    endSpan(index, until: moment)
    if source == .stacks, !switches.isHigh { recordEventWaits(false, from: moment) }
    onChange?(states[index].name, false, moment)
  }

  /// Whether anything is sampled that a new program would make be recorded whole.
  var isSampling: Bool {
    !slices.isSlicing && states.contains { $0.isSampled && $0.sampledEvent != nil }
  }

  /// A program begins: the rate of others before it says nothing of its own, so all is recorded until that is too much again.
  func programBegan(now: UInt64) {
    guard isSampling, now &- lastProgram >= Self.programNanoseconds else { return }
    lastProgram = now
    for index in states.indices where states[index].isSampled && states[index].sampledEvent != nil {
      resume(index)
    }
  }

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

  private func endSpan(_ index: Int, until: UInt64) {
    let count = counted(states[index]).map { $0 &- states[index].countBefore }
    // A source that is sampled because others are in slices may have nothing to tell.
    guard count != 0 || states[index].samples > 0 else { return }
    list.append(
      .init(
        source: states[index].name, fromNs: states[index].since, toNs: until,
        period: states[index].period,
        count: count,
        samples: states[index].samples))
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
      return counted(state).map { .init(source: state.name, count: $0) }
    }
    if let written {
      counts.append(.init(source: CaptureEvent.ExactCount.writeCalls, count: written))
    }
    return counts
  }

  /// What the event of a source that samples has counted while it was on; nil where it is on only while it samples.
  private func counted(_ state: State) -> UInt64? {
    guard let sampled = state.sampledEvent, !events.events[sampled].spec.startsDisabled else {
      return nil
    }
    return events.count(sampled).count
  }
}
