/// A trace of trace-cmd, made into records: an event's payload is the same as in perf's raw data.
///
/// It tells no process of a thread, so each thread stands for one of its own; what fork, exec and exit say is taken
/// from their tracepoints where they were recorded.
struct FtraceTrace {
  private static let recordsInRound = 4096

  private let contents: FtraceContents
  private let attributes: [EventAttribute]
  private let tracepoints: [Int: TracepointFormat]
  /// Index of the attribute of each event number; -1 for those of ftrace's own tracers.
  private var attributeOf = [Int16](repeating: -1, count: 1 << 16)
  private let spill = SpillFile()
  private var records = 0
  private var lost: UInt64 = 0
  private var last: UInt64 = 0

  static func parts(_ storage: ByteStorage) throws(PerfDataError) -> TraceParts {
    var trace = FtraceTrace(try FtraceContents(storage.bytes))
    return try trace.converted(storage.bytes)
  }

  private init(_ contents: FtraceContents) {
    self.contents = contents
    var attributes = [
      EventAttribute(
        type: 1, config: 9, sampleType: .base, flags: EventAttribute.sampleIDAllFlag, ids: [1],
        name: "dummy:HG")
    ]
    var tracepoints: [Int: TracepointFormat] = [:]
    for text in contents.formats {
      guard let format = TracepointFormat(parsing: text.text, system: text.system),
        tracepoints[format.id] == nil, (0..<attributeOf.count).contains(format.id),
        attributes.count < Int(Int16.max)
      else { continue }
      tracepoints[format.id] = format
      attributeOf[format.id] = Int16(attributes.count)
      attributes.append(
        EventAttribute(
          type: 2, config: UInt64(format.id), sampleType: [.base, .raw],
          flags: EventAttribute.sampleIDAllFlag, ids: [UInt64(attributes.count + 1)],
          name: "\(format.system):\(format.name)"))
    }
    self.attributes = attributes
    self.tracepoints = tracepoints
  }

  private mutating func converted(_ file: ByteView) throws(PerfDataError)
    -> TraceParts
  {
    let layout = FtraceBuffer.PageLayout(contents.headerPage)
    var buffers = contents.pages.map {
      FtraceBuffer($0, of: contents, layout: layout, in: file)
    }
    if let first = buffers.compactMap({ $0.event?.time }).min() {
      try nameThreads(at: nanoseconds(first))
    }
    while let index = Self.earliest(buffers) {
      // One CPU's events up to the next one's.
      let limit = Self.earliest(buffers, besides: index).flatMap { buffers[$0].event?.time }
      while let event = buffers[index].event, event.time <= limit ?? .max {
        try write(event, buffers[index].payload(of: event), cpu: buffers[index].cpu)
        let before = buffers[index].missed
        buffers[index].advance()
        try report(lost: buffers[index].missed - before)
      }
    }
    try report(lost: contents.overrun - min(lost, contents.overrun))
    return try finished(buffers.compactMap(\.problem))
  }

  /// The buffer whose next event is the earliest.
  private static func earliest(_ buffers: [FtraceBuffer], besides other: Int = -1) -> Int? {
    var best: (index: Int, time: UInt64)?
    for index in buffers.indices where index != other {
      guard let time = buffers[index].event?.time, time < best?.time ?? .max || best == nil else {
        continue
      }
      best = (index, time)
    }
    return best?.index
  }

  private mutating func write(
    _ event: FtraceBuffer.Event, _ original: [UInt8], cpu: Int32
  ) throws(PerfDataError) {
    var payload = original
    guard payload.count >= 8 else { return }
    let id = Int(payload[0]) | Int(payload[1]) << 8
    let number = contents.isBigEndian ? (id >> 8) | (id & 0xff) << 8 : id
    let index = Int(attributeOf[number])
    guard index > 0, let format = tracepoints[number] else { return }
    if contents.isBigEndian { Self.swap(&payload, format) }
    last = nanoseconds(event.time)
    let tid = payload.withView { format.field("common_pid")?.integer(in: $0.pointer) } ?? 0
    let thread = Int32(truncatingIfNeeded: tid)
    try spill.append(
      RecordBuilder.sample(
        attribute: attributes[index], id: attributes[index].ids[0], time: last, pid: thread,
        tid: thread, cpu: cpu, raw: payload))
    try payload.withView { raw throws(PerfDataError) in
      try follow(format, raw.pointer, thread: thread)
    }
    records += 1
    if records % Self.recordsInRound == 0 { try spill.append(RecordBuilder.finishedRound()) }
  }

  /// Makes the records of tasks that perf writes of what their tracepoints tell.
  private func follow(
    _ format: TracepointFormat, _ raw: UnsafeRawBufferPointer, thread: Int32
  ) throws(PerfDataError) {
    guard format.system == "sched" else { return }
    func id(_ field: String) -> Int32? {
      format.field(field)?.integer(in: raw).map { Int32(truncatingIfNeeded: $0) }
    }
    switch format.name {
    case "sched_process_fork":
      guard let child = id("child_pid"), let parent = id("parent_pid") else { return }
      try spill.append(
        RecordBuilder.fork(
          pid: child, parentPid: parent, tid: child, parentTid: parent, time: last, id: 1))
    case "sched_process_exec":
      guard let path = format.field("filename")?.string(in: raw) else { return }
      let name = path.split(separator: "/").last.map { String($0.prefix(15)) } ?? path
      try spill.append(
        RecordBuilder.comm(
          pid: thread, tid: thread, name: name, isExec: true, time: last, id: 1))
    case "sched_process_exit":
      try spill.append(
        RecordBuilder.exit(
          pid: thread, parentPid: 0, tid: thread, parentTid: 0, time: last, id: 1))
    default: break
    }
  }

  private func nameThreads(at time: UInt64) throws(PerfDataError) {
    for (tid, name) in contents.names where tid > 0 {
      try spill.append(
        RecordBuilder.comm(pid: tid, tid: tid, name: name, isExec: false, time: time, id: 1))
    }
  }

  private mutating func report(lost count: UInt64) throws(PerfDataError) {
    guard count > 0 else { return }
    lost &+= count
    try spill.append(RecordBuilder.lost(records: count, time: last, id: 1))
  }

  private func nanoseconds(_ time: UInt64) -> UInt64 {
    guard let tick = contents.tick, tick.shift < 64 else { return time }
    let (high, low) = time.multipliedFullWidth(by: UInt64(tick.multiplier))
    guard tick.shift > 0 else { return low &+ tick.offset }
    return (low >> UInt64(tick.shift) | high << (64 - UInt64(tick.shift))) &+ tick.offset
  }

  /// Turns a payload of the other endianness round, field by field.
  private static func swap(_ payload: inout [UInt8], _ format: TracepointFormat) {
    for field in format.fields where field.offset + field.size <= payload.count {
      let width = field.isArray ? RecordSwapper.elementSize(field.typeName) : field.size
      guard width > 1 else { continue }
      for start in stride(from: field.offset, to: field.offset + field.size - width + 1, by: width)
      {
        payload[start..<start + width].reverse()
      }
    }
  }

  private func finished(_ broken: [String]) throws(PerfDataError) -> TraceParts {
    let storage = try spill.storage()
    var decoder = FeatureDecoder(storage.bytes)
    for attribute in attributes { decoder.name(attribute.ids[0], attribute.name) }
    decoder.features.tracepoints = tracepoints
    if contents.uname.count >= 4 {
      decoder.features.hostname = String(contents.uname[1])
      decoder.features.osRelease = String(contents.uname[2])
      decoder.features.architecture = String(contents.uname[3])
    }
    decoder.features.cpusOnline = contents.cpuCount
    // CLOCK_MONOTONIC, as perf's own option -k mono means.
    if contents.clock == "mono" { decoder.features.clockID = 1 }
    return TraceParts(
      storage: storage, data: 0..<storage.count, attributes: attributes, decoder: decoder,
      problems: contents.problems + broken,
      isUnfinished: !broken.isEmpty
        || contents.problems.contains { $0.hasPrefix("the file is cut") })
  }
}
