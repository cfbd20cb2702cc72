import Glibc
import PerfData
import Quantities

/// What the trace says after the last event, and what becomes of the command.
extension Recording {
  /// Completes the trace; failing to write it is a problem, not an error. Gives the number of records that were lost.
  func end(_ ending: RecordingEnding, since start: UInt64) -> UInt64 {
    // What is written from here on takes time that is no part of the recording.
    let ended = SystemInfo.monotonicNanoseconds()
    do throws(PerfDataError) {
      try session.finish(ending)
      if let failure = session.writeFailure { throw failure }
      if let writer { try end(writer, at: ended) }
    } catch {
      let whole = Double(ended &- start) / 1e9
      truncation =
        "the trace is cut short after \(Figures.seconds(secondsWritten)) of \(Figures.seconds(whole)), "
        + "what was written before stays "
        + "readable: \(error.description)"
    }
    let lost = sources.reduce(0) { $0 + $1.lostRecords }
    if lost > 0 {
      problems.append(
        "the ring buffers were full: \(Figures.count(Int(clamping: lost), "record")) lost")
    }
    return lost
  }

  private func end(_ writer: PerfDataWriter, at time: UInt64) throws(PerfDataError) {
    var summary = summary(complete: true)
    summary.capture.overheadCPUSeconds = Recorder.usedCPUSeconds() - usedBefore
    try sink.append(summary.capture, pid: subject.pid, time: time)
    try sink.append(RecordBuilder.finishedRound())
    try sink.flushWhole()
    try writer.finish(features: summary.features)
    if case .rotation(let rotation)? = options.parts {
      rotation.onPart(rotation.path(part), heldFiles)
    }
  }

  /// How much can be read of a file that could not be written further, in seconds, as a report of it counts them.
  private var secondsWritten: Double {
    var path = options.outputPath
    if case .rotation(let rotation)? = options.parts { path = rotation.path(part) }
    guard let file = try? PerfDataFile(path: path) else { return 0 }
    let times = file.forEachBatch([], isSmall: true) { _ in OffsetSpan() }
    return times.count > 0 ? Double(times.latest &- times.earliest) / 1e9 : 0
  }

  /// What to exit with; a command that still runs after its time is asked to end.
  func exitStatus(_ ending: RecordingEnding) -> (status: Int32, signal: Int32?) {
    guard case .command(let command) = subject else { return (0, nil) }
    var end: WrappedCommand.End?
    switch ending {
    case .targetEnded(let known): end = known
    case .duration: end = stop(command, SIGTERM)
    case .terminated(let number): end = stop(command, number)
    case .interrupted: end = command.reap()
    }
    if let end { return (end.exitStatus, end.signal) }
    problems.append("process \(command.pid) still runs: recording ended before it")
    if case .terminated(let number) = ending { return (128 + number, nil) }
    if case .interrupted = ending { return (128 + SIGINT, nil) }
    return (128 + SIGTERM, nil)
  }

  /// Two seconds are what a service manager's shortest stop gives.
  private func stop(_ command: WrappedCommand, _ number: Int32) -> WrappedCommand.End? {
    command.signal(number)
    for _ in 0..<200 {
      if let end = command.reap() { return end }
      usleep(10_000)
    }
    return nil
  }
}
