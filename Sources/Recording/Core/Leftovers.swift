import CPerfEvent
import Glibc

/// What a recording leaves in the kernel when its trace is written, and what takes long to take back.
///
/// All events are off by then. But with the last descriptor of each tracepoint and each probe the kernel waits for all
/// CPUs, 30 to 120 ms; of the forty of a recording that comes to almost two seconds, for which nobody is to wait.
final class Leftovers {
  /// In the order in which they are to be closed.
  private var descriptors: [Int32] = []
  private var lines: [String] = []
  private let tracefs: TraceFS?

  /// `tracefs` is where probes are defined.
  init(tracefs: TraceFS?) { self.tracefs = tracefs }

  deinit { take() }

  /// Takes over descriptors, to be closed after those that were added before.
  func add(_ added: some Sequence<Int32>) { descriptors += added }

  /// Takes over the definition of a probe, to be removed once all descriptors are closed.
  func add(definition name: String) { lines.append("-:\(name)\n") }

  /// Leaves all that to a process which goes on when this one has ended; without one it is waited for.
  private func take() {
    guard !descriptors.isEmpty || !lines.isEmpty else { return }
    let definitions = tracefs?.opened(toAppend: UprobeSet.definitions)
    let presence = tracefs?.opened(EventTurn.presence)
    if let presence { flock(presence.number, LOCK_SH | LOCK_NB) }
    var texts = lines.map { UnsafePointer(strdup($0)) }
    defer { for text in texts { free(UnsafeMutablePointer(mutating: text)) } }
    var gate: Int32 = -1
    let result = descriptors.withUnsafeBufferPointer { descriptors in
      texts.withUnsafeMutableBufferPointer { texts in
        var leftovers = lull_leftovers(
          descriptors: descriptors.baseAddress, count: descriptors.count,
          definitions: definitions?.number ?? -1, lines: texts.baseAddress,
          line_count: definitions == nil ? 0 : texts.count, presence: presence?.number ?? -1)
        return lull_leave(&leftovers, &gate)
      }
    }
    for descriptor in descriptors { close(descriptor) }
    if result == 0 {
      close(gate)
    } else {
      for line in lines { try? tracefs?.append(line, to: UprobeSet.definitions) }
    }
  }
}
