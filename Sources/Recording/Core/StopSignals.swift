import CPerfEvent
import Glibc

/// Counts the signals that would end the recorder, and wakes its loop at each.
final class StopSignals {
  /// Becomes readable at a signal.
  let wakeDescriptor: Int32
  private let writeDescriptor: Int32
  /// Those that end nothing and are not passed on.
  var answered: Set<Int32> = []

  /// From here on they are counted; a program that is started after this would inherit what is ignored.
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

  /// How often Ctrl-C or Ctrl-\ was pressed.
  var interrupts: Int { Int(lull_signals_count(SIGINT) + lull_signals_count(SIGQUIT)) }

  /// The first signal that ends what it is sent to: a request, a hang-up, a timer's or a limit's.
  private static let ending = [
    SIGTERM, SIGHUP, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR, SIGSTKFLT,
  ]

  /// One of those, when it came.
  var termination: Int32? {
    Self.ending.first { !answered.contains($0) && lull_signals_count($0) > 0 }
  }

  /// Whether the recorder was told to end.
  var endsRecording: Bool { interrupts > 0 || termination != nil }

  private var passedOn: [Int32: Int32] = [:]

  /// SIGUSR1 and SIGUSR2, as often as they came since this was last asked: they are meant for the command.
  func userSignals() -> [Int32] {
    new(of: [SIGUSR1, SIGUSR2].filter { !answered.contains($0) })
  }

  /// Those that are answered, as often as they came since this was last asked.
  func answeredSignals() -> [Int32] { new(of: answered.sorted()) }

  private func new(of numbers: [Int32]) -> [Int32] {
    numbers.flatMap { number in
      let count = lull_signals_count(number)
      let new = count - (passedOn[number] ?? 0)
      passedOn[number] = count
      return [Int32](repeating: number, count: Int(max(0, new)))
    }
  }

  /// Empties the pipe.
  func acknowledge() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakeDescriptor, &bytes, bytes.count) > 0 {}
  }
}
