import PerfData
import Quantities

/// Follows processes from their first record to their exit.
struct ProcessTracker {
  private var processes: [Int32: ProcessModel] = [:]
  private var libraries: [Int32: Set<String>] = [:]
  private var finished: [ProcessModel] = []
  /// Those of which a record told when they began their program.
  private var executed: Set<Int32> = []

  func isKnown(_ pid: Int32) -> Bool { processes[pid] != nil }

  mutating func forked(pid: Int32, from parent: Int32, name: String, at time: Timestamp) {
    guard pid != parent else { return }
    if let old = processes[pid], old.end != nil { finish(pid) }
    guard processes[pid] == nil else { return }
    begin(pid: pid, parent: parent, name: name, at: time)
    // Until it runs another program, a child is what its parent was.
    if let original = processes[parent] {
      processes[pid]?.executable = original.executable
      processes[pid]?.commandLine = original.commandLine
      processes[pid]?.isSwift = original.isSwift
      processes[pid]?.codeBytes = original.codeBytes
      processes[pid]?.swiftVersion = original.swiftVersion
    }
  }

  mutating func named(pid: Int32, tid: Int32, name: String, isExec: Bool, at time: Timestamp) {
    if processes[pid] == nil { begin(pid: pid, parent: 0, name: name, at: time) }
    guard pid == tid else { return }
    processes[pid]?.name = name
    if isExec {
      processes[pid]?.isSwift = false
      processes[pid]?.swiftVersion = nil
      processes[pid]?.codeBytes = nil
      processes[pid]?.executable = nil
      processes[pid]?.programStart = time
      executed.insert(pid)
      // If another thread than the first did it, the first one's end looked like the process's.
      processes[pid]?.end = nil
    }
  }

  /// The first executable mapping after an exec is the program; a mapped Swift runtime tells a Swift process.
  mutating func mapped(_ mapping: MmapRecord) {
    guard processes[mapping.pid] != nil else { return }
    if processes[mapping.pid]?.executable == nil, mapping.path.hasPrefix("/") {
      processes[mapping.pid]?.executable = mapping.path
    }
    if mapping.path.hasSuffix("/libswiftCore.so") { processes[mapping.pid]?.isSwift = true }
  }

  mutating func described(_ event: ProcessEvent, at time: Timestamp) {
    let pid = Int32(truncatingIfNeeded: event.pid)
    if processes[pid] == nil {
      begin(
        pid: pid, parent: Int32(truncatingIfNeeded: event.parentPid), name: "", at: time)
    }
    guard var process = processes[pid] else { return }
    let isNamedByFile = process.name.isEmpty || process.name == Self.fileName(process.executable)
    // Who looks finds it a moment later.
    let isTold = executed.contains(pid) && process.executable == event.executable
    if event.kind == .exec, !isTold {
      process.programStart = max(process.programStart ?? time, time)
      executed.remove(pid)
    }
    if event.parentPid > 0 { process.parentPid = Int32(truncatingIfNeeded: event.parentPid) }
    if !event.executable.isEmpty { process.executable = event.executable }
    if !event.commandLine.isEmpty { process.commandLine = event.commandLine }
    if let isSwift = event.isSwift { process.isSwift = isSwift }
    if event.endedEvents == true, process.unrecordedFrom == nil { process.unrecordedFrom = time }
    if let codeBytes = event.codeBytes { process.codeBytes = codeBytes }
    process.swiftVersion = event.swiftVersion ?? process.swiftVersion
    process.exitStatus = event.exitStatus ?? process.exitStatus
    process.signal = event.signal ?? process.signal
    process.peakResidentBytes = event.peakResidentBytes ?? process.peakResidentBytes
    if event.kind == .exit, process.end == nil { process.end = time }
    if isNamedByFile { process.name = Self.fileName(process.executable) ?? "" }
    processes[pid] = process
  }

  /// What a process is called as long as no COMM record says so.
  private static func fileName(_ path: String?) -> String? {
    path?.split(separator: "/").last.map(String.init)
  }

  mutating func ended(pid: Int32, at time: Timestamp) {
    if processes[pid]?.end == nil { processes[pid]?.end = time }
  }

  mutating func finish(threads: [ThreadModel]) -> [ProcessModel] {
    for pid in processes.keys.sorted() { finish(pid) }
    var result = finished.sorted { ($0.start, $0.pid) < ($1.start, $1.pid) }
    let own = Dictionary(grouping: threads, by: \.pid)
    for index in result.indices {
      let pid = result[index].pid
      result[index].threadCount = own[pid]?.count ?? 0
      result[index].outlive(own[pid] ?? [])
      result[index].children = result.filter { $0.parentPid == pid && $0.pid != pid }.map(\.pid)
      // The kernel's is the largest of it and of those whose end it waited for (wait4(2)).
      if !result[index].children.isEmpty { result[index].peakResidentBytes = nil }
    }
    return result
  }

  private mutating func finish(_ pid: Int32) {
    guard var process = processes.removeValue(forKey: pid) else { return }
    process.name = WholeName.ofProgram(process.name, file: process.executable)
    finished.append(process)
  }

  private mutating func begin(pid: Int32, parent: Int32, name: String, at time: Timestamp) {
    executed.remove(pid)
    processes[pid] = ProcessModel(
      pid: pid, parentPid: parent, name: name, executable: nil, commandLine: [], isSwift: false,
      swiftVersion: nil, exitStatus: nil, signal: nil, start: time, end: nil, threadCount: 0,
      children: [], peakResidentBytes: nil)
  }
}

extension ProcessModel {
  /// Its first thread may end before others do: the process ends with the last of them.
  fileprivate mutating func outlive(_ threads: [ThreadModel]) {
    guard var last = end else { return }
    for thread in threads.sorted(by: { $0.start < $1.start })
    where thread.start >= start && thread.start <= last {
      guard let end = thread.end else {
        // That it ended was told beside its threads' ends; one of these was lost.
        if exitStatus == nil, signal == nil { end = nil }
        return
      }
      last = max(last, end)
    }
    end = last
  }
}
