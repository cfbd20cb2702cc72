import Dispatch
import PerfData
import Synchronization

/// Looks for hangs beside the recording's loop: that must not wait for it.
final class HangSearch: Sendable {
  private struct State {
    var isRunning = false
    var found: [FlightHang]?
    /// How long the last look took, in nanoseconds.
    var cost: UInt64 = 0
  }

  private let queue = DispatchQueue(label: "flight recorder")
  private let state = Mutex(State())

  /// How long the last look took, in nanoseconds; nil while one is under way.
  var cost: UInt64? { state.withLock { $0.isRunning ? nil : $0.cost } }

  /// Looks at the records of some parts, and at those of `ending`.
  func look(
    at parts: [FlightMemory.Part], ending: [UInt8], attributes: [EventAttribute],
    features: FileFeatures,
    _ find: @escaping @Sendable (PerfDataFile) -> [FlightHang]?
  ) {
    state.withLock { $0.isRunning = true }
    // Held as they are: the recording goes on with copies of what it appends to.
    let pieces = [parts.first?.standing ?? []] + parts.flatMap(\.chunks) + [ending]
    queue.async { [self] in
      let start = SystemInfo.monotonicNanoseconds()
      let bytes = PerfDataWriter.file(
        attributes: attributes, records: Array(pieces.joined()), features: features)
      let found = (try? PerfDataFile(bytes: bytes)).flatMap(find)
      let cost = SystemInfo.monotonicNanoseconds() - start
      state.withLock { state in
        state.isRunning = false
        state.found = found
        state.cost = cost
      }
    }
  }

  /// What the last look found, once.
  func take() -> [FlightHang]? {
    state.withLock { state in
      defer { state.found = nil }
      return state.found
    }
  }

  /// Waits until nothing is under way.
  func finish() { queue.sync {} }
}
