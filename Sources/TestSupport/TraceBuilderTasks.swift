import PerfData

extension TraceBuilder {
  /// A thread begins; a new process when `pid` equals `tid`.
  package mutating func fork(
    time: UInt64, pid: Int32, tid: Int32, parentPid: Int32, parentTid: Int32? = nil
  ) {
    thread(tid, of: pid)
    append(
      RecordBuilder.fork(
        pid: pid, parentPid: parentPid, tid: tid, parentTid: parentTid ?? parentPid, time: time,
        id: sideBandID))
  }

  /// A thread ends.
  package mutating func exit(time: UInt64, pid: Int32, tid: Int32, parentPid: Int32 = 1) {
    append(
      RecordBuilder.exit(
        pid: pid, parentPid: parentPid, tid: tid, parentTid: parentPid, time: time,
        id: sideBandID))
  }

  /// A thread gets a name, of its own or by exec.
  package mutating func comm(
    time: UInt64, pid: Int32, tid: Int32, name: String, isExec: Bool = false
  ) {
    thread(tid, of: pid)
    append(
      RecordBuilder.comm(
        pid: pid, tid: tid, name: name, isExec: isExec, time: time, id: sideBandID))
  }

  /// A thread gets a CPU or leaves it, told by a SWITCH record.
  package mutating func contextSwitch(
    time: UInt64, _ tid: Int32, _ what: ContextSwitch, cpu: Int32 = 0
  ) {
    append(
      RecordBuilder.contextSwitch(
        what, pid: pid(of: tid), tid: tid, time: time, cpu: cpu, id: sideBandID))
  }

  /// A file is mapped, executable unless `protection` says otherwise.
  package mutating func mmap(
    time: UInt64, pid: Int32, start: UInt64, length: UInt64, path: String, fileOffset: UInt64 = 0,
    protection: UInt32 = 5, buildID: [UInt8]? = nil
  ) {
    let mapping = MmapRecord(
      pid: pid, tid: pid, start: start, length: length, fileOffset: fileOffset,
      protection: protection, path: path, buildID: buildID)
    append(RecordBuilder.mmap2(mapping, time: time, id: sideBandID))
  }

  /// A ring buffer had no room for so many records.
  package mutating func lost(time: UInt64, records: UInt64) {
    append(RecordBuilder.lost(records: records, time: time, id: sideBandID))
  }

  /// A synthetic event with a JSON payload.
  package mutating func synthetic(
    _ payload: some SyntheticPayload, time: UInt64, pid: Int32 = 0, tid: Int32? = nil
  ) throws(PerfDataError) {
    sample(
      type(of: payload).event.rawValue, time: time, tid: tid ?? pid, pid: pid,
      raw: try payload.encoded())
  }

  /// The capture's description; complete unless said otherwise.
  package mutating func capture(
    time: UInt64, rootPid: Int32, mode: CaptureEvent.Mode = .wrap,
    scope: CaptureEvent.Scope = .system, commandLine: [String] = ["./program"],
    unavailable: [CaptureEvent.Unavailable] = [], complete: Bool = true, recorder: String? = nil
  ) throws(PerfDataError) {
    var capture = CaptureEvent(
      mode: mode, scope: scope, privilege: "root", commandLine: commandLine,
      rootPid: Int(rootPid), intervalNs: 100_000_000, unavailable: unavailable,
      complete: complete, lullVersion: "test")
    capture.recorder = recorder
    try synthetic(capture, time: time, pid: rootPid)
  }

  /// A process begins, is found, or ends.
  package mutating func process(
    time: UInt64, pid: Int32, parentPid: Int32 = 1, kind: ProcessEvent.Kind = .start,
    executable: String = "/usr/bin/program", isSwift: Bool? = true, exitStatus: Int? = nil,
    signal: Int? = nil, threads: [ProcessEvent.Thread]? = nil
  ) throws(PerfDataError) {
    thread(pid, of: pid)
    for each in threads ?? [] { thread(Int32(clamping: each.tid), of: pid) }
    try synthetic(
      ProcessEvent(
        pid: Int(pid), parentPid: Int(parentPid), kind: kind, executable: executable,
        commandLine: [executable], isSwift: isSwift, exitStatus: exitStatus, signal: signal,
        threads: threads), time: time, pid: pid)
  }

  /// What a descriptor stands for.
  package mutating func descriptor(
    time: UInt64, pid: Int32, fd: Int, path: String, kind: DescriptorEvent.Kind = .regular,
    size: UInt64? = nil
  ) throws(PerfDataError) {
    try synthetic(
      DescriptorEvent(pid: Int(pid), fd: fd, path: path, kind: kind, size: size), time: time,
      pid: pid)
  }

  /// A counter's value.
  package mutating func counter(
    time: UInt64, name: String, value: Double, unit: String? = nil, final: Bool = false
  ) throws(PerfDataError) {
    try synthetic(
      CounterEvent(name: name, value: value, unit: unit, final: final), time: time)
  }

  /// A reading of a process's memory, faults, times and I/O.
  package mutating func footprint(time: UInt64, pid: Int32, _ sample: FootprintSample) {
    self.sample(
      SyntheticEvent.footprint.rawValue, time: time, tid: pid, pid: pid, raw: sample.encoded())
  }

  /// A reading of a process's memory alone.
  package mutating func footprint(
    time: UInt64, pid: Int32, anonymous: UInt64, file: UInt64 = 0, swapped: UInt64 = 0,
    threadCount: UInt64 = 1
  ) {
    var sample = FootprintSample()
    sample.anonymous = anonymous
    sample.file = file
    sample.swapped = swapped
    sample.resident = anonymous + file
    sample.peakResident = anonymous + file
    sample.threadCount = threadCount
    footprint(time: time, pid: pid, sample)
  }

  /// An embedded stack of an earlier sample, with its functions innermost first.
  ///
  /// Function names are given ids from `firstID` on.
  package mutating func stack(
    time: UInt64, tid: Int32, functions: [String], module: String = "program", firstID: Int,
    isProgram: Bool = true
  ) throws(PerfDataError) {
    for (index, function) in functions.enumerated() {
      try synthetic(
        SymbolEvent(
          id: firstID + index, function: function, module: module, isProgram: isProgram),
        time: time, pid: pid(of: tid), tid: tid)
    }
    try synthetic(
      StackEvent(
        time: time, tid: Int(tid), frames: functions.indices.map { firstID + $0 }, complete: true),
      time: time, pid: pid(of: tid), tid: tid)
  }
}
