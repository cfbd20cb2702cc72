/// What a thread did between looks at it, by what it used meanwhile.
///
/// A look finds it waiting or running. How long it was on a CPU and in queues between two looks, and how often it was
/// given a CPU, is known exactly from `schedstat`; when that was is known to within the distance of the looks. What is
/// neither is the end of the wait before, the beginning of the wait after, and where it was given a CPU more than once,
/// waits that no look saw. How often it left its CPU to wait, and did not just lose it, is asked only then.
struct OutsideThread {
  /// A switch, with its time.
  enum Step: Equatable {
    case arrived(UInt64)
    case preempted(UInt64)
    case left(UInt64)
  }

  /// Until when all is told.
  private(set) var told: OutsideReading
  /// Whether it is told to be on a CPU by then.
  private(set) var isOn: Bool
  /// What was its CPU time when that was first read, less what was told of it since.
  private var base: UInt64
  private var toldRun: UInt64 = 0
  /// How often it had left its CPU to wait by then; nil where that is not known.
  private var waits: UInt64?
  /// How many waits no look saw of what was told last.
  private(set) var unseen = 0
  /// How long it had been in queues for a CPU when that was first read.
  private let queuedBefore: UInt64
  /// When it was seen running, first and last, since then; what was read of it last.
  private var seenRunning: (first: UInt64, last: UInt64)?
  private var lastSeen: OutsideReading?

  /// Of a thread on a CPU its time is of the last tick, which is so long ago at most (CONFIG_HZ is 100 at least).
  static let longestTick: UInt64 = 10_000_000
  /// What runs on is told as often.
  static let longestRun: UInt64 = 50_000_000
  /// Queues shorter than this are not told by themselves.
  private static let shortestQueue: UInt64 = 20_000
  /// What was not seen may be less by what interrupts took.
  private static let leastUnseen: UInt64 = 200_000
  /// So many arrivals between two looks, besides that after the wait before, are of waits that neither saw.
  private static let surelyWaits = 3

  /// Begins with a first reading; `isOn` where the thread is on a CPU then, with so much of its time untold.
  init(_ reading: OutsideReading, isOn: Bool, untold: UInt64 = 0, waits: UInt64? = nil) {
    told = reading
    self.waits = waits
    self.isOn = isOn
    base = reading.processor - min(untold, reading.processor)
    queuedBefore = reading.queued
  }

  /// How long it was in queues for a CPU since then, up to when it was told of last.
  var queued: UInt64 { told.queued - min(queuedBefore, told.queued) }

  /// When a thread began that was not there at the look before, by its first reading; its times are none by then.
  static func beginning(
    of first: OutsideReading, isRunning: Bool, notBefore earliest: UInt64
  ) -> OutsideReading {
    let slack = first.time - min(first.time, earliest)
    let used = min(first.processor + first.queued, slack)
    // One that runs and was given a CPU once at most has not waited: it is as old as what it used. Of others it is not
    // known how long they waited.
    let hasNotWaited = isRunning && first.arrivals <= 1
    let age = hasNotWaited ? used : used + (slack - used) / 2
    return OutsideReading(
      time: first.time - age, processor: first.processor, queued: 0,
      arrivals: min(1, first.arrivals))
  }

  /// The wait that it is in lasts at least until then.
  mutating func waits(until time: UInt64) {
    if !isOn, seenRunning == nil { told.time = max(told.time, time) }
  }

  /// It was found running. `waits` is asked how often it has left its CPU to wait so far.
  mutating func runs(_ reading: OutsideReading, waits: () -> UInt64? = { nil }) -> [Step] {
    guard reading.time > told.time else { return [] }
    // It was woken, and waits for a CPU.
    if !isOn, reading.arrivals == told.arrivals { return [] }
    seenRunning = (seenRunning?.first ?? reading.time, reading.time)
    lastSeen = reading
    guard reading.time - told.time >= Self.longestRun else { return [] }
    return close(reading, endsOn: true, waits)
  }

  /// It was found in a wait that began since it was last told of.
  mutating func waits(_ reading: OutsideReading, waits: () -> UInt64? = { nil }) -> [Step] {
    guard reading.time > told.time else { return [] }
    if !isOn, seenRunning == nil, reading.arrivals == told.arrivals {
      // It is the wait that it was in.
      self.waits(until: reading.time)
      return []
    }
    return close(reading, endsOn: false, waits)
  }

  /// Another tells of it from that reading on: what it did until then, where it was found running.
  mutating func handsOver(at reading: OutsideReading) -> [Step] {
    guard seenRunning != nil, reading.time > told.time else { return [] }
    return close(reading, endsOn: true) { nil }
  }

  /// The recording ends: what was seen of it until then.
  func finish() -> [Step] {
    guard let lastSeen, lastSeen.time > told.time else { return [] }
    var thread = self
    return thread.close(lastSeen, endsOn: true) { nil }
  }

  /// Its CPU time as it was last read.
  var processor: UInt64 { max(told.processor, lastSeen?.processor ?? 0) }

  /// It has ended since it was last looked at, before `now`: what it did until then, and when that was. What it used
  /// meanwhile is not known but as a part of what its process did, `most`.
  mutating func ends(before now: UInt64, used most: UInt64?) -> (
    steps: [Step], time: UInt64, used: UInt64
  ) {
    var steps: [Step] = []
    if let lastSeen, lastSeen.time > told.time { steps = close(lastSeen, endsOn: true) { nil } }
    let last = told.time
    let middle = (now - min(now, last)) / 2
    let used = min(middle, most ?? (isOn ? middle : 0))
    if isOn { return (steps, last + used, used) }
    // It was given a CPU once more to end.
    if used > 0 { steps.append(.arrived(last + middle - used)) }
    return (steps, last + middle, used)
  }

  private mutating func close(
    _ now: OutsideReading, endsOn: Bool, _ countWaits: () -> UInt64?
  ) -> [Step] {
    let length = now.time - told.time
    let used = now.processor >= base + toldRun ? now.processor - base - toldRun : 0
    var run = min(used, length)
    let queued = min(now.queued >= told.queued ? now.queued - told.queued : 0, length - run)
    var rest = length - run - queued
    let arrivals = now.arrivals >= told.arrivals ? now.arrivals - told.arrivals : 0
    let between = unseenWaits(Int(clamping: arrivals) - (isOn ? 0 : 1), endsOn: endsOn, countWaits)
    // Of a thread on a CPU the time is of the last tick: it ran meanwhile.
    if endsOn, isOn, rest <= Self.longestTick {
      run += rest
      rest = 0
    }
    let parts = split(rest, run, queued, length, between, endsOn: endsOn)
    let queue = queued >= Self.shortestQueue ? queued : 0
    var running = length - parts.tail - parts.between - parts.head - queue
    // One that could run and did not has lost its CPU, and waits for another: that is counted when it has one.
    let waiting = endsOn && running > run + Self.longestTick ? running - run : 0
    running -= waiting
    var steps: [Step] = []
    var at = told.time + parts.tail
    if !isOn { steps.append(.arrived(at)) }
    if queue > 0 {
      steps += [.preempted(at), .arrived(at + queue)]
      at += queue
    }
    unseen = parts.between > 0 ? max(1, between) : 0
    if parts.between > 0 {
      at += running / 2
      steps += [.left(at), .arrived(at + parts.between)]
    }
    if !endsOn { steps.append(.left(now.time - parts.head)) }
    if waiting > 0 { steps.append(.preempted(now.time - waiting)) }
    toldRun += running
    told = now
    isOn = endsOn && waiting == 0
    (seenRunning, lastSeen) = (nil, nil)
    return steps
  }

  /// How many waits no look saw, of so many times that it was given a CPU without one that was seen.
  private mutating func unseenWaits(
    _ arrivals: Int, endsOn: Bool, _ countWaits: () -> UInt64?
  ) -> Int {
    let seen: UInt64 = endsOn ? 0 : 1
    guard arrivals > 0, let before = waits, let count = countWaits() else {
      waits = waits.map { $0 + seen + UInt64(max(0, arrivals)) }
      return arrivals
    }
    waits = count
    return min(arrivals, Int(clamping: count - min(count, before + seen)))
  }

  /// Time off the CPU: of the wait before, of waits that were not seen, of the wait after.
  private struct Parts {
    var tail: UInt64 = 0
    var between: UInt64 = 0
    var head: UInt64 = 0
  }

  private func split(
    _ rest: UInt64, _ run: UInt64, _ queued: UInt64, _ length: UInt64, _ between: Int,
    endsOn: Bool
  ) -> Parts {
    var parts = Parts()
    let (hasTail, hasHead) = (!isOn, !endsOn)
    // It ran when it was seen to.
    let mostTail = hasTail ? min(rest, (seenRunning?.first ?? .max) - told.time) : 0
    let mostHead = hasHead ? min(rest, told.time + length - (seenRunning?.last ?? told.time)) : 0
    let slots = UInt64((hasTail ? 1 : 0) + (hasHead ? 1 : 0) + max(0, between))
    guard slots > 0, rest > 0 else { return parts }
    if between > 0 {
      // Uncounted, a few more arrivals may be those of a thread that lost its CPU meanwhile.
      let isMany = waits != nil || between >= Self.surelyWaits
      parts.tail = min(isMany ? rest / slots : hasHead ? rest / 2 : rest, mostTail)
      parts.head = min(isMany ? rest / slots : rest - parts.tail, mostHead)
      if !isMany { parts.tail = min(rest - parts.head, mostTail) }
      let unseen = rest - parts.tail - parts.head
      // Of a thread that runs still, what is missing may be its time since the last tick.
      let least = endsOn ? Self.longestTick : Self.leastUnseen
      if unseen >= least { parts.between = unseen }
      return parts
    }
    guard hasTail, hasHead else {
      parts.tail = mostTail
      parts.head = mostHead
      return parts
    }
    // One run without a break: between the earliest and the latest that it can have begun.
    let earliest = rest - min(rest, mostHead)
    parts.tail = min((earliest + max(mostTail, earliest)) / 2, rest)
    parts.head = rest - parts.tail
    return parts
  }
}
