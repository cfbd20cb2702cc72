import CLullMarks
import Synchronization

/// Names this moment in a recording by Lull: `mark("ready")`.
///
/// `ready` ends the launch; `background`, `inactive`, `foreground` and `terminating` begin those phases; any
/// other name is shown in the report. Costs little more than a call of an empty function when nobody records.
public func mark(_ name: StaticString) {
  name.withUTF8Buffer {
    lull_mark(UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self))
  }
}

/// A span of the program's work with a name, which reports show with its cost.
///
/// ```swift
/// let load = MarkedInterval("load")
/// defer { load.end() }
/// ```
public struct MarkedInterval: Sendable {
  /// The name.
  public let name: StaticString
  private let identifier: UInt64

  private static let next = Atomic<UInt64>(1)

  /// Begins the interval.
  public init(_ name: StaticString) {
    self.name = name
    identifier = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue
    let identifier = identifier
    name.withUTF8Buffer {
      lull_interval_begin(
        UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self), identifier)
    }
  }

  /// Ends the interval; it may be called in another thread.
  public func end() {
    let identifier = identifier
    name.withUTF8Buffer {
      lull_interval_end(
        UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self), identifier)
    }
  }
}

/// Runs `body` as an interval of this name.
public func interval<Result, Failure: Error>(
  _ name: StaticString, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let interval = MarkedInterval(name)
  defer { interval.end() }
  return try body()
}

/// Runs `body` as an interval of this name.
public func interval<Result, Failure: Error>(
  _ name: StaticString, isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws(Failure) -> Result
) async throws(Failure) -> Result {
  let interval = MarkedInterval(name)
  defer { interval.end() }
  return try await body()
}
