import CPerfEvent
import Glibc
import PerfData

/// A running process that is recorded without being stopped, with the children that it has.
final class AttachedProcess {
  let pid: Int32
  private let takesChildren: Bool
  /// The descendants that were there and are recorded, parents before their children.
  private(set) var descendants: [Int32] = []
  /// Those that were there and are not recorded.
  private(set) var strangers: [Int32] = []
  /// Becomes readable when the process ends; its id may be reused, this may not.
  let pidfd: Int32

  /// Finds the process and refuses what cannot be recorded.
  init(pid: Int32, takesChildren: Bool) throws(RecordingError) {
    guard pid > 0 else {
      throw RecordingError(kind: .usage, message: "\(pid) is no process id: give a positive number")
    }
    guard pid != getpid() else {
      throw RecordingError(kind: .usage, message: "process \(pid) is this recorder itself")
    }
    if let reason = ProcessProbe.whyNotTraceable(pid: pid) { throw reason }
    if let group = Self.threadGroup(of: pid), group != pid {
      throw RecordingError(
        kind: .usage,
        message: "\(pid) is a thread of process \(group): give --pid \(group)")
    }
    let descriptor = lull_pidfd_open(pid)
    if descriptor == -ESRCH {
      throw RecordingError(
        kind: .noSuchProcess, message: "there is no process \(pid): it may have ended",
        errno: ESRCH)
    }
    self.pid = pid
    self.takesChildren = takesChildren
    pidfd = descriptor
  }

  deinit { if pidfd >= 0 { close(pidfd) } }

  private static func threadGroup(of pid: Int32) -> Int32? {
    guard let text = KernelFile.text("/proc/\(pid)/status") else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("Tgid:") {
      return Int32(line.dropFirst(5).drop { $0 == "\t" || $0 == " " })
    }
    return nil
  }

  /// Opens the events in every thread of every process, reading the lists again until they hold nothing new.
  ///
  /// A thread that was born of one whose events are open has inherited them, which its
  /// announcement in the rings tells; it must not get them twice.
  ///
  /// Where looks at its threads take so many descriptors of each too, there have to be enough for both.
  func arm(_ events: EventSet, besideLooks own: Int = 0) throws(RecordingError) -> Set<Int32> {
    var armed: Set<Int32> = []
    while true {
      let announced = Set(events.rings.flatMap { $0.beginnings() }.map(\.tid))
      let children = ProcessProbe.children(of: pid)
      let isTaken = Dictionary(
        uniqueKeysWithValues: children.map {
          ($0, takesChildren && ProcessProbe.isTraceable(pid: $0))
        })
      // One that was born of a thread whose events are open is told of by the rings.
      descendants = children.filter { isTaken[$0] == true && !announced.contains($0) }
      strangers = children.filter { isTaken[$0] == false && !announced.contains($0) }
      let fresh = ([pid] + descendants).flatMap { ProcessProbe.threadIDs(pid: $0) }.filter {
        !armed.contains($0) && !announced.contains($0)
      }
      // Those of CPUs announce the threads of all programs.
      if fresh.isEmpty { return events.areOfCPUs ? armed : armed.union(announced) }
      let needed = (events.descriptorsOfThread + own) * (armed.count + fresh.count)
      let isEnough = DescriptorLimit.raise(toHold: needed)
      if !isEnough, own > 0, events.descriptorsOfThread > 0 { throw events.tooFewDescriptors() }
      if !isEnough, events.canBeTakenOver { events.isForTakeover = true }
      for tid in fresh {
        armed.insert(tid)
        // The first thread's are those whose place the CPUs' events take.
        if !events.isForTakeover || armed.count == 1 { _ = try events.openThread(tid) }
      }
    }
  }
}

extension MmapRecord {
  /// As `/proc/PID/map_files` names it.
  var range: String {
    String(start, radix: 16) + "-" + String(start &+ length, radix: 16)
  }
}

/// The mappings of a running process.
enum ProcessMaps {
  /// The executable mappings, as the kernel would have announced them.
  static func executable(pid: Int32) -> [MmapRecord] {
    guard let text = KernelFile.text("/proc/\(pid)/maps") else { return [] }
    let root = ProcessRoot(of: pid)
    return text.split(separator: "\n").compactMap { line in
      guard var mapping = parse(line, pid: pid) else { return nil }
      let path = mapping.path
      mapping.path = String(root.path(path[...]))
      return mapping
    }
  }

  /// Reads `start-end perms offset dev inode path`.
  static func parse(_ line: Substring, pid: Int32) -> MmapRecord? {
    let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard fields.count >= 5, fields[1].dropFirst(2).first == "x" else { return nil }
    let ends = fields[0].split(separator: "-")
    guard ends.count == 2, let start = UInt64(ends[0], radix: 16),
      let end = UInt64(ends[1], radix: 16), end > start, let offset = UInt64(fields[2], radix: 16)
    else { return nil }
    let name = fields.count > 5 ? String(fields[5].drop { $0 == " " }) : "//anon"
    // PROT_* and MAP_SHARED or MAP_PRIVATE.
    let protection: UInt32 =
      (fields[1].hasPrefix("r") ? 1 : 0) | (fields[1].dropFirst().first == "w" ? 2 : 0) | 4
    return MmapRecord(
      pid: pid, tid: pid, start: start, length: end - start, fileOffset: offset,
      protection: protection, flags: fields[1].hasSuffix("s") ? 1 : 2, path: name,
      inode: UInt64(fields[4]).flatMap { $0 > 0 ? $0 : nil })
  }
}
