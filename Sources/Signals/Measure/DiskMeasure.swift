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
    signal.readsAreLeast = loads.isLeast
    signal.loads = loads.loads
    let given = GivenStreams.paths(subject)
    for index in signal.files.indices where given.contains(signal.files[index].path) {
      signal.files[index].isGiven = true
    }
    signal.readsMeasured = subject.trace.capture?.recordsLargeReads == true
    signal.smallReadsMeasured = subject.trace.capture?.recordsSmallReads == true
    if signal.readsMeasured { signal.otherReads = otherReads(subject, beside: signal) }
    let minutes = subject.seconds / 60
    signal.writesPerMinute = minutes > 0 ? Double(signal.writes) / minutes : 0
    let device = DeviceWrites(subject)
    signal.deviceBytesWritten = device.bytes
    let unseen = UnseenDeviceWrites(subject, of: device, beside: signal)
    // What the device was asked for besides is no less work for it.
    if let bytes = unseen.bytes { signal.work.bytes &+= bytes }
    signal.missing =
      missing(beside: signal, subject.trace.metadata.untoldWrites) ?? ofUnknown(subject)
      ?? unseen.text
    return signal
  }

  /// Of fewer the rest tells enough.
  private static let mostUntold = 0.05

  /// Files that live for a millisecond, where the probes that tell paths were not there, and those of many with one
  /// descriptor's number after another, where calls were sampled.
  private static func missing(beside signal: DiskSignal, _ untold: UntoldWrites) -> String? {
    let (known, unknown) = (signal.writes + signal.syncs, untold.writes + untold.syncs)
    guard unknown > 0, Double(unknown) > mostUntold * Double(known + unknown) else { return nil }
    let cause =
      untold.areOfMany
      ? "that are not known: they were soon closed, and calls were sampled"
      : "that were closed before they could be looked at: what they were is not known"
    let about = untold.areSampled ? "about " : ""
    return "\(about)\(Figures.count(untold.writes, "write")) of \(Figures.bytes(untold.bytes)) and "
      + "\(about)\(Figures.count(untold.syncs, "sync")) more were of files \(cause)"
  }

  /// Recordings of others tell what a call wrote, and not what its descriptor is: a file, a pipe, a terminal.
  private static func ofUnknown(_ subject: SubjectView) -> String? {
    guard subject.trace.capture == nil else { return nil }
    let unknown = subject.trace.fileOperations.matching {
      $0.pid == subject.pid && $0.kind == .write && $0.target == nil
    }
    var (count, bytes): (UInt64, UInt64) = (0, 0)
    for operation in unknown {
      count &+= operation.weight
      bytes &+= operation.bytes &* operation.weight
    }
    guard count > 0 else { return nil }
    let writes = Figures.count(Int(clamping: count), "write")
    return "\(writes) of \(Figures.bytes(bytes)) went to descriptors of which the trace does not"
      + " tell whether they are files: record with lull"
  }

  /// Less is what any program reads as it starts, in calls and bytes.
  private static let (fewReads, fewBytes): (Int, UInt64) = (100, 64 << 10)

  private static func otherReads(_ subject: SubjectView, beside signal: DiskSignal) -> OtherReads? {
    guard let reads = signal.reads, let bytes = signal.bytesRead else { return nil }
    let named = signal.files.filter { $0.reads > 0 }
    let otherReads = reads - named.reduce(0) { $0 + $1.reads }
    let otherBytes = bytes - min(bytes, named.reduce(0) { $0 &+ $1.bytesRead })
    guard otherReads >= fewReads || otherReads > 0 && otherBytes >= fewBytes else { return nil }
    if signal.smallReadsMeasured {
      return OtherReads(files: 0, reads: otherReads, bytes: otherBytes)
    }
    let files = filesOpened(subject, besides: Set(named.map(\.path)))
    // Of pipes and terminals alone the sum of all reads tells as much.
    guard files > 0 else { return nil }
    return OtherReads(files: files, reads: otherReads, bytes: otherBytes)
  }

  /// How many files were open for reading besides those of which reads are known.
  private static func filesOpened(_ subject: SubjectView, besides known: Set<String>) -> Int {
    var others: Set<String> = []
    for file in subject.trace.openFiles
    where file.pid == subject.pid && !file.isWriteOnly
      && file.end.map({ $0 >= subject.start }) ?? true
    {
      // What was closed at once was not looked at: of that the path is known alone.
      guard let path = file.path, file.kind == .regular || file.kind == nil && path.hasPrefix("/"),
        !known.contains(path)
      else { continue }
      others.insert(path)
    }
    return others.count
  }
}
