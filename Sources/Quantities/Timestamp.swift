/// A point in time on the trace's clock.
///
/// Lull records with CLOCK_MONOTONIC; a trace of plain `perf record` may use the scheduler's clock.
public struct Timestamp: Comparable, Hashable, Sendable, Codable {
  /// Nanoseconds since the clock's own origin.
  public var nanoseconds: UInt64

  /// Makes a point in time from nanoseconds since the clock's origin.
  @inlinable public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// Orders by time.
  @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.nanoseconds < b.nanoseconds
  }

  /// The signed distance from `b` to `a`; wraps only beyond 292 years.
  @inlinable public static func - (a: Timestamp, b: Timestamp) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(truncatingIfNeeded: a.nanoseconds &- b.nanoseconds))
  }

  /// The point `span` later (earlier, when it is negative).
  @inlinable public static func + (a: Timestamp, span: TimeSpan) -> Timestamp {
    Timestamp(nanoseconds: a.nanoseconds &+ UInt64(bitPattern: span.nanoseconds))
  }
}

/// A signed length of time.
public struct TimeSpan: Comparable, Hashable, Sendable, Codable {
  /// The length in nanoseconds.
  public var nanoseconds: Int64

  /// Makes a length of time from nanoseconds.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Makes a length of time from seconds; what does not fit is clamped, and not-a-number is zero.
  @inlinable public init(seconds: Double) {
    let scaled = (seconds * 1e9).rounded()
    if scaled.isNaN {
      nanoseconds = 0
    } else if scaled >= 9.2233720368547748e18 {
      nanoseconds = .max
    } else if scaled <= -9.2233720368547748e18 {
      nanoseconds = .min
    } else {
      nanoseconds = Int64(scaled)
    }
  }

  /// The length in seconds.
  @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// No time at all.
  @inlinable public static var zero: TimeSpan { TimeSpan(nanoseconds: 0) }

  /// Orders by length.
  @inlinable public static func < (a: TimeSpan, b: TimeSpan) -> Bool {
    a.nanoseconds < b.nanoseconds
  }

  /// The sum of two lengths.
  @inlinable public static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds &+ b.nanoseconds)
  }

  /// The difference of two lengths.
  @inlinable public static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds &- b.nanoseconds)
  }

  /// Lengthens in place.
  @inlinable public static func += (a: inout TimeSpan, b: TimeSpan) { a = a + b }

  /// Shortens in place.
  @inlinable public static func -= (a: inout TimeSpan, b: TimeSpan) { a = a - b }
}
