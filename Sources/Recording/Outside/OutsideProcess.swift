import Glibc
import PerfData

/// A process that is looked at from outside: its threads, and what tells that it did nothing.
final class OutsideProcess {
  let pid: Int32
  let parent: Int32
  var tasks: [Int32: OutsideTask] = [:]
  /// Threads as they were just before the recording began, until they are listed.
  private(set) var earlier: [Int32: OutsideEarlier] = [:]
  var descriptors: OutsideDescriptors
  /// What its first thread had used of the CPU, in nanoseconds, when its program began, which was when it was listed;
  /// nil where that is not known, and once it is told.
  var usedBefore: UInt64?
  /// Waits by themselves of threads that have ended.
  var endedSwitches: UInt64 = 0
  /// CPU time of threads that have ended, as far as that is told, and of those that were never seen before.
  var usedByEnded: UInt64 = 0
  /// What it had used, in nanoseconds, when its threads had been listed; nil before.
  private var usedBeforeCounting: UInt64?
  /// When its threads were last listed, and when that is due again whatever their number.
  var listed: UInt64
  private var nextListing: UInt64 = 0
  /// The program and the mappings that are written.
  private(set) var program: String?
  private var mapped: Set<String> = []
  private var code: [Range<UInt64>] = []
  private var mapsRead: UInt64 = 0
  private var mapsWait = OutsideProcess.shortestMapsInterval
  /// How long after that what is at an address of none is asked for: a program that begins is soon where its libraries
  /// are, and waits there for long.
  private var strangeWait = OutsideProcess.shortestStrangeWait
  private var nextMaps: UInt64 = 0
  private var threadCount: UInt64 = 0
  private let folder: OwnedDescriptor?
  private var clock = clockid_t()
  private let hasClock: Bool
  /// Its CPU time when all its threads were found waiting.
  private var quietClock: UInt64?

  private static let listing: UInt64 = 100_000_000
  private static let mapsInterval: UInt64 = 2_000_000_000
  private static let shortestMapsInterval: UInt64 = 20_000_000
  private static let shortestStrangeWait: UInt64 = 500_000

  init(pid: Int32, parent: Int32, at time: UInt64) {
    self.pid = pid
    self.parent = parent
    listed = time
    descriptors = OutsideDescriptors(pid: pid)
    folder = OwnedDescriptor(opening: "/proc/\(pid)/task", flags: O_RDONLY | O_DIRECTORY)
    hasClock = clock_getcpuclockid(pid, &clock) == 0
    program = KernelFile.link("/proc/\(pid)/exe")
  }

  /// Looks at the threads that it has: what they wait in by then is not what a first look finds them in later.
  func findEarlier(stackBytes: Int) {
    for tid in ProcessProbe.threadIDs(pid: pid) {
      guard let thread = EarlierThread(pid: pid, tid: tid) else { continue }
      let stack = thread.stack(of: pid, bytes: UInt32(stackBytes))?.bytes ?? []
      let function = thread.function(hasStack: !stack.isEmpty)
      var found = OutsideEarlier(thread: thread, stack: stack, function: function)
      // It may have gone on meanwhile.
      if case .waited = thread.course {} else { (found.stack, found.function) = ([], nil) }
      earlier[tid] = found
    }
  }

  /// All that there are have been listed.
  func forgetEarlier() { earlier = [:] }

  /// Its CPU time to the nanosecond; nil where that is not told.
  private var clockTime: UInt64? {
    guard hasClock else { return nil }
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Its threads were listed: what it has used besides by the first time was of others.
  func beginCounting() {
    guard usedBeforeCounting == nil, let clockTime else { return }
    usedBeforeCounting = clockTime
    usedByEnded += clockTime - min(clockTime, usedByThreads)
  }

  /// Its CPU time as far as it is told of threads.
  var usedAsTold: UInt64 { usedByEnded + usedByThreads }

  private var usedAtLook: UInt64 = 0

  /// Its CPU time from when its threads had been listed to the last look, and how much of it is told of them, in
  /// nanoseconds.
  var counted: (used: UInt64, told: UInt64) {
    guard let before = usedBeforeCounting else { return (0, 0) }
    let told = usedAsTold - min(before, usedAsTold)
    return (max(told, usedAtLook - min(before, usedAtLook)), told)
  }

  private var usedByThreads: UInt64 { tasks.values.reduce(0) { $0 + $1.thread.processor } }

  /// The CPU time of it that is told of no thread, of which one that ended had a part at most; nil where it is not
  /// known.
  func untold(besides task: OutsideTask) -> UInt64? {
    guard usedBeforeCounting != nil, let clockTime else { return nil }
    let told = usedAsTold + task.thread.processor
    return clockTime - min(clockTime, told)
  }

  /// Whether none of its threads ran since all were found waiting.
  var isQuiet: Bool { quietClock.map { clockTime == $0 } ?? false }

  /// Its CPU time before a round of looks, which is that of the quiet if all of them find waits.
  func beginLooks() -> UInt64? {
    let time = clockTime
    if let time { usedAtLook = time }
    return time
  }

  func endLooks(_ before: UInt64?) {
    let allWait = tasks.values.allSatisfy { $0.wait != nil && $0.isTold }
    quietClock = allWait && before == clockTime ? before : nil
  }

  /// Its threads' ids, where they may have changed.
  func newList(now: UInt64) -> [Int32]? {
    var information = stat()
    // The folder has a link for each thread besides its own two.
    if let folder, fstat(folder.number, &information) == 0 {
      let count = UInt64(information.st_nlink)
      if count == threadCount, now < nextListing { return nil }
      threadCount = count
    } else if now < nextListing {
      return nil
    }
    nextListing = now + Self.listing
    return ProcessProbe.threadIDs(pid: pid)
  }

  /// Takes in where a thread is: what is mapped is asked for anew where that is in none of it, though not each time,
  /// since it may be code that no file has.
  func isAt(_ instruction: UInt64) {
    guard instruction > 0, !code.contains(where: { $0.contains(instruction) }) else { return }
    nextMaps = min(nextMaps, mapsRead + strangeWait)
  }

  /// The executable mappings that were not there when last asked; nil where that is not due.
  func newMappings(now: UInt64) -> [MmapRecord]? {
    let running = KernelFile.link("/proc/\(pid)/exe")
    let isOther = running != nil && running != program
    guard isOther || now >= nextMaps else { return nil }
    if isOther {
      program = running
      (mapped, mapsWait) = ([], Self.shortestMapsInterval)
      strangeWait = Self.shortestStrangeWait
    }
    (mapsRead, nextMaps) = (now, now + mapsWait)
    // A program loads its libraries as it begins.
    mapsWait = min(2 * mapsWait, Self.mapsInterval)
    strangeWait = min(2 * strangeWait, Self.shortestMapsInterval)
    let before = mapped
    let mappings = ProcessMaps.executable(pid: pid).map {
      (mapping: $0, key: "\($0.start) \($0.length) \($0.path)")
    }
    mapped = Set(mappings.map(\.key))
    code = mappings.map { $0.mapping.start..<$0.mapping.start + $0.mapping.length }
    return mappings.filter { !before.contains($0.key) }.map(\.mapping)
  }
}

/// A thread as it was just before a recording began, with the stack of its wait and the kernel's function of it.
struct OutsideEarlier {
  let thread: EarlierThread
  var stack: [UInt8]
  var function: String?
}
