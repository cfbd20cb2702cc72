import Glibc

/// How many system calls that write the recorded processes made, by /proc: exactly, whatever was recorded of them.
///
/// The kernel counts there write, writev, pwrite64, pwritev, pwritev2, sendfile and copy_file_range, whatever they
/// write to and whether or not they succeed (fs/read_write.c). What a child counted is its parent's as soon as that has
/// asked for its status (wait_task_zombie in kernel/exit.c).
final class WriteCalls {
  /// What is asked of /proc.
  struct Source {
    /// A process's count; nil when it is gone, or may not be asked.
    var count: (Int32) -> UInt64?
    /// Whether the ends of a process's children are asked for by nobody, which loses what they counted.
    var ignoresEnds: (Int32) -> Bool
    /// Whether there is such a process, or its status still is.
    var exists: (Int32) -> Bool

    static var proc: Source {
      Source(
        count: { field("syscw:", pid: $0, file: "io").flatMap(ProcFields.number) },
        ignoresEnds: { pid in
          // A mask in hexadecimal, of which signal 1 is the lowest bit.
          guard let mask = field("SigIgn:", pid: pid, file: "status"),
            let ignored = UInt64(String(decoding: mask.dropFirst(), as: UTF8.self), radix: 16)
          else { return true }
          return ignored & 1 << UInt64(SIGCHLD - 1) != 0
        }, exists: { kill($0, 0) == 0 || errno != ESRCH })
    }

    private static func field(
      _ name: StaticString, pid: Int32, file: String
    ) -> ArraySlice<UInt8>? {
      KernelFile.bytes("/proc/\(pid)/\(file)").flatMap { ProcFields.field(name, of: $0[...]) }
    }
  }

  private struct Process {
    /// Its count when its recording began.
    var base: UInt64
    /// Its parent, if that is recorded and lives.
    var parent: Int32?
    /// Its count when it was last read, once it has ended.
    var atEnd: UInt64?
    /// When it ended, once that is known, on the recording's clock.
    var end: UInt64?
    /// When its parent ended, where that is known before its own end, although it is gone.
    var parentEnd: UInt64?
  }

  /// Those that live, or whose count may not be in their parent's yet.
  private var processes: [Int32: Process] = [:]
  /// Counts that no recorded parent takes over.
  private var orphaned: UInt64 = 0
  /// Children from before the recording: their counts would come to be the target's.
  private var strangers: [Int32] = []
  private var isExact = true
  private let source: Source
  private var zombies = 0
  private static let mostZombies = 64

  init(source: Source = .proc) { self.source = source }

  /// A process that was there before recording began, with those of its children that are not recorded.
  func found(_ pid: Int32, by parent: Int32? = nil, children: [Int32] = []) {
    strangers += children
    if let count = source.count(pid) {
      processes[pid] = Process(
        base: count, parent: parent.flatMap { processes[$0] == nil ? nil : $0 })
    } else {
      isExact = false
    }
  }

  /// A process that a recorded one created: it counts from 0.
  func created(_ pid: Int32, by parent: Int32) {
    // Its id is given out again only when the one before is gone.
    if processes[pid] != nil { settle(pid) }
    processes[pid] = Process(base: 0, parent: processes[parent] == nil ? nil : parent)
  }

  /// Call it as soon as the end is known: the count is there until its parent has asked for its status. Ends may come
  /// to be known in another order than they were in.
  func ended(_ pid: Int32, at time: UInt64) {
    guard let process = processes[pid] else { return }
    processes[pid]?.end = time
    if let parentEnd = process.parentEnd {
      // Its end was asked for by its parent, or after that by another program.
      if time < parentEnd { becameParents(pid) } else { processes[pid]?.parent = nil }
    }
    processes[pid]?.atEnd = source.count(pid)
    for (child, process) in processes where process.parent == pid {
      if source.exists(child) {
        // Its end will be asked for by another program.
        processes[child]?.parent = nil
      } else if let end = process.end, end < time {
        becameParents(child)
      } else {
        processes[child]?.parentEnd = time
      }
    }
    if processes[pid]?.atEnd == nil { return settle(pid) }
    zombies += 1
    guard zombies > Self.mostZombies else { return }
    for (zombie, process) in processes where process.end != nil && source.count(zombie) == nil {
      settle(zombie)
    }
    zombies = processes.values.count { $0.end != nil }
  }

  /// Its parent has its count, with what it counted before it was recorded.
  private func becameParents(_ pid: Int32) {
    if let process = processes.removeValue(forKey: pid) { orphaned &-= process.base }
  }

  /// Puts the count of a process that is gone to where it is now.
  private func settle(_ pid: Int32) {
    guard let process = processes.removeValue(forKey: pid) else { return }
    if let parent = process.parent {
      orphaned &-= process.base
      if source.ignoresEnds(parent) { isExact = false }
    } else if let count = process.atEnd {
      orphaned &+= count &- process.base
    } else {
      isExact = false
    }
  }

  /// The calls so far; nil where one of the processes could not be read.
  var total: UInt64? {
    if !strangers.allSatisfy(source.exists) { isExact = false }
    for _ in 0..<Self.readings {
      for (pid, process) in processes where process.end != nil && source.count(pid) == nil {
        settle(pid)
      }
      let living = processes.filter { source.exists($0.key) }
      guard processes.allSatisfy({ living[$0.key] != nil || isParents($0.value) }) else {
        continue
      }
      let counts = living.map { pid, process in source.count(pid).map { $0 &- process.base } }
      // One that ended meanwhile was counted twice, or not at all.
      guard living.keys.allSatisfy(source.exists) else { continue }
      let before = processes.filter { living[$0.key] == nil }.reduce(UInt64(0)) {
        $0 &+ $1.value.base
      }
      let sum = counts.reduce(UInt64?(orphaned &- before)) { sum, count in
        sum.flatMap { sum in count.map { sum &+ $0 } }
      }
      return isExact ? sum : nil
    }
    return nil
  }

  /// How often at most all processes are read, until none ends meanwhile.
  private static let readings = 8

  /// Of a process that is gone, although its end is not known yet: whether its parent's count has its own.
  private func isParents(_ process: Process) -> Bool {
    guard let parent = process.parent, process.parentEnd == nil else { return false }
    return !source.ignoresEnds(parent)
  }
}
