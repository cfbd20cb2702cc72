/// The times of all records of a pass, handed out or not.
public struct RecordTimes: Sendable {
  /// The earliest; nanoseconds, as `RecordEntry.time`.
  public var earliest: UInt64 = .max
  /// The latest.
  public var latest: UInt64 = 0
  /// How many records have a time.
  public var count = 0

  /// None yet.
  public init() {}

  @inline(__always)
  mutating func note(_ time: UInt64) {
    guard time > 0 else { return }
    earliest = min(earliest, time)
    latest = max(latest, time)
    count &+= 1
  }

  /// Notes so many records whose times lie between two that two of them have.
  mutating func note(_ earliest: UInt64, _ latest: UInt64, count: Int) {
    self.earliest = min(self.earliest, earliest)
    self.latest = max(self.latest, latest)
    self.count &+= count
  }
}
