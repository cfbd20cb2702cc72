import Glibc
import PerfData

/// Looks at a process through /proc.
package enum ProcessProbe {
  /// Describes a process; nil when there is none, or it is over or about to be.
  ///
  /// Whether it is Swift stays open (nil) where its files may not be read.
  package static func describe(pid: Int32, kind: ProcessEvent.Kind) -> ProcessEvent? {
    guard let statistics = ProcessStatistics(pid: pid), statistics.state != "Z" else { return nil }
    let (executable, words) = (executable(pid: pid), commandLine(pid: pid))
    // As it ends its memory is given back first, and with it what it was called by.
    if executable == nil, words.isEmpty { return nil }
    var event = ProcessEvent(
      pid: Int(pid), parentPid: Int(statistics.parentPid), kind: kind,
      executable: executable ?? "", commandLine: words,
      isSwift: isSwift(pid: pid), threads: threads(pid: pid))
    event.codeBytes = ElfFile(path: "/proc/\(pid)/exe")?.codeBytes
    return event
  }

  /// Whether the kernel runs its program in secure-execution mode (AT_SECURE, getauxval(3)), as one whose rights are
  /// others than of who started it: it ends the events of such a process (begin_new_exec in fs/exec.c).
  static func isSecure(pid: Int32) -> Bool {
    guard let bytes = KernelFile.bytes("/proc/\(pid)/auxv") else { return false }
    let words = bytes.withUnsafeBytes { raw in
      (0..<raw.count / 8).map { raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
    }
    return stride(from: 0, to: words.count - 1, by: 2).contains {
      words[$0] == UInt64(AT_SECURE) && words[$0 + 1] != 0
    }
  }

  /// The path of the program that a process runs; nil for kernel threads or without the right.
  package static func executable(pid: Int32) -> String? {
    let link = "/proc/\(pid)/exe"
    guard let target = KernelFile.link(link) else { return nil }
    var information = stat()
    let links = stat(link, &information) == 0 ? UInt64(information.st_nlink) : nil
    let path = DescriptorTable.stripped(target, links: links).path
    return String(ProcessRoot(of: pid).path(path[...]))
  }

  /// The arguments of a process, its program's name first.
  package static func commandLine(pid: Int32) -> [String] {
    guard var bytes = KernelFile.bytes("/proc/\(pid)/cmdline") else { return [] }
    if bytes.last == 0 { bytes.removeLast() }
    if bytes.isEmpty { return [] }
    return bytes.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The ids of a process's threads.
  package static func threadIDs(pid: Int32) -> [Int32] {
    KernelFile.numbers(in: "/proc/\(pid)/task")
  }

  /// The threads of a process with the kernel's names for them.
  package static func threads(pid: Int32) -> [ProcessEvent.Thread] {
    threadIDs(pid: pid).compactMap { tid in
      name(in: "/proc/\(pid)/task/\(tid)").map { ProcessEvent.Thread(tid: Int(tid), name: $0) }
    }
  }

  /// The kernel's name of the process or thread of a folder of /proc; nil where there is none.
  static func name(in folder: String) -> String? {
    guard var name = KernelFile.bytes(folder + "/comm") else { return nil }
    if name.last == 10 { name.removeLast() }
    return String(decoding: name, as: UTF8.self)
  }

  /// Whether a process's program is Swift; nil when neither its maps nor its file can be read.
  ///
  /// Dynamically linked programs map the Swift library, static ones carry Swift's metadata.
  package static func isSwift(pid: Int32) -> Bool? {
    let paths = mappedPaths(pid: pid)
    if paths.contains(where: { $0.hasSuffix("/libswiftCore.so") }) { return true }
    // Through /proc, since the file may have been replaced or be in another mount namespace.
    if let file = ElfFile(path: "/proc/\(pid)/exe") { return file.hasSwiftMetadata }
    return paths.isEmpty ? nil : false
  }

  /// The files that a process has mapped for execution or reading, each once, in mapped order.
  package static func mappedPaths(pid: Int32) -> [String] {
    guard let bytes = KernelFile.bytes("/proc/\(pid)/maps") else { return [] }
    let root = ProcessRoot(of: pid)
    var seen: Set<String> = []
    var paths: [String] = []
    ProcFields.forEachLine(of: bytes[...]) { line in
      guard let slash = line.firstIndex(of: UInt8(ascii: "/")) else { return }
      let target = String(decoding: line[slash...], as: UTF8.self)
      let path = String(root.path(DescriptorTable.stripped(target, links: nil).path[...]))
      if seen.insert(path).inserted { paths.append(path) }
    }
    return paths
  }

  /// Whether this is a thread of the kernel, which has no program and cannot be recorded.
  package static func isKernelThread(pid: Int32) -> Bool {
    // PF_KTHREAD.
    ProcessStatistics(pid: pid).map { $0.flags & 0x0020_0000 != 0 } ?? false
  }

  /// How often its threads have gone to sleep by themselves; threads that ended are not counted.
  package static func voluntarySwitches(pid: Int32) -> UInt64 {
    threadIDs(pid: pid).reduce(0) { sum, tid in
      guard let status = KernelFile.bytes("/proc/\(pid)/task/\(tid)/status"),
        let count = ProcFields.field("voluntary_ctxt_switches:", of: status[...])
          .flatMap(ProcFields.number)
      else { return sum }
      return sum + count
    }
  }

  /// When a process began, in clock ticks since the machine did; tells a reused id.
  package static func startTime(pid: Int32) -> UInt64? {
    ProcessStatistics(pid: pid)?.startTicks
  }

  /// When a process began, nanoseconds of CLOCK_MONOTONIC, to a clock tick; nil where it is not known, or before that
  /// clock began.
  package static func began(pid: Int32) -> UInt64? {
    let ticks = sysconf(Int32(_SC_CLK_TCK))
    guard ticks > 0, let start = startTime(pid: pid) else { return nil }
    // The kernel counts them since the machine began, with the time that it was suspended (proc_pid_stat(5)).
    let since = SystemInfo.nanoseconds(CLOCK_BOOTTIME)
    let age = since.subtractingReportingOverflow(
      start.multipliedReportingOverflow(by: 1_000_000_000 / UInt64(ticks)).partialValue)
    guard !age.overflow else { return nil }
    let began = SystemInfo.monotonicNanoseconds().subtractingReportingOverflow(age.partialValue)
    return began.overflow ? 0 : began.partialValue
  }

  /// Every descendant of a process, parents before their children.
  package static func children(of pid: Int32) -> [Int32] {
    var parents: [Int32: Int32] = [:]
    return children(of: pid, knowing: &parents)
  }

  /// The same where parents are known of those that were listed before: only those of new processes are read.
  static func children(of pid: Int32, knowing parents: inout [Int32: Int32]) -> [Int32] {
    var childrenOf: [Int32: [Int32]] = [:]
    var listed: [Int32: Int32] = [:]
    for candidate in KernelFile.numbers(in: "/proc") {
      guard let parent = parents[candidate] ?? ProcessStatistics(pid: candidate)?.parentPid
      else { continue }
      listed[candidate] = parent
      childrenOf[parent, default: []].append(candidate)
    }
    parents = listed
    var found: [Int32] = []
    var seen: Set<Int32> = [pid]
    var next = childrenOf[pid] ?? []
    while !next.isEmpty {
      // Ids may be reused between two reads, so that a circle cannot be excluded.
      next.removeAll { !seen.insert($0).inserted }
      found += next
      next = next.flatMap { childrenOf[$0] ?? [] }
    }
    return found
  }

  /// Why a process cannot be looked into, or nil when it can.
  package static func whyNotTraceable(pid: Int32) -> RecordingError? {
    guard let statistics = ProcessStatistics(pid: pid), statistics.state != "Z" else {
      return RecordingError(
        kind: .noSuchProcess, message: "there is no process \(pid): it may have ended",
        errno: ESRCH)
    }
    if statistics.flags & 0x0020_0000 != 0 {
      return RecordingError(
        kind: .kernelThread,
        message: "process \(pid) (\(statistics.name)) is a thread of the kernel, which runs no"
          + " program: choose a process of your own")
    }
    // The kernel asks for the same right here as for tracing.
    guard OwnedDescriptor(opening: "/proc/\(pid)/maps")?.readToEnd(limit: 1) != nil else {
      let cause = errno
      return RecordingError(
        kind: .permission,
        message: "process \(pid) (\(statistics.name)) may not be looked into"
          + " (\(KernelFile.errorText(cause))): it belongs to another user or guards itself;"
          + " run as its user, as root, or with CAP_SYS_PTRACE",
        errno: cause)
    }
    return nil
  }

  /// Whether a process can be looked into.
  package static func isTraceable(pid: Int32) -> Bool {
    whyNotTraceable(pid: pid) == nil
  }
}
