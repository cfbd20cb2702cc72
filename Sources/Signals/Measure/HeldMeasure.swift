import PerfData
import Quantities
import TraceModel

/// What the process held that others wait for, or that costs energy while it is held.
enum HeldMeasure {
  /// AF_BLUETOOTH (linux/socket.h).
  private static let bluetooth = 31

  /// Nil where the recorder did not look.
  static func locks(_ subject: SubjectView) -> [HeldSignal]? {
    guard subject.trace.eventNames.contains(SyntheticEvent.held.rawValue) else { return nil }
    return subject.trace.held.filter { $0.pid == subject.pid }.map {
      HeldSignal(
        isLock: $0.event.kind == .fileLock, name: $0.event.name, isExclusive: $0.event.isExclusive,
        start: subject.time($0.start), end: $0.end.map { subject.time($0) })
    }
  }

  /// Sound devices that were open, and Bluetooth sockets that data went through.
  static func accessories(_ subject: SubjectView) -> [AccessoryUse] {
    var uses: [AccessoryUse] = []
    for file in subject.trace.openFiles where file.pid == subject.pid {
      guard let path = file.path,
        path.hasPrefix("/dev/snd/pcm") || path == "/dev/dsp" || path.hasPrefix("/dev/rfcomm")
      else { continue }
      let start = max(file.start, subject.start)
      uses.append(
        AccessoryUse(
          name: path, seconds: (min(file.end ?? subject.end, subject.end) - start).seconds,
          start: subject.time(start)))
    }
    let times = subject.trace.transfers.filter {
      $0.pid == subject.pid && $0.family == bluetooth
    }.map(\.time)
    if let first = times.min(), let last = times.max() {
      uses.append(
        AccessoryUse(
          name: "Bluetooth socket", seconds: (last - first).seconds, start: subject.time(first)))
    }
    return uses.sorted { ($1.seconds, $0.name) < ($0.seconds, $1.name) }
  }

  /// Property lists, each once.
  static func propertyLists(_ subject: SubjectView) -> [PropertyListUse] {
    var lists: [String: PropertyListUse] = [:]
    for file in subject.trace.openFiles
    where file.pid == subject.pid && file.kind == .regular && !file.isWriteOnly {
      guard let path = file.path, path.hasSuffix(".plist") else { continue }
      let isBinary = file.format.map { $0 == DescriptorEvent.binaryFormat }
      if lists[path]?.isBinary != nil, isBinary == nil { continue }
      lists[path] = PropertyListUse(path: path, size: file.size ?? 0, isBinary: isBinary)
    }
    return lists.values.sorted { ($1.size, $0.path) < ($0.size, $1.path) }
  }
}
