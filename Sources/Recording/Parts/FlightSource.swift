import Glibc
import PerfData
import Quantities

/// Keeps the last seconds in memory, and writes them when something happens.
///
/// Footprints and signals are looked at as they come. A hang is found by what finds it in a report, run on the last
/// parts about once a second while something is recorded, for at most a fiftieth of a core as long as one look takes no
/// more than a tenth of a second.
final class FlightSource: RecordingSource {
  weak var recording: Recording?
  let memory: FlightMemory
  private let flight: Flight
  private let search = HangSearch()
  private let shortestPart: UInt64
  /// The limits of hangs with their conditions, the longest first: a long hang is told by the most that it is.
  private let hangs: [(limit: UInt64, text: String)]
  private let reach: UInt64
  private var nextCut = UInt64.max
  private var lastCut: UInt64 = 0
  private var nextLook = UInt64.max
  /// Records of the target before the last look, and when there were new ones.
  private var seenBytes: UInt64 = 0
  private var lastActivity: UInt64 = 0
  /// Until when hangs were written.
  private var toldUntil: UInt64 = 0
  /// Processes above each limit.
  private var above: [Int: Set<Int32>] = [:]
  private var pending: [TriggerEvent] = []
  private var written: [UInt64] = []
  /// Triggers that were not written, for there were too many.
  private(set) var leftOut = 0

  private static let lookInterval: UInt64 = 1_000_000_000
  private static let longestInterval: UInt64 = 5_000_000_000
  private static let share: UInt64 = 50
  private static let hour: UInt64 = 3_600_000_000_000
  /// A hang that goes on is written after so long.
  private static let patience: UInt64 = 5_000_000_000

  init(_ flight: Flight, now: UInt64) {
    self.flight = flight
    hangs = flight.conditions.compactMap {
      guard case .hang(let limit) = $0.limit else { return nil }
      return (UInt64(max(0, limit.nanoseconds)), $0.text)
    }.sorted { $0.limit > $1.limit }
    let length = UInt64(max(1, flight.length.nanoseconds))
    let part = min(max(1_000_000_000, length / 6), 5_000_000_000)
    // As far back as a hang that is to be told of by now can have begun.
    reach =
      hangs.first.map {
        max($0.limit, Self.patience) + Self.longestInterval + 2 * Self.lookInterval + part
      } ?? 0
    shortestPart = part
    // The seconds before it are to be there too.
    memory = FlightMemory(length: length + reach, limit: flight.memoryBytes, now: now)
  }

  func start(at time: UInt64) {
    nextCut = time &+ shortestPart
    if !hangs.isEmpty { nextLook = time &+ Self.lookInterval }
  }

  func nextDue(now: UInt64) -> UInt64 { pending.isEmpty ? min(nextCut, nextLook) : now }

  /// The recorder was sent a signal.
  func signalled(_ number: Int32) {
    guard
      let condition = flight.conditions.first(where: { $0.limit == .signal(number) })
    else { return }
    let now = SystemInfo.monotonicNanoseconds()
    trigger(.signal, condition.text, from: now, to: now)
  }

  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    switch observation {
    case .memoryRead(let pid, let footprint, let time):
      for (index, condition) in flight.conditions.enumerated() {
        guard case .footprint(let limit) = condition.limit else { continue }
        guard footprint > limit else {
          above[index]?.remove(pid)
          continue
        }
        guard above[index, default: []].insert(pid).inserted else { continue }
        trigger(.footprint, condition.text, from: time, to: time, of: pid, holding: footprint)
      }
    case .processEnded(let pid, _): for index in above.keys { above[index]?.remove(pid) }
    default: break
    }
  }

  func collect(_ round: Round) throws(PerfDataError) {
    guard let recording else { return }
    if let found = search.take() { judge(found) }
    if round.now >= nextLook { try look(recording, now: round.now) }
    if round.now >= nextCut || memory.isLarge { try cut(recording, round) }
    for event in pending { try write(event, recording, round) }
    pending = []
  }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    search.finish()
    guard let recording else { return }
    // What happened last was not looked at yet.
    if !hangs.isEmpty {
      lastCut = round.now
      try round.sink.flushWhole()
      try begin(recording)
      search.finish()
      if let found = search.take() { judge(found) }
    }
    for event in pending { try write(event, recording, round) }
    if leftOut > 0 {
      recording.problems.append(
        "\(Figures.count(leftOut, "trigger")) more: not written, since \(flight.atMost) an hour are the most"
      )
    }
  }

  // MARK: - Hangs

  private func look(_ recording: Recording, now: UInt64) throws(PerfDataError) {
    guard let cost = search.cost else {
      nextLook = now + Self.lookInterval / 10
      return
    }
    nextLook = now + min(max(Self.lookInterval, cost * Self.share), Self.longestInterval)
    if recording.sink.recordedBytes != seenBytes {
      seenBytes = recording.sink.recordedBytes
      lastActivity = now
    }
    // A thread that blocks for ever makes no records: it is looked at until it would have been told.
    guard now &- lastActivity <= reach else { return }
    try begin(recording)
  }

  private func begin(_ recording: Recording) throws(PerfDataError) {
    let now = SystemInfo.monotonicNanoseconds()
    let first = memory.parts.lastIndex { now &- $0.began >= reach } ?? 0
    search.look(
      at: Array(memory.parts[first...]),
      ending: try recording.description(since: memory.parts[first], at: now),
      attributes: recording.attributes, features: recording.features, flight.findHangs)
  }

  private func judge(_ found: [FlightHang]) {
    for hang in found where hang.fromNs >= toldUntil {
      // A wait that goes on may not be told since the last part began, and looks like work.
      let known = hang.isGoingOn ? min(hang.toNs, lastCut) : hang.toNs
      guard known > hang.fromNs else { continue }
      let length = known - hang.fromNs
      guard let (limit, text) = hangs.first(where: { length > $0.limit }),
        !hang.isGoingOn || length >= max(limit, Self.patience)
      else { continue }
      toldUntil = hang.toNs
      trigger(
        .hang, text, from: hang.fromNs, to: hang.toNs, goesOn: hang.isGoingOn, of: hang.pid)
    }
  }

  // MARK: - Writing

  private func trigger(
    _ kind: TriggerEvent.Kind, _ text: String, from start: UInt64, to end: UInt64,
    goesOn: Bool = false, of pid: Int32? = nil, holding footprint: UInt64? = nil
  ) {
    pending.append(
      TriggerEvent(
        kind: kind, condition: text, fromNs: start, toNs: end, isGoingOn: goesOn,
        pid: pid.map { Int($0) }, footprintBytes: footprint,
        keptSeconds: flight.length.seconds))
  }

  private func cut(_ recording: Recording, _ round: Round) throws(PerfDataError) {
    let before = SystemInfo.monotonicNanoseconds()
    try recording.cut(memory, round)
    lastCut = round.now
    let now = SystemInfo.monotonicNanoseconds()
    // To tell what stands takes its time where processes are many.
    nextCut = now + max(shortestPart, (now - before) * Self.share)
  }

  private func write(
    _ trigger: TriggerEvent, _ recording: Recording, _ round: Round
  ) throws(PerfDataError) {
    written.removeAll { round.now &- $0 >= Self.hour }
    guard written.count < flight.atMost else {
      if leftOut == 0 {
        flight.onProblem(
          "\(trigger.condition): not written, since \(flight.atMost) an hour are the most (--at-most)"
        )
      }
      leftOut += 1
      return
    }
    try cut(recording, round)
    let path = flight.path(trigger)
    do throws(PerfDataError) {
      try recording.write(memory, because: trigger, to: path, now: round.now)
    } catch {
      // The next one may find room.
      flight.onProblem("\(trigger.condition): \(error.description)")
      return
    }
    written.append(round.now)
    flight.onTrace(path, trigger, recording.heldFiles)
  }
}
