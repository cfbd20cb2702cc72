extension RecordBuilder {
  /// An MMAP2 record; with a build id in the kernel's form when the mapping has one.
  public static func mmap2(
    _ mapping: MmapRecord, time: UInt64, cpu: Int32 = 0, id: UInt64
  ) -> [UInt8] {
    var body = ByteBuilder()
    body.append(mapping.pid)
    body.append(mapping.tid)
    body.append(mapping.start)
    body.append(mapping.length)
    body.append(mapping.fileOffset)
    // cpumode user; bit 14 says that a build id takes the place of device and inode.
    var misc: UInt16 = 2
    if let buildID = mapping.buildID {
      misc |= 1 << 14
      let kept = buildID.prefix(20)
      body.append(UInt8(kept.count))
      body.append(contentsOf: [0, 0, 0])
      body.append(contentsOf: [UInt8](kept))
      body.append(contentsOf: [UInt8](repeating: 0, count: 20 - kept.count))
    } else {
      // The device's numbers, the inode's, and its generation.
      for number in [0, mapping.inode ?? 0, 0] { body.append(number) }
    }
    body.append(mapping.protection)
    body.append(mapping.flags)
    appendName(mapping.path, to: &body)
    appendSampleID(pid: mapping.pid, tid: mapping.tid, time: time, cpu: cpu, id: id, to: &body)
    return record(type: RecordType.mmap2, misc: misc, body: body)
  }

  /// A COMM record: a thread's new name, by exec or by the thread itself.
  public static func comm(
    pid: Int32, tid: Int32, name: String, isExec: Bool = false, time: UInt64, cpu: Int32 = 0,
    id: UInt64
  ) -> [UInt8] {
    var body = ByteBuilder()
    body.append(pid)
    body.append(tid)
    appendName(name, to: &body)
    appendSampleID(pid: pid, tid: tid, time: time, cpu: cpu, id: id, to: &body)
    return record(type: RecordType.comm, misc: isExec ? 1 << 13 : 0, body: body)
  }

  /// A FORK record: a thread began.
  public static func fork(
    pid: Int32, parentPid: Int32, tid: Int32, parentTid: Int32, time: UInt64, cpu: Int32 = 0,
    id: UInt64
  ) -> [UInt8] {
    task(
      RecordType.fork, [pid, parentPid, tid, parentTid], sampleOf: (parentPid, parentTid),
      time: time, cpu: cpu, id: id)
  }

  /// An EXIT record: a thread ended.
  public static func exit(
    pid: Int32, parentPid: Int32, tid: Int32, parentTid: Int32, time: UInt64, cpu: Int32 = 0,
    id: UInt64
  ) -> [UInt8] {
    task(
      RecordType.exit, [pid, parentPid, tid, parentTid], sampleOf: (pid, tid), time: time,
      cpu: cpu, id: id)
  }

  /// A SWITCH record: a thread got a CPU or left it.
  public static func contextSwitch(
    _ what: ContextSwitch, pid: Int32, tid: Int32, time: UInt64, cpu: Int32 = 0, id: UInt64
  ) -> [UInt8] {
    var body = ByteBuilder()
    appendSampleID(pid: pid, tid: tid, time: time, cpu: cpu, id: id, to: &body)
    let misc: UInt16 =
      switch what {
      case .arrived: 0
      case .left: 1 << 13
      case .preempted: 1 << 13 | 1 << 14
      }
    return record(type: RecordType.contextSwitch, misc: misc, body: body)
  }

  /// A LOST record: so many records did not fit the ring buffer.
  public static func lost(
    records: UInt64, time: UInt64, pid: Int32 = -1, tid: Int32 = -1, cpu: Int32 = 0, id: UInt64
  ) -> [UInt8] {
    var body = ByteBuilder()
    body.append(id)
    body.append(records)
    appendSampleID(pid: pid, tid: tid, time: time, cpu: cpu, id: id, to: &body)
    return record(type: RecordType.lost, misc: 0, body: body)
  }

  /// A FINISHED_ROUND record: what follows is newer than all before the round before it.
  public static func finishedRound() -> [UInt8] {
    record(type: RecordType.finishedRound, misc: 0, body: ByteBuilder())
  }

  private static func task(
    _ type: UInt32, _ ids: [Int32], sampleOf: (Int32, Int32), time: UInt64, cpu: Int32,
    id: UInt64
  ) -> [UInt8] {
    var body = ByteBuilder()
    for value in ids { body.append(value) }
    body.append(time)
    appendSampleID(
      pid: sampleOf.0, tid: sampleOf.1, time: time, cpu: cpu, id: id, to: &body)
    return record(type: type, misc: 0, body: body)
  }

  /// A zero-terminated name padded to 8, cut at what a path can be at most.
  private static func appendName(_ name: String, to body: inout ByteBuilder) {
    body.append(contentsOf: [UInt8](name.utf8.prefix(4095)))
    body.append(UInt8(0))
    body.pad(to: 8)
  }

  /// The trailer of Lull's own attributes.
  private static func appendSampleID(
    pid: Int32, tid: Int32, time: UInt64, cpu: Int32, id: UInt64, to body: inout ByteBuilder
  ) {
    var writer = SampleWriter(id: id, pid: pid, tid: tid, time: time, cpu: cpu)
    SampleLayout.base.walkTrailer(&writer)
    body.append(contentsOf: writer.body.bytes)
  }
}
