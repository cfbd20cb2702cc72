import FoundationEssentials
import Quantities
import TraceModel

extension Timeline {
  /// How many threads get a lane.
  static let mostThreads = 16
  /// Bytes of a lane before base 64, which makes four of each three.
  static let mainBudget = 240_000
  static let threadBudget = 32_000
  static let otherBudget = 72_000

  /// Lays a trace's subject out over time.
  ///
  /// - Throws: `RadioProfileError` when the radio profile is unknown or malformed.
  package static func measure(
    _ trace: Trace, signals: SignalSet, options: MeasurementOptions = MeasurementOptions()
  ) throws(RadioProfileError) -> Timeline {
    let profile = try RadioProfileFile.profile(
      named: options.radioProfile, userFile: options.radioProfileFile)
    let subject = SubjectView(trace)
    let canvas = TimelineCanvas(subject)
    var timeline = Timeline(durationSeconds: trace.metadata.durationSeconds)
    timeline.lanes = ThreadLanes.lanes(signals, canvas)
    if signals.cpu != nil { timeline.lanes.append(ThreadLanes.processors(canvas)) }
    if signals.wakeups != nil { timeline.lanes.append(EventLanes.wakeups(canvas)) }
    if signals.network != nil {
      let packets = NetworkMeasure.packets(subject, includeLoopback: options.includeLoopback)
      if !packets.isEmpty {
        timeline.lanes += EventLanes.radio(packets, profile, canvas)
        timeline.radio = EventLanes.prices(profile)
      } else {
        // What moves no radio is still what the program did.
        let local = NetworkMeasure.packets(subject, includeLoopback: true)
        if !local.isEmpty { timeline.lanes.append(EventLanes.loopback(local, canvas)) }
      }
    }
    if signals.disk != nil { timeline.lanes.append(EventLanes.disk(canvas)) }
    timeline.prices = EnergyPrices(
      wattsPerCore: signals.priors.cpu.value, joulesPerWakeup: signals.priors.wakeup.value,
      joulesPerOperation: signals.priors.diskOperation.value,
      joulesPerByte: signals.priors.diskByte.value,
      joulesPerRandomBlock: signals.priors.diskRandomBlock.value)
    timeline.footprint = EventLanes.footprint(subject)
    timeline.phases = phases(signals, subject)
    timeline.flames = FlameGraph.graphs(signals, subject)
    return timeline
  }

  /// Intervals shown at most: the longest.
  private static let longestIntervals = 200

  /// Phases, the marks that begin none, and the program's own intervals.
  private static func phases(_ signals: SignalSet, _ subject: SubjectView) -> [TimelinePhase] {
    let spans = signals.phases.map {
      TimelinePhase(name: $0.name.rawValue, start: $0.start, end: $0.start + $0.durationSeconds)
    }
    let begins = Set(signals.phases.map(\.start))
    let marks = signals.marks.filter { !begins.contains($0.time) }.map {
      TimelinePhase(name: $0.name, start: $0.time, end: nil)
    }
    let intervals = signals.intervals.sorted { $0.durationSeconds > $1.durationSeconds }
      .prefix(longestIntervals).sorted { $0.start < $1.start }.map {
        TimelinePhase(name: $0.name, start: $0.start, end: $0.start + $0.durationSeconds)
      }
    return (spans + marks + intervals).sorted { ($0.start, $0.name) < ($1.start, $1.name) }
  }
}

/// What the makers of lanes share: the subject and its times in microseconds.
struct TimelineCanvas {
  let subject: SubjectView
  let duration: UInt64

  init(_ subject: SubjectView) {
    self.subject = subject
    duration = Self.microseconds(subject.trace.end, since: subject.trace.start)
  }

  /// Microseconds since the start of the trace, to the nearest.
  func time(_ timestamp: Timestamp) -> UInt64 {
    Self.microseconds(timestamp, since: subject.trace.start)
  }

  private static func microseconds(_ time: Timestamp, since start: Timestamp) -> UInt64 {
    guard time > start else { return 0 }
    return (time.nanoseconds - start.nanoseconds + 500) / 1000
  }

  /// A lane whose channels `fill` writes.
  func lane(
    _ kind: TimelineLaneKind, channels: [String], budget: Int, thread: ThreadSignal? = nil,
    name: String = "", _ fill: (inout GridEncoder) -> Void
  ) -> TimelineLane {
    let grid = GridEncoder.fit(
      channels: channels.count, budget: budget, duration: duration, fill)
    return TimelineLane(
      kind: kind, tid: thread?.tid, name: thread?.name ?? name, role: thread?.role.rawValue ?? "",
      channels: channels, quantum: Int(grid.quantum),
      data: Data(grid.bytes).base64EncodedString())
  }
}
