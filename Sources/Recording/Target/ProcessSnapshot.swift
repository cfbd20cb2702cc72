import PerfData

/// What a running process is at a moment, as records tell it: its threads' names and its executable mappings.
struct ProcessSnapshot {
  let pid: Int32
  private let threads: [ProcessEvent.Thread]
  private var mappings: [MmapRecord] = []
  /// The build ids of the files that it maps.
  private(set) var buildIDs: [BuildIDEntry] = []
  /// The files that it maps, with the ranges by which `/proc/PID/map_files` names them.
  private(set) var mapped: [(path: String, range: String)] = []

  /// Reads `/proc`; `known` are build ids of files by their paths, empty where there is none.
  init(_ pid: Int32, known: [String: [UInt8]] = [:]) {
    self.pid = pid
    threads = ProcessProbe.threads(pid: pid)
    var known = known
    for mapping in ProcessMaps.executable(pid: pid) {
      var mapping = mapping
      if mapping.path.hasPrefix("/") {
        let range = mapping.range
        mapped.append((mapping.path, range))
        if known[mapping.path] == nil {
          // Through /proc, since the process may see another file tree.
          known[mapping.path] =
            BuildIDNote.read("/proc/\(pid)/root\(mapping.path)")
            ?? BuildIDNote.read("/proc/\(pid)/map_files/\(range)")
            ?? BuildIDNote.read(mapping.path) ?? []
        }
        mapping.buildID = known[mapping.path].flatMap { $0.isEmpty ? nil : $0 }
      }
      mappings.append(mapping)
    }
    buildIDs = known.filter { !$0.value.isEmpty }
      .map { BuildIDEntry(path: $0.key, buildID: $0.value) }
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
