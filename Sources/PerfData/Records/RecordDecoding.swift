extension PerfDataFile {
  /// A mapping: MMAP and MMAP2; nil for other records and malformed ones.
  public func mmap2(_ record: RecordEntry) -> MmapRecord? {
    guard record.type == RecordType.mmap || record.type == RecordType.mmap2,
      var body = body(of: record)
    else { return nil }
    do throws(PerfDataError) {
      var mapping = MmapRecord(
        pid: try body.read(Int32.self, "pid"), tid: try body.read(Int32.self, "tid"),
        start: try body.u64("start"), length: try body.u64("length"),
        fileOffset: try body.u64("offset"), path: "")
      // MISC_MMAP_DATA: not executable.
      if record.type == RecordType.mmap { mapping.protection = record.misc & 1 << 13 != 0 ? 1 : 5 }
      if record.type == RecordType.mmap2 {
        let identity = try body.array(24, "identity")
        // MISC_MMAP_BUILD_ID: length, three reserved bytes, the build id.
        if record.misc & 1 << 14 != 0 {
          mapping.buildID = [UInt8](identity[4..<4 + min(Int(identity[0]), 20)])
        } else {
          // Behind the device's numbers.
          let inode = identity[8..<16].reversed().reduce(0) { $0 << 8 | UInt64($1) }
          mapping.inode = inode > 0 ? inode : nil
        }
        mapping.protection = try body.u32("protection")
        mapping.flags = try body.u32("flags")
      }
      mapping.path = try body.text(UInt64(body.remaining), "path")
      return mapping
    } catch { return nil }
  }

  /// A thread's new name: COMM; nil for other records and malformed ones.
  public func comm(
    _ record: RecordEntry
  ) -> (pid: Int32, tid: Int32, name: String, isExec: Bool)? {
    guard record.type == RecordType.comm, var body = body(of: record) else { return nil }
    do throws(PerfDataError) {
      let pid = try body.read(Int32.self, "pid")
      let tid = try body.read(Int32.self, "tid")
      let name = try body.text(UInt64(body.remaining), "name")
      return (pid, tid, name, record.misc & 1 << 13 != 0)
    } catch { return nil }
  }

  /// A thread's beginning or end: FORK and EXIT; nil for other records and malformed ones.
  public func task(
    _ record: RecordEntry
  ) -> (pid: Int32, parentPid: Int32, tid: Int32, parentTid: Int32)? {
    guard record.type == RecordType.fork || record.type == RecordType.exit,
      var body = body(of: record)
    else { return nil }
    do throws(PerfDataError) {
      return (
        try body.read(Int32.self, "pid"), try body.read(Int32.self, "parent pid"),
        try body.read(Int32.self, "tid"), try body.read(Int32.self, "parent tid")
      )
    } catch { return nil }
  }

  /// A thread got a CPU or left it: SWITCH and SWITCH_CPU_WIDE (Linux 4.3); nil for other records.
  public func contextSwitch(_ record: RecordEntry) -> ContextSwitch? {
    guard
      record.type == RecordType.contextSwitch || record.type == RecordType.contextSwitchCPUWide,
      record.tid >= 0
    else { return nil }
    // PERF_RECORD_MISC_SWITCH_OUT and PERF_RECORD_MISC_SWITCH_OUT_PREEMPT (Linux 4.17).
    guard record.misc & 1 << 13 != 0 else { return .arrived }
    return record.misc & 1 << 14 != 0 ? .preempted : .left
  }

  /// How many records or samples were lost: LOST and LOST_SAMPLES; nil for other records.
  public func lost(_ record: RecordEntry) -> UInt64? {
    guard record.type == RecordType.lost || record.type == RecordType.lostSamples,
      var body = body(of: record)
    else { return nil }
    do throws(PerfDataError) {
      if record.type == RecordType.lost { _ = try body.u64("id") }
      return try body.u64("lost")
    } catch { return nil }
  }
}

/// What a context switch was to the thread that its record is about.
public enum ContextSwitch: Sendable {
  /// It runs from now on.
  case arrived
  /// It blocked.
  case left
  /// It still wants the CPU.
  case preempted
}
