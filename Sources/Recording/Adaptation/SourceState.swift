import PerfData

/// A source that may be sampled, as it is recorded at the moment: each of its events, or one of many.
///
/// Every event of a source is recorded by one kernel event, one of many by another. The second
/// one counts exactly all the time, and its records are kept only while the first is off, so
/// totals are exact and no event is lost or counted twice at a change.
struct SourceState {
  let source: AdaptiveSource
  /// The number in the `EventSet` of the event that records each.
  private(set) var wholeEvent: Int?
  /// The number of the one that records one of many.
  private(set) var sampledEvent: Int?
  private(set) var name = ""
  private(set) var isSampled = false
  /// What it tells is counted by `TransferCounter` while it is sampled.
  private(set) var isCounted = false
  /// Its rate at the last look.
  private(set) var perSecond = 0.0

  private var period: UInt64 = 1
  private var tokens: TokenBucket
  private var lastRefill: UInt64 = 0
  /// Records since the last look.
  private var records: UInt64 = 0
  private var windowStart: UInt64 = 0
  private var lastHigh: UInt64 = 0
  /// The latest time in which records of the sampling event are kept.
  private var since = UInt64.max
  private var until = UInt64.max
  /// Its samples in that time, and its count before.
  private var samples: UInt64 = 0
  private var countBefore: UInt64 = 0
  /// All that happened in such times before, and the records of the whole event outside of them.
  private var sampledCount: UInt64 = 0
  private var recorded: UInt64 = 0

  /// Sampling ends when the rate has stayed under half the limit for so long.
  private static let calmNanoseconds: UInt64 = 1_000_000_000
  private static let windowNanoseconds: UInt64 = 100_000_000

  init(_ source: AdaptiveSource) {
    self.source = source
    tokens = TokenBucket(source.limit)
  }

  /// Takes in one of its two events, by its number.
  mutating func add(_ event: Int, _ spec: EventSpec) {
    switch spec.cost {
    case .whole(source):
      wholeEvent = event
      name = spec.name
    case .sampled(source):
      sampledEvent = event
      period = spec.period
    default: break
    }
  }

  /// Others took the place of its events.
  mutating func move(to places: [Int: Int]) {
    wholeEvent = wholeEvent.map { places[$0] ?? $0 }
    sampledEvent = sampledEvent.map { places[$0] ?? $0 }
  }

  /// Whether it is sampled now, and would be recorded whole for a new program.
  var isSampling: Bool { isSampled && sampledEvent != nil }

  /// Whether it is sampled all the time that others are recorded in slices.
  var isHeldSampled: Bool { sampledEvent != nil && !source.isSliced }

  /// Whether its totals stay exact with events that count what all programs do.
  var canBeTakenOver: Bool {
    source.direction == nil || sampledEvent == nil || !isSampled || isCounted
  }

  // MARK: - Records

  /// Whether a record counts of one of the two events: that which samples has its time, the other one all else.
  @inline(__always)
  func keeps(isSample: Bool, time: UInt64) -> Bool {
    (time >= since && time < until) == isSample
  }

  /// Counts a record of either event.
  @inline(__always)
  mutating func note(isSample: Bool) {
    records += 1
    if isSample { samples += 1 } else { recorded += 1 }
  }

  /// Counts a record of another program, which costs as much.
  @inline(__always)
  mutating func noteForeign() { records += 1 }

  // MARK: - Rates

  /// Looks at the records since the last look; true where there were too many.
  mutating func isOverLimit(now: UInt64) -> Bool {
    let elapsed = lastRefill == 0 ? 0 : Double(now &- lastRefill) / 1e9
    lastRefill = now
    perSecond = elapsed > 0 ? Double(records) / elapsed : 0
    defer { records = 0 }
    return tokens.take(Double(records), in: elapsed)
  }

  /// Looks at the samples since the last look; true where the rate has been low for long.
  mutating func isCalm(now: UInt64) -> Bool {
    let elapsed = now &- windowStart
    guard now > windowStart, elapsed >= Self.windowNanoseconds else { return false }
    let rate = Double(records &* period) / (Double(elapsed) / 1e9)
    records = 0
    windowStart = now
    if rate > source.limit.perSecond / 2 { lastHigh = now }
    return now &- lastHigh >= Self.calmNanoseconds
  }

  /// What comes from here on is another program's.
  mutating func refill(now: UInt64) {
    tokens.refill()
    lastRefill = now
    records = 0
  }

  // MARK: - Changing over

  /// Samples it from now on; gives the moment, or nil where it has not both events.
  mutating func sample(_ events: EventSet, _ transfers: TransferCounter?) -> UInt64? {
    guard let wholeEvent, let sampledEvent else { return nil }
    let counting = source.direction.flatMap { transfers?.begin($0) }
    events.set(wholeEvent, enabled: false)
    if !source.isCountedAlways { events.set(sampledEvent, enabled: true) }
    // Without one that is agreed upon: all records of the whole event are older than this moment.
    let moment = counting ?? SystemInfo.monotonicNanoseconds()
    isSampled = true
    countBefore = count(events) ?? 0
    isCounted = counting != nil
    samples = 0
    since = moment
    until = .max
    records = 0
    lastHigh = moment
    windowStart = moment
    return moment
  }

  /// Records it whole from now on; gives the moment, or nil where it has not both events.
  mutating func recordWhole(_ events: EventSet, _ transfers: TransferCounter?) -> UInt64? {
    guard let wholeEvent, let sampledEvent else { return nil }
    // What the sampling event gives from here on does not count, what it gave before still does.
    var moment = SystemInfo.monotonicNanoseconds()
    if !source.isCountedAlways { events.set(sampledEvent, enabled: false) }
    events.set(wholeEvent, enabled: true)
    if isCounted, let direction = source.direction, let agreed = transfers?.end(direction) {
      moment = agreed
    }
    until = moment
    isSampled = false
    refill(now: moment)
    return moment
  }

  /// Switches a source on or off that is recorded only beside the samples of another.
  mutating func accompany(_ isWanted: Bool, from now: UInt64, _ events: EventSet) {
    guard let wholeEvent, isSampled != isWanted else { return }
    isSampled = isWanted
    refill(now: now)
    events.set(wholeEvent, enabled: isWanted)
  }

  // MARK: - What is told

  /// The span of sampling that ends; nil where nothing happened in it.
  mutating func endSpan(
    until: UInt64, _ events: EventSet, _ transfers: TransferCounter?
  ) -> CaptureEvent.SampledSpan? {
    var total = count(events).map { $0 &- countBefore }
    var processes: [CaptureEvent.ProcessTransfers]?
    if isCounted, let direction = source.direction {
      let counted = transfers?.take(direction)
      if counted == nil { isCounted = false }
      total = counted?.values.reduce(0) { $0 &+ $1.calls } ?? total
      processes = counted?.filter { $0.value.transfers > 0 }.sorted { $0.key < $1.key }.map {
        .init(pid: Int($0.key), count: $0.value.transfers, bytes: $0.value.bytes)
      }
    }
    sampledCount &+= total ?? 0
    // A source that is sampled because others are in slices may have nothing to tell.
    guard total != 0 || samples > 0 else { return nil }
    return .init(
      source: name, fromNs: since, toNs: until, period: period, count: total, samples: samples,
      transfers: processes)
  }

  /// The span of sampling that goes on, as far as it is known; nil where none does.
  func openSpan(until: UInt64) -> CaptureEvent.SampledSpan? {
    guard isSampling, since < until else { return nil }
    return .init(source: name, fromNs: since, toNs: until, period: period)
  }

  /// The exact total, whether or not it was recorded; nil where none was counted.
  func exactCount(_ events: EventSet, wasTakenOver: Bool) -> CaptureEvent.ExactCount? {
    // After a takeover its own event, which counted all the time, is closed.
    let total =
      wasTakenOver && isCounted ? recorded &+ sampledCount : count(events)
    return total.map { .init(source: name, count: $0) }
  }

  /// What the event that samples has counted while it was on; nil where it is on only while it samples, or counts what
  /// all programs do.
  private func count(_ events: EventSet) -> UInt64? {
    guard let sampledEvent, source.isCountedAlways,
      events.events[sampledEvent].spec.visibility == .target
    else { return nil }
    return events.count(sampledEvent).count
  }
}
