import PerfData
import Quantities

/// What a counter counted, by its readings.
public struct CounterSeries: Sendable {
  private struct Reading: Sendable {
    var time: Timestamp
    /// Since the recording began.
    var value: Double
  }

  public let name: String
  public let unit: String?
  /// What it counted in all that is looked at.
  public private(set) var value: Double
  private var readings: [Reading] = []
  /// What it had counted before what is looked at.
  private var base = 0.0

  /// A counter of which nothing but the sum is known.
  public init(name: String, unit: String? = nil, value: Double) {
    self.name = name
    self.unit = unit
    self.value = value
  }

  mutating func append(_ event: CounterEvent, at time: Timestamp) {
    if event.isBase == true, readings.isEmpty { base = event.value }
    value = event.value - base
    readings.append(Reading(time: time, value: value))
  }

  private func value(at time: Timestamp, _ start: Timestamp) -> Double {
    let next = readings.partitioningIndex { $0.time > time }
    let before = next > 0 ? readings[next - 1] : Reading(time: start, value: 0)
    guard next < readings.count, time > before.time else { return before.value }
    let after = readings[next]
    return before.value + (after.value - before.value)
      * ((time - before.time).seconds / (after.time - before.time).seconds)
  }
}

extension CounterSeries: WholeRow {
  /// Between two readings it counted evenly.
  func kept(in window: TraceWindow.Bounds) -> CounterSeries? {
    var part = self
    part.value =
      value(at: window.to, window.recordingStart) - value(at: window.from, window.recordingStart)
    return part
  }
}
