import CPerfEvent
import Glibc

/// Counts the signals that ask the recorder to stop, and wakes its loop at each.
final class StopSignals {
  /// Becomes readable at a signal.
  let wakeDescriptor: Int32
  private let writeDescriptor: Int32

  init() throws(RecordingError) {
    var ends: [Int32] = [-1, -1]
    let result = lull_wake_pipe(&ends)
    guard result == 0 else {
      throw RecordingError(
        kind: .io, message: "cannot make a pipe: \(KernelFile.errorText(-result))",
        errno: -result)
    }
    wakeDescriptor = ends[0]
    writeDescriptor = ends[1]
    _ = lull_signals_install(writeDescriptor)
  }

  deinit {
    lull_signals_restore()
    close(wakeDescriptor)
    close(writeDescriptor)
  }

  /// How often Ctrl-C was pressed.
  var interrupts: Int { Int(lull_signals_count(SIGINT)) }

  /// SIGTERM or SIGHUP, when one came.
  var termination: Int32? {
    if lull_signals_count(SIGTERM) > 0 { return SIGTERM }
    return lull_signals_count(SIGHUP) > 0 ? SIGHUP : nil
  }

  /// Empties the pipe.
  func acknowledge() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakeDescriptor, &bytes, bytes.count) > 0 {}
  }
}
