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
  /// all three for a request: 10,000 a second of each are 3 % of a CPU. A stack of 3 KB costs
  /// about 4 µs with its copying: 2,000 are 0.8 %. A burst of 20,000 takes 20 ms once, and keeps
  /// short programs exact; one of 1,600 stacks takes 5 MB of a ring.
  static func limit(_ source: AdaptiveSource) -> Limit {
    switch source {
    case .systemCalls, .sends, .receives: Limit(burst: 20_000, perSecond: 10_000)
    case .stacks: Limit(burst: 1_600, perSecond: 2_000)
    case .spins: Limit(burst: 4_000, perSecond: 2_000)
    case .jobs: Limit(burst: jobBurst, perSecond: largestJobShare / jobSeconds)
    }
  }

  /// What the probes of one job cost: entry, return, its creation and its handing over, 5 µs in a loop of nothing but jobs.
  private static let jobSeconds = 5e-6
  /// Of a CPU; where jobs would take more, they are not recorded any longer.
  private static let largestJobShare = 0.02
  /// A tenth of a second at the start of a program.
  private static let jobBurst = 20_000.0

  /// Sampling ends when the rate has stayed under half the limit for so long.
  static let calmNanoseconds: UInt64 = 1_000_000_000
  private static let windowNanoseconds: UInt64 = 100_000_000

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
  }

  private var states: [State]
  private let events: EventSet
  private(set) var spans: [CaptureEvent.SampledSpan] = []
  /// Called when a source changes over.
  var onChange: ((_ source: String, _ isSampled: Bool, _ time: UInt64) -> Void)?

  init(events: EventSet) {
    self.events = events
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
  func note(_ source: Int) { states[source].records += 1 }

  /// Looks at the rates and changes over what has to be; call after each drain.
  func evaluate(now: UInt64) {
    considerStopping(now)
    for index in states.indices where states[index].sampledEvent != nil {
      if states[index].isSampled { considerFull(index, now) } else { considerSampling(index, now) }
    }
  }

  /// Why Swift's jobs were not recorded to the end.
  private(set) var jobsStopped: String?

  /// Jobs cannot be sampled, since each is told from its beginning and its end; they are recorded or not.
  private func considerStopping(_ now: UInt64) {
    let index = AdaptiveSource.jobs.rawValue
    guard jobsStopped == nil, states[index].fullEvent != nil else { return }
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
    where opened.spec.signal == EventSpec.concurrency { events.set(event, enabled: false) }
    let rate = elapsed > 0 ? Int(records / elapsed) : 0
    jobsStopped =
      "at \(rate) jobs a second, recording them would have taken more than 2 % of a CPU; it was ended"
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
    guard states[index].tokens < 0, let full = states[index].fullEvent,
      let sampled = states[index].sampledEvent
    else { return }
    events.set(full, enabled: false)
    if events.events[sampled].spec.startsDisabled { events.set(sampled, enabled: true) }
    // All records of the full event are older than this moment.
    let moment = SystemInfo.monotonicNanoseconds()
    states[index].isSampled = true
    states[index].since = moment
    states[index].until = .max
    states[index].records = 0
    states[index].lastHigh = moment
    states[index].windowStart = moment
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
    onChange?(states[index].name, false, moment)
  }

  /// Ends the spans that are still open, at the end of the recording.
  func finish(now: UInt64) {
    for index in states.indices where states[index].isSampled { endSpan(index, until: now) }
  }

  private func endSpan(_ index: Int, until: UInt64) {
    spans.append(
      .init(
        source: states[index].name, fromNs: states[index].since, toNs: until,
        period: states[index].period))
  }

  /// The exact totals of the sources that have an event which always counts.
  var exactCounts: [CaptureEvent.ExactCount] {
    states.compactMap { state in
      guard let sampled = state.sampledEvent, !events.events[sampled].spec.startsDisabled else {
        return nil
      }
      return .init(source: state.name, count: events.count(sampled).count)
    }
  }
}
