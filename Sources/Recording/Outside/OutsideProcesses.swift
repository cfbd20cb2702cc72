import PerfData

/// Processes as they begin, run other programs and end.
extension OutsideSource {
  func findChildren(_ round: Round, into output: inout RecordBytes) {
    for process in Array(processes.values) where process.pid != root {
      guard process.tasks.isEmpty, process.listed > 0,
        ProcessProbe.threadIDs(pid: process.pid).isEmpty
      else { continue }
      if isForStrangers {
        forget(stranger: process.pid)
        continue
      }
      processes[process.pid] = nil
      untold.add(process)
      round.tell([.processEnded(pid: process.pid, time: round.now)])
    }
    if isForStrangers { return }
    for parent in Array(processes.values) {
      // Another process, which has ended, may have had the same id.
      for child in Self.children(of: parent) where processes[child] == nil {
        guard !strangers.contains(child), ProcessProbe.isTraceable(pid: child) else { continue }
        seen.insert(child)
        processes[child] = OutsideProcess(pid: child, parent: parent.pid, at: round.now)
        if tellsAll {
          output.append(
            writer.fork(
              from: parent.pid, .init(pid: child, tid: child, time: round.now)))
        }
        round.tell([.processBegan(pid: child, parentPid: parent.pid, time: round.now)])
      }
    }
  }

  private static func children(of process: OutsideProcess) -> [Int32] {
    var isTold = false
    let found = process.tasks.keys.flatMap { tid -> [Int32] in
      guard let text = KernelFile.text("/proc/\(process.pid)/task/\(tid)/children") else {
        return []
      }
      isTold = true
      return text.split(separator: " ").compactMap { Int32($0) }
    }
    // The kernel may lack CONFIG_PROC_CHILDREN.
    return isTold || process.tasks.isEmpty ? found : ProcessProbe.children(of: process.pid)
  }

  func tellMappings(
    of process: OutsideProcess, now: UInt64, into output: inout RecordBytes
  ) {
    guard tellsAll, let mappings = process.newMappings(now: now), !mappings.isEmpty else { return }
    if let task = process.tasks[process.pid], let name = task.files.name, name != task.name {
      task.name = name
      output.append(writer.comm(name, .init(pid: process.pid, tid: process.pid, time: now)))
    }
    for var mapping in mappings {
      if mapping.path.hasPrefix("/") {
        mapping.buildID = mappedBuildIDs.of(mapping)
        buildIDs[mapping.path] = mapping.buildID
      }
      output.append(writer.mapping(mapping, time: now))
    }
  }
}
