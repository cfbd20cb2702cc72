import PerfData

/// What a running process is at a moment, as records tell it: its threads' names and its executable mappings.
struct ProcessSnapshot {
  let pid: Int32
  private let threads: [ProcessEvent.Thread]
  private var mappings: [MmapRecord] = []
  /// The files that it maps.
  private(set) var files: [MmapRecord] = []

  /// Reads `/proc`.
  init(_ pid: Int32, _ buildIDs: inout MappedBuildIDs) {
    self.pid = pid
    threads = ProcessProbe.threads(pid: pid)
    for mapping in ProcessMaps.executable(pid: pid) {
      var mapping = mapping
      if mapping.path.hasPrefix("/") {
        mapping.buildID = buildIDs.of(mapping)
        files.append(mapping)
      }
      mappings.append(mapping)
    }
  }

  /// Of a process that has ended nothing is mapped.
  var isOfLiving: Bool { !mappings.isEmpty }

  /// The records that tell it, as of a moment, of the event with this id.
  func records(id: UInt64, at time: UInt64) -> [[UInt8]] {
    let leader = threads.first { $0.tid == Int(pid) }?.name ?? ""
    var records = [RecordBuilder.comm(pid: pid, tid: pid, name: leader, time: time, id: id)]
    for thread in threads where thread.tid != Int(pid) {
      let tid = Int32(clamping: thread.tid)
      records.append(
        RecordBuilder.fork(
          pid: pid, parentPid: pid, tid: tid, parentTid: pid, time: time, id: id))
      records.append(
        RecordBuilder.comm(pid: pid, tid: tid, name: thread.name, time: time, id: id))
    }
    return records + mappings.map { RecordBuilder.mmap2($0, time: time, id: id) }
  }
}
