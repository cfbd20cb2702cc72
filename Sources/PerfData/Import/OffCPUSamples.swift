import Quantities

/// Gives the samples of `perf record --off-cpu` the form of others, with a time, a thread and a stack of their own.
///
/// perf writes the sums that its BPF program kept once the recording is over, at times that only put them last:
/// 0xffffffff00000000 and up (OFF_CPU_TIMESTAMP in tools/perf/util/bpf_off_cpu.c). Since 6.16 thread, length and stack
/// stand in the raw payload (`__set_offcpu_sample` in tools/perf/util/evsel.c), since what the kernel gives a sample is
/// of the thread that left; waits longer than `--off-cpu-thresh` come with the time at which they ended.
struct OffCPUSamples {
  static let name = "offcpu-time"
  private static let softwareEvent: UInt32 = 1
  private static let programOutput: UInt64 = 10
  /// From here up it is no time.
  private static let firstSum: UInt64 = 0xffff_ffff_0000_0000

  private let file: PerfDataFile
  /// By the file's attributes: in which form the samples are written anew; nil of other events.
  private let written: [EventAttribute?]
  /// The last time of the recording.
  private var last: UInt64 = 0
  /// The process of each thread that is named by other records.
  private var processes: [Int32: Int32] = [:]

  /// The parts with such samples written anew; as they are where there are none.
  static func told(_ parts: TraceParts) throws(PerfDataError) -> TraceParts {
    guard
      parts.attributes.contains(where: { $0.type == softwareEvent && $0.config == programOutput })
    else { return parts }
    let file = PerfDataFile(parts)
    guard file.attributes.contains(where: \.isOffCPU) else { return parts }
    var samples = OffCPUSamples(file)
    samples.readOthers()
    var told = parts
    for (index, attribute) in samples.written.enumerated() {
      if let attribute { told.attributes[index].sampleType = attribute.sampleType }
    }
    let spill = SpillFile()
    let damaged = try samples.write(to: spill)
    if damaged > 0 {
      told.problems.append("\(Figures.count(damaged, "sample")) of \(name) cannot be read")
    }
    told.storage = try spill.storage()
    told.data = 0..<spill.count
    return told
  }

  private init(_ file: PerfDataFile) {
    self.file = file
    written = file.attributes.map { attribute in
      guard attribute.isOffCPU else { return nil }
      var written = attribute
      written.sampleType.remove(.raw)
      written.sampleType.formUnion([.callchain, .period, .tid])
      return written
    }
  }

  /// Finds the end of the recording and its threads.
  private mutating func readOthers() {
    var scanner = file.scanner()
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) {
      guard !isOffCPU(record) else { continue }
      last = max(last, record.time)
      if record.tid > 0, record.pid > 0 { processes[record.tid] = record.pid }
    }
  }

  private func isOffCPU(_ record: RecordEntry) -> Bool {
    record.type == RecordType.sample && written.indices.contains(Int(record.attribute))
      && written[Int(record.attribute)] != nil
  }

  /// Copies the records; gives how many samples could not be written anew.
  private func write(to spill: SpillFile) throws(PerfDataError) -> Int {
    var damaged = 0
    var scanner = file.scanner()
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    var copied = file.data.lowerBound
    while scanner.next(&record) {
      guard isOffCPU(record), let attribute = written[Int(record.attribute)] else { continue }
      try spill.append(file.storage.bytes.view(copied..<record.offset))
      copied = record.offset + Int(record.size)
      if let sample = try? told(file.sample(record), attribute) {
        try spill.append(sample)
      } else {
        damaged += 1
      }
    }
    try spill.append(file.storage.bytes.view(copied..<file.data.upperBound))
    return damaged
  }

  private func told(_ sample: Sample, _ attribute: EventAttribute) -> [UInt8]? {
    let isSum = sample.time >= Self.firstSum
    var (pid, tid, period, stack) = (sample.pid, sample.tid, sample.period, sample.callchain)
    if let raw = sample.raw {
      guard let first = raw.unsignedInteger(at: 0, size: 4),
        let second = raw.unsignedInteger(at: 4, size: 4),
        let length = raw.unsignedInteger(at: 8, size: 8),
        let count = raw.unsignedInteger(at: 16, size: 8), count <= UInt64(raw.count / 8)
      else { return nil }
      (pid, tid) = task(
        Int32(truncatingIfNeeded: first), Int32(truncatingIfNeeded: second), isSum: isSum)
      period = length
      stack = []
      for place in 0..<Int(count) {
        guard let address = raw.unsignedInteger(at: 24 + 8 * place, size: 8) else { return nil }
        stack.append(address)
      }
    }
    return RecordBuilder.sample(
      attribute: attribute, id: sample.id ?? 0, time: isSum ? last : sample.time, pid: pid,
      tid: tid, cpu: sample.cpu, period: period ?? 1, ip: stack.count > 1 ? stack[1] : 0,
      callchain: stack)
  }

  /// Process and thread: perf writes the process first into its sums, its BPF program the thread into single waits.
  private func task(_ first: Int32, _ second: Int32, isSum: Bool) -> (pid: Int32, tid: Int32) {
    if processes[second] == first { return (first, second) }
    if processes[first] == second || !isSum { return (second, first) }
    return (first, second)
  }
}

extension EventAttribute {
  /// Whether it is the event of `perf record --off-cpu`.
  fileprivate var isOffCPU: Bool { name == OffCPUSamples.name }
}
