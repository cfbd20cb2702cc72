import Quantities
import TraceModel

/// Measures what the subject wrote to regular files, by path.
enum DiskMeasure {
  static func measure(_ subject: SubjectView, _ loads: FileLoadMeasure) -> DiskSignal {
    var ledger = DiskLedger(subject)
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid) { ledger.add(operation) }
    ledger.add(loads.small)
    var signal = ledger.finish()
    (signal.reads, signal.bytesRead) = (loads.reads, loads.bytesRead)
    signal.loads = loads.loads
    let given = GivenStreams.paths(subject)
    for index in signal.files.indices where given.contains(signal.files[index].path) {
      signal.files[index].isGiven = true
    }
    signal.readsMeasured = subject.trace.capture?.recordsLargeReads == true
    let minutes = subject.seconds / 60
    signal.writesPerMinute = minutes > 0 ? Double(signal.writes) / minutes : 0
    signal.deviceBytesWritten = deviceBytesWritten(subject)
    signal.missing = missing(beside: signal, subject.trace.metadata.untoldWrites)
    return signal
  }

  /// Of fewer the rest tells enough.
  private static let mostUntold = 0.05

  /// Files that live for a millisecond, where the probes that tell paths were not there.
  private static func missing(beside signal: DiskSignal, _ untold: UntoldWrites) -> String? {
    let (known, unknown) = (signal.writes + signal.syncs, untold.writes + untold.syncs)
    guard unknown > 0, Double(unknown) > mostUntold * Double(known + unknown) else { return nil }
    return "\(Figures.count(untold.writes, "write")) of \(Figures.bytes(untold.bytes)) and "
      + "\(Figures.count(untold.syncs, "sync")) more were of files that were closed before they could be looked at: "
      + "what they were is not known"
  }

  /// By /proc's count of bytes handed to storage.
  private static func deviceBytesWritten(_ subject: SubjectView) -> UInt64? {
    let samples = subject.trace.footprints.filter { $0.pid == subject.pid }
    guard let first = samples.first, let last = samples.last else { return nil }
    // A wrapped program starts at zero; an attached one had written before.
    let before = subject.trace.startsLate ? first.sample.storageWriteBytes : 0
    return last.sample.storageWriteBytes &- before
  }
}
