import PerfData
import Quantities

/// A part of a recording, in seconds from its start.
public struct TraceWindow: Sendable, Hashable {
  public var from: Double
  public var to: Double

  /// From `from` (the start, when it is nil) to `to` (the end).
  public init(from: Double? = nil, to: Double? = nil) {
    self.from = max(from ?? 0, 0)
    self.to = max(to ?? .infinity, self.from)
  }

  /// The moments of the window in a recording that starts then.
  func range(from start: Timestamp) -> ClosedRange<Timestamp> {
    let first = start + TimeSpan(seconds: from)
    return first...max(first, start + TimeSpan(seconds: to))
  }

  /// The window in one recording.
  struct Bounds {
    let recordingStart: Timestamp
    let from: Timestamp
    /// Before `from` where the recording was over by then.
    let to: Timestamp

    func contains(_ time: Timestamp) -> Bool { time >= from && time <= to }

    /// Whether what lasted from one moment to another, or is not over, reaches into it.
    func meets(_ start: Timestamp, _ end: Timestamp?) -> Bool {
      start <= to && (end ?? to) >= from
    }
  }
}

extension TriggerEvent {
  /// The part of its trace that was asked for; what is before tells only what stood then.
  func window(from start: Timestamp) -> TraceWindow? {
    guard kind == .asked else { return nil }
    return TraceWindow(
      from: (Timestamp(nanoseconds: fromNs) - start).seconds,
      to: (Timestamp(nanoseconds: toNs) - start).seconds)
  }
}

extension Trace {
  /// The window that was asked for, or all of it; of a time in which the subject was not there nothing can be told.
  func part(_ window: TraceWindow?) throws(TraceError) -> Trace {
    guard let window else { return self }
    let moments = window.range(from: start)
    func text(_ time: Timestamp) -> String { Figures.seconds(seconds(time)) }
    let asked = "of \(metadata.path) nothing can be told from \(text(moments.lowerBound)) on"
    guard moments.lowerBound < end else {
      throw TraceError("\(asked): it ends after \(text(end)); give an earlier --from")
    }
    let name = "\(subject.name) (pid \(subject.pid))"
    if let ended = subject.end, ended < moments.lowerBound {
      throw TraceError("\(asked): \(name) ended after \(text(ended)); give an earlier --from")
    }
    guard moments.upperBound > subject.start else {
      throw TraceError(
        "of \(metadata.path) nothing can be told until \(text(moments.upperBound)): \(name) began after "
          + "\(text(subject.start)); give a later --to")
    }
    return limited(to: window)
  }

  /// The trace as if only the window had been recorded; times still count from the recording's start.
  func limited(to window: TraceWindow) -> Trace {
    let moments = window.range(from: start)
    let bounds = TraceWindow.Bounds(
      recordingStart: start, from: moments.lowerBound, to: min(end, moments.upperBound))
    var part = self
    part.end = max(bounds.to, bounds.from)
    part.startsLate = startsLate || subject.start < bounds.from
    part.ageAtStart = ageAtStart.map {
      $0 + max(bounds.from - max(subject.start, start), TimeSpan(nanoseconds: 0))
    }
    part.tables.keep(bounds)
    part.subject =
      part.processes.first { $0.pid == subject.pid } ?? subject.limited(to: bounds)
    // The subject's life begins with its program, which may be after its process's.
    part.subject.start = max(subject.start, bounds.from)
    part.metadata.durationSeconds = (part.end - bounds.from).seconds
    return part
  }
}
