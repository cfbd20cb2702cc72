import Glibc
import PerfData

/// What the trace says before the first event.
extension Recording {
  func begin(at now: UInt64) throws(PerfDataError) {
    if options.parts != nil {
      try sink.append(PartEvent(number: part, standingRecords: 0), pid: subject.pid, time: now)
    }
    try sink.append(summary(complete: false).capture, pid: subject.pid, time: now)
    // Which ids those are is told as it becomes known.
    if rings.drain.isNamespaced {
      try sink.append(ThreadIDsEvent(threads: []), pid: subject.pid, time: now)
    }
    switch subject {
    case .command(let command): try begin(command, now)
    case .process(let process): try begin(process, now)
    }
    try sink.flushWhole()
  }

  /// The event by which mappings and names are told.
  var sideBandID: UInt64? {
    sources.lazy.compactMap { $0.attributes.first?.ids.first }.first
  }

  private func begin(_ command: WrappedCommand, _ now: UInt64) throws(PerfDataError) {
    if let id = sideBandID {
      try sink.append(
        RecordBuilder.comm(
          pid: command.pid, tid: command.pid, name: "lull", time: now, id: id))
      // What it runs until it is another program: an exec that waits for the disk is blamed by name.
      for mapping in ProcessMaps.executable(pid: command.pid)
      where mapping.path.split(separator: "/").last?.hasPrefix("libc.so") == true {
        try sink.append(RecordBuilder.mmap2(mapping, time: now, id: id))
      }
    }
    try processes.begin(command.pid, parentPid: getpid(), kind: .start, time: now, to: sink)
    // What it inherits, such as an output that is a file; whether it is looked up later would be chance.
    for event in DescriptorTable.all(pid: command.pid)
    where (event.flags ?? 0) & Int(O_CLOEXEC) == 0 {
      try sink.append(event, pid: command.pid, time: now)
    }
  }

  private func begin(_ process: AttachedProcess, _ now: UInt64) throws(PerfDataError) {
    let pids = [process.pid] + process.descendants
    for pid in pids {
      if let id = sideBandID {
        let known = ProcessSnapshot(pid, &rings.drain.mappedBuildIDs)
        for record in known.records(id: id, at: now) { try sink.append(record) }
        rings.drain.know(known.files)
        for file in known.files { heldFiles.consider(file) }
        let queues = QueueLabels.labels(pid: pid)
        standing.had(queues, pid)
        for event in queues { try sink.append(event, pid: pid, time: now) }
      }
      let description = ProcessProbe.describe(pid: pid, kind: .attach)
      try processes.begin(
        pid, parentPid: Int32(clamping: description?.parentPid ?? 0), kind: .attach, time: now,
        description: description, to: sink)
      for event in DescriptorTable.all(pid: pid) {
        try sink.append(event, pid: pid, time: now)
        descriptors.setKnown(event)
      }
    }
    rings.drain.sockets = SocketFilter(
      ports: pids.reduce(into: []) { $0.formUnion(SocketFilter.listeningPorts(pid: $1)) })
  }
}
