import Quantities
import TraceModel

/// Measures what was done before the process was ready.
enum LaunchMeasure {
  private static let mostFiles = 20

  static func measure(main: ThreadModel, ready: Timestamp, in subject: SubjectView)
    -> LaunchSignal
  {
    let clipped = main.intervals.compactMap { interval -> ThreadInterval? in
      guard interval.start < ready else { return nil }
      var part = interval
      part.end = min(interval.end, ready)
      return part
    }
    let parts = TimeParts(WaitInference.infer(ThreadHistory(clipped)))
    var signal = LaunchSignal(
      seconds: (ready - subject.start).seconds, runningSeconds: parts.running.seconds,
      runnableSeconds: parts.runnable.seconds, blockedByCause: parts.blockedByCause)
    signal.bytesRead = bytesRead(until: ready, subject)
    var files: Set<String> = []
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid)
    where operation.time < ready {
      if case .open = operation.kind, let path = operation.path { files.insert(path) }
    }
    signal.filesOpened = files.count
    signal.files = Array(files.sorted().prefix(mostFiles))
    return signal
  }

  /// By /proc's count of read characters, less what sockets gave.
  private static func bytesRead(until ready: Timestamp, _ subject: SubjectView) -> UInt64? {
    let samples = subject.trace.footprints.filter { $0.pid == subject.pid }
    // The first reading after the moment holds what was read before it, and little more.
    guard let sample = samples.first(where: { $0.time >= ready }) ?? samples.last else {
      return nil
    }
    let received = subject.trace.transfers.reduce(UInt64(0)) {
      $1.pid == subject.pid && $1.direction == .receive && $1.time <= sample.time
        ? $0 &+ $1.bytes &* $1.weight : $0
    }
    let read = sample.sample.readChars
    return read - min(read, received)
  }
}
