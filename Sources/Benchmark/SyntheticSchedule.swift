import PerfData

/// A trace of threads that wake each other, as `perf sched record` would have written it: switches, wakes and run times of two CPUs,
/// in rounds.
struct SyntheticSchedule {
  private static let threads: Int32 = 8
  private static let recordsInRound = 10_000

  private let attributes: [EventAttribute]
  private let features: WrittenFeatures
  private var templates: [[UInt8]] = []

  /// Offsets in a sample of IDENTIFIER, IP, TID, TIME, CPU, PERIOD and RAW.
  private enum At {
    static let tid = 24
    static let time = 32
    static let cpu = 40
    static let raw = 60
  }

  init() {
    let text = [
      (
        "sched_switch",
        [
          ("char", "prev_comm", 16), ("pid_t", "prev_pid", 4), ("int", "prev_prio", 4),
          ("long", "prev_state", 8), ("char", "next_comm", 16), ("pid_t", "next_pid", 4),
          ("int", "next_prio", 4),
        ]
      ),
      (
        "sched_waking",
        [("char", "comm", 16), ("pid_t", "pid", 4), ("int", "prio", 4), ("int", "target_cpu", 4)]
      ),
      ("sched_stat_runtime", [("char", "comm", 16), ("pid_t", "pid", 4), ("u64", "runtime", 8)]),
    ]
    var features = WrittenFeatures()
    features.hostname = "bench"
    features.osRelease = "6.1.0"
    features.perfVersion = "6.1"
    features.architecture = "x86_64"
    features.cpusOnline = 2
    features.cpusAvailable = 2
    features.commandLine = ["perf", "sched", "record", "--", "bench"]
    var attributes = [
      EventAttribute(type: 1, config: 9, sampleType: Self.fields, ids: [10, 11], name: "dummy:HG")
    ]
    var formats: [TracingData.Format] = []
    var sizes: [Int] = []
    for (index, event) in text.enumerated() {
      let (format, size) = Self.format(event.0, id: 300 + index, event.1)
      formats.append(TracingData.Format(system: "sched", text: format))
      sizes.append(size)
      attributes.append(
        EventAttribute(
          type: 2, config: UInt64(300 + index), sampleType: Self.fields.union(.raw),
          ids: [UInt64(20 + 2 * index), UInt64(21 + 2 * index)], name: "sched:\(event.0)"))
    }
    features.tracingData = TracingData(
      headerPage:
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n",
      headerEvent: "", formats: formats)
    self.features = features
    self.attributes = attributes
    for (index, size) in sizes.enumerated() {
      templates.append(
        RecordBuilder.sample(
          attribute: attributes[index + 1], id: attributes[index + 1].ids[0], time: 0, pid: 1000,
          tid: 1000, cpu: 0, raw: [UInt8](repeating: 0, count: size)))
    }
  }

  private static let fields: SampleFields = [.base, .instructionPointer, .period]

  private static func format(
    _ name: String, id: Int, _ fields: [(type: String, name: String, size: Int)]
  ) -> (text: String, size: Int) {
    var text = "name: \(name)\nID: \(id)\nformat:\n"
    text += "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    text += "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    text += "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    text += "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    var offset = 8
    for field in fields {
      offset = (offset + min(field.size, 8) - 1) / min(field.size, 8) * min(field.size, 8)
      let declaration =
        field.size == 16 ? "\(field.type) \(field.name)[16]" : "\(field.type) \(field.name)"
      text += "\tfield:\(declaration);\toffset:\(offset);\tsize:\(field.size);"
      text += "\tsigned:\(field.type == "u64" ? 0 : 1);\n"
      offset += field.size
    }
    // The kernel's raw data are aligned so that a word follows the 4-byte size.
    return (text + "\nprint fmt: \"\"\n", (offset + 4 + 7) / 8 * 8 - 4)
  }

  /// Writes a trace of about `count` records.
  func write(to path: String, records count: Int) throws {
    let writer = try PerfDataWriter(path: path, attributes: attributes, features: features)
    var time: UInt64 = 1_000_000_000
    var head: [UInt8] = []
    for thread in 0..<Self.threads {
      let tid = 1000 + thread
      head += RecordBuilder.fork(
        pid: 1000, parentPid: thread == 0 ? 1 : 1000, tid: tid, parentTid: 1000, time: time, id: 10)
      head += RecordBuilder.comm(
        pid: 1000, tid: tid, name: "bench", isExec: thread == 0, time: time, id: 10)
    }
    try writer.append(head)
    var random: UInt64 = 88_172_645_463_325_252
    func next() -> UInt64 {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return random
    }
    var running: [Int32] = [0, 0]
    var written = 0
    while written < count {
      // Each CPU's ring is emptied in turn, so a round is two ascending runs.
      var rings: [[UInt8]] = [[], []]
      for _ in 0..<min(Self.recordsInRound, max(count - written, 4)) / 4 {
        time += 500 + next() % 4000
        let cpu = Int(next() % 2)
        let old = running[cpu]
        var new = 1000 + Int32(next() % UInt64(Self.threads))
        if new == running[1 - cpu] { new = 0 }
        guard new != old else { continue }
        if new != 0 { append(1, to: &rings[cpu], time: time, cpu: cpu, tid: old, [(24, new)]) }
        if old != 0 {
          append(2, to: &rings[cpu], time: time + 100, cpu: cpu, tid: old, [(24, old)])
        }
        append(
          0, to: &rings[cpu], time: time + 200, cpu: cpu, tid: old, [(24, old), (56, new)],
          state: next() % 4 == 0 ? 0 : 1)
        written += 1 + (new != 0 ? 1 : 0) + (old != 0 ? 1 : 0)
        running[cpu] = new
      }
      try writer.append(rings[0])
      try writer.append(rings[1])
      try writer.appendFinishedRound()
    }
    try writer.finish(features: features)
  }

  private func append(
    _ event: Int, to ring: inout [UInt8], time: UInt64, cpu: Int, tid: Int32,
    _ numbers: [(offset: Int, value: Int32)], state: UInt64 = 0
  ) {
    let start = ring.count
    ring += templates[event]
    func put<T: FixedWidthInteger>(_ value: T, at offset: Int) {
      withUnsafeBytes(of: value.littleEndian) { bytes in
        for (index, byte) in bytes.enumerated() { ring[start + offset + index] = byte }
      }
    }
    put(attributes[event + 1].ids[cpu], at: 8)
    put(tid == 0 ? Int32(0) : 1000, at: At.tid)
    put(tid, at: At.tid + 4)
    put(time, at: At.time)
    put(Int32(cpu), at: At.cpu)
    put(UInt16(300 + event), at: At.raw)
    put(tid, at: At.raw + 4)
    for number in numbers { put(number.value, at: At.raw + number.offset) }
    if event == 0 { put(state, at: At.raw + 32) }
  }
}
