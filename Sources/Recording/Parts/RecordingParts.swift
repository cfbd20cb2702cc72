import PerfData
import Quantities

/// How a recording is kept in parts, each of which can be read alone.
package enum RecordingParts: Sendable {
  /// Each in a file of its own.
  case rotation(Rotation)
  /// The last ones in memory, which are written when something happens.
  case flight(Flight)
}

/// A recording that changes its file.
package struct Rotation: Sendable {
  /// After how long; nil for no limit.
  package var every: TimeSpan?
  /// After how many bytes; nil for no limit.
  package var bytes: UInt64?
  /// Where the parts go; it must be there.
  package var folder: String
  /// What their names begin with.
  package var run: String
  /// Called in the recording's loop when a part is finished, the last one too.
  package var onPart: @Sendable (_ path: String, HeldFiles) -> Void

  /// Makes the value from its parts.
  package init(
    every: TimeSpan?, bytes: UInt64?, folder: String, run: String,
    onPart: @escaping @Sendable (String, HeldFiles) -> Void
  ) {
    self.every = every
    self.bytes = bytes
    self.folder = folder
    self.run = run
    self.onPart = onPart
  }

  func path(_ number: Int) -> String {
    folder + "/" + PartFolder.name(run: run, number: number)
  }
}

/// A recording whose last seconds are in memory.
package struct Flight: Sendable {
  /// How much is kept at least, as long as there is room.
  package var length: TimeSpan
  /// The most bytes of records that are kept.
  package var memoryBytes: Int
  /// What makes it write.
  package var conditions: [FlightCondition]
  /// How often it writes within an hour at most.
  package var atMost: Int
  /// Finds the main thread's hangs in the last seconds; called on another thread. Nil where they cannot be told.
  package var findHangs: @Sendable (PerfDataFile) -> [FlightHang]?
  /// Where to write.
  package var path: @Sendable (TriggerEvent) -> String
  /// Called in the recording's loop when a trace is written.
  package var onTrace: @Sendable (_ path: String, TriggerEvent, HeldFiles) -> Void
  /// Called in the recording's loop with what the user is to know at once.
  package var onProblem: @Sendable (String) -> Void

  /// Makes the value from its parts.
  package init(
    length: TimeSpan, memoryBytes: Int, conditions: [FlightCondition], atMost: Int,
    findHangs: @escaping @Sendable (PerfDataFile) -> [FlightHang]?,
    path: @escaping @Sendable (TriggerEvent) -> String,
    onTrace: @escaping @Sendable (String, TriggerEvent, HeldFiles) -> Void,
    onProblem: @escaping @Sendable (String) -> Void
  ) {
    self.length = length
    self.memoryBytes = memoryBytes
    self.conditions = conditions
    self.atMost = atMost
    self.findHangs = findHangs
    self.path = path
    self.onTrace = onTrace
    self.onProblem = onProblem
  }
}

/// What makes a flight recorder write.
package struct FlightCondition: Sendable, Equatable {
  /// The sort of condition, with its limit.
  package enum Limit: Sendable, Equatable {
    /// The main thread is kept from its event loop for longer.
    case hang(TimeSpan)
    /// A process's footprint is above so many bytes.
    case footprint(UInt64)
    /// The recorder is sent this signal.
    case signal(Int32)
  }

  /// What is waited for.
  package var limit: Limit
  /// As the user wrote it.
  package var text: String

  /// Makes the value from its parts.
  package init(_ limit: Limit, text: String) {
    self.limit = limit
    self.text = text
  }
}

/// A hang as it was found in the last seconds.
package struct FlightHang: Sendable, Equatable {
  /// When it began, in nanoseconds on the trace's clock.
  package var fromNs: UInt64
  /// When it ended, or until when it was seen.
  package var toNs: UInt64
  /// It had not ended.
  package var isGoingOn: Bool
  /// Whose main thread hung.
  package var pid: Int32

  /// Makes the value from its parts.
  package init(fromNs: UInt64, toNs: UInt64, isGoingOn: Bool, pid: Int32) {
    self.pid = pid
    self.fromNs = fromNs
    self.toNs = toNs
    self.isGoingOn = isGoingOn
  }
}
