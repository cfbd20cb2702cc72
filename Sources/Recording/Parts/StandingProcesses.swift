import PerfData

/// The processes that live where one part of a recording ends and the next begins, as the next is to tell them.
///
/// Of one that ended just before, whose last records are in the rings still, `/proc` tells nothing any longer: then
/// what it was at the boundary before is told.
struct StandingProcesses {
  private struct Process {
    var snapshot: ProcessSnapshot
    var description: ProcessEvent
    var descriptors: [DescriptorEvent]
  }

  private var processes: [Int32: Process] = [:]
  /// The queues that they had as they were attached to. To look for others takes reading all of their memory.
  private var queues: [Int32: [QueueEvent]] = [:]

  /// The queues that a process had as it was attached to.
  mutating func had(_ found: [QueueEvent], _ pid: Int32) { queues[pid] = found }

  /// Reads what these processes are.
  mutating func read(_ pids: [Int32], _ buildIDs: inout MappedBuildIDs) {
    var next: [Int32: Process] = [:]
    for pid in pids {
      let snapshot = ProcessSnapshot(pid, &buildIDs)
      let description = ProcessProbe.describe(pid: pid, kind: .attach)
      let descriptors = DescriptorTable.all(pid: pid)
      if let description, snapshot.isOfLiving || processes[pid] == nil {
        next[pid] = Process(
          snapshot: snapshot, description: description, descriptors: descriptors)
      } else {
        next[pid] = processes[pid]
      }
    }
    processes = next
    queues = queues.filter { next[$0.key] != nil }
  }

  /// Writes them as of a moment; names and mappings as of the event with this id, if there is one.
  func write(at time: UInt64, id: UInt64?, to sink: TraceSink) throws(PerfDataError) {
    for (pid, process) in processes.sorted(by: { $0.key < $1.key }) {
      if let id {
        for record in process.snapshot.records(id: id, at: time) { try sink.append(record) }
      }
      try sink.append(process.description, pid: pid, time: time)
      for event in process.descriptors { try sink.append(event, pid: pid, time: time) }
      for event in queues[pid] ?? [] { try sink.append(event, pid: pid, time: time) }
    }
  }
}
