import PerfData

/// When a source is sampled, and when it is recorded whole again.
extension RateGovernor {
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

  /// Jobs cannot be sampled, since each is told from its beginning and its end; they are recorded or not.
  func considerStopping(_ now: UInt64) {
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
    let rate = elapsed > 0 ? Int(records / elapsed) : 0
    endJobs(
      "at \(rate) jobs a second, recording them would have taken more than 2 % of a CPU; it was ended"
    )
  }

  /// Takes the probes of jobs out of the target, once and for all.
  func endJobs(_ reason: String) {
    let probes = events.events.indices.filter {
      events.events[$0].spec.signal == EventSpec.concurrency && !events.events[$0].ids.isEmpty
    }
    guard stopped[EventSpec.concurrency] == nil, !probes.isEmpty else { return }
    events.close(probes)
    stopped[EventSpec.concurrency] = reason
  }

  /// Ends of event waits are recorded while stacks are sampled, until they come too fast themselves.
  func considerEventWaits(_ now: UInt64) {
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
  func recordEventWaits(_ isWanted: Bool, from now: UInt64) {
    let index = AdaptiveSource.eventWaits.rawValue
    guard let event = states[index].fullEvent, states[index].isSampled != isWanted else { return }
    states[index].isSampled = isWanted
    states[index].tokens = Self.limit(.eventWaits).burst
    states[index].lastRefill = now
    states[index].records = 0
    events.set(event, enabled: isWanted)
  }

  func considerSampling(_ index: Int, _ now: UInt64) {
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

  func beginSampling(_ source: AdaptiveSource) {
    let index = source.rawValue
    guard let full = states[index].fullEvent, let sampled = states[index].sampledEvent else {
      return
    }
    let counting = source.direction.flatMap { transfers?.begin($0) }
    events.set(full, enabled: false)
    if samplesOnly(sampled) { events.set(sampled, enabled: true) }
    // Without one that is agreed upon: all records of the full event are older than this moment.
    let moment = counting ?? SystemInfo.monotonicNanoseconds()
    states[index].isSampled = true
    states[index].countBefore = counted(states[index]) ?? 0
    states[index].isCounted = counting != nil
    states[index].samples = 0
    states[index].since = moment
    states[index].until = .max
    states[index].records = 0
    states[index].lastHigh = moment
    states[index].windowStart = moment
    if source == .stacks { recordEventWaits(true, from: moment) }
    onChange?(states[index].name, true, moment)
  }

  func considerFull(_ index: Int, _ now: UInt64) {
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
    var moment = SystemInfo.monotonicNanoseconds()
    if samplesOnly(sampled) { events.set(sampled, enabled: false) }
    events.set(full, enabled: true)
    if states[index].isCounted, let direction = source.direction,
      let agreed = transfers?.end(direction)
    {
      moment = agreed
    }
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

  func endSpan(_ index: Int, until: UInt64) {
    var count = counted(states[index]).map { $0 &- states[index].countBefore }
    var processes: [CaptureEvent.ProcessTransfers]?
    if states[index].isCounted, let direction = AdaptiveSource(rawValue: index)?.direction {
      let counted = transfers?.take(direction)
      if counted == nil { states[index].isCounted = false }
      count = counted?.values.reduce(0) { $0 &+ $1.calls } ?? count
      processes = counted?.filter { $0.value.transfers > 0 }.sorted { $0.key < $1.key }.map {
        .init(pid: Int($0.key), count: $0.value.transfers, bytes: $0.value.bytes)
      }
    }
    states[index].sampledCount &+= count ?? 0
    // A source that is sampled because others are in slices may have nothing to tell.
    guard count != 0 || states[index].samples > 0 else { return }
    list.append(
      .init(
        source: states[index].name, fromNs: states[index].since, toNs: until,
        period: states[index].period,
        count: count,
        samples: states[index].samples, transfers: processes))
  }

  /// What the event of a source that samples has counted while it was on; nil where it is on only while it samples, or counts what
  /// all programs do.
  func counted(_ state: State) -> UInt64? {
    guard let sampled = state.sampledEvent, !samplesOnly(sampled),
      events.events[sampled].spec.reach == .task
    else { return nil }
    return events.count(sampled).count
  }

  /// Whether an event is on only while its source is sampled.
  private func samplesOnly(_ index: Int) -> Bool {
    let spec = events.events[index].spec
    // Whatever stands in for another is off until then.
    return (spec.standsInFor.map { events.events[$0].spec } ?? spec).startsDisabled
  }
}
