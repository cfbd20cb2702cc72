import Quantities

/// The text that `perf script` prints, made into records again.
///
/// It holds no system call arguments and no interrupt context, and a process is known only where `-F +pid` was given.
/// Its stacks are kept with the names that they have there, as Lull keeps those of its own traces.
struct ScriptText {
  /// One event of the text with the fields that its first line had.
  private struct Event {
    var attribute: EventAttribute
    var format: TracepointFormat?
  }

  private static let textLength = 64
  /// Lines are in order, so that every so many of them a round is finished.
  private static let linesInRound = 4096
  /// A file that shows no event in its first lines is no such text.
  private static let convincingBytes = 16 << 10

  private var events: [Event] = [
    Event(
      attribute: EventAttribute(
        type: 1, config: 9, sampleType: .base, flags: EventAttribute.sampleIDAllFlag, ids: [1],
        name: "dummy:HG"))
  ]
  private var indexOfName: [String: Int] = [:]
  private var named: [Int32: String] = [:]
  /// Recorded in a PID namespace: fields name threads by other ids than the lines do.
  private var isNamespaced = false
  private let spill = SpillFile()
  private var lines = 0
  private var unread = 0
  /// The highest number of a CPU that a line tells.
  private var lastCPU: Int32 = -1
  /// Some of its events have stacks.
  private var hasStacks = false
  /// The last event that was read, whose stack follows it.
  private var pending: (line: ScriptLine, frames: [Int])?
  private var symbols: [ScriptFrame: Int] = [:]
  /// The last sample of each thread, which no other may have the time of: stacks are found by it.
  private var lastTimes: [Int32: UInt64] = [:]
  private let symbolAttribute = SyntheticEvent.symbol.attribute(ids: [2])
  private let stackAttribute = SyntheticEvent.stack.attribute(ids: [3])
  /// Ids of attributes before this are taken.
  private static let firstID = 4

  /// Whether the bytes are text with an event line near its beginning.
  static func matches(_ bytes: ByteView) -> Bool {
    let start = bytes.prefix(convincingBytes)
    guard !start.isEmpty, !start.contains(0) else { return false }
    return String(decoding: start, as: UTF8.self).split(whereSeparator: \.isNewline).contains {
      ScriptLine($0) != nil
    }
  }

  static func parts(_ storage: ByteStorage) throws(PerfDataError) -> TraceParts {
    var text = ScriptText()
    let bytes = storage.bytes
    text.hasStacks = lines(of: bytes) { line in
      line.first?.isWhitespace == true && ScriptLine(line) == nil && ScriptFrame(line) != nil
    }
    var failure: PerfDataError?
    _ = lines(of: bytes) { line in
      do throws(PerfDataError) { try text.read(line) } catch { failure = error }
      return failure != nil
    }
    if let failure { throw failure }
    try text.flush()
    return try text.finished()
  }

  /// Goes through the lines until one is the one.
  private static func lines(of bytes: ByteView, _ isFound: (Substring) -> Bool) -> Bool {
    var offset = 0
    while offset < bytes.count {
      let end = bytes[offset...].firstIndex(of: 10) ?? bytes.count
      if isFound(String(decoding: bytes[offset..<end], as: UTF8.self)[...]) { return true }
      offset = end + 1
    }
    return false
  }

  private mutating func read(_ line: Substring) throws(PerfDataError) {
    guard let first = line.first, first != "#" else { return }
    if let parsed = ScriptLine(line), !parsed.event.hasPrefix("PERF_RECORD_") {
      try flush()
      pending = (parsed, [])
      // `-F ip,sym` without a stack: it stands behind the event.
      if ScriptLine.kind(ofEvent: parsed.event) != nil { try addFrame(parsed.fields) }
    } else if first == "\t" || first == " " {
      try addFrame(line)
    } else if line.contains(where: { !$0.isWhitespace }) {
      unread += 1
    }
  }

  private mutating func addFrame(_ line: Substring) throws(PerfDataError) {
    guard let time = pending?.line.time, let frame = ScriptFrame(line) else { return }
    if symbols[frame] == nil {
      symbols[frame] = symbols.count
      try append(
        SymbolEvent(
          id: symbols.count - 1, function: frame.function, module: frame.module,
          offset: frame.address, isKernel: frame.isKernel, isProgram: !frame.isKernel),
        symbolAttribute, tid: 0, time: time)
    }
    if let id = symbols[frame] { pending?.frames.append(id) }
  }

  private func append(
    _ payload: some SyntheticPayload, _ attribute: EventAttribute, tid: Int32, time: UInt64
  ) throws(PerfDataError) {
    try spill.append(
      RecordBuilder.sample(
        attribute: attribute, id: attribute.ids[0], time: time, pid: tid, tid: tid, cpu: 0,
        raw: try payload.encoded()))
  }

  /// Writes the event whose stack is read.
  private mutating func flush() throws(PerfDataError) {
    guard case (var parsed, let frames)? = pending else { return }
    pending = nil
    // Times may be of microseconds, in which a thread has several samples.
    if !frames.isEmpty {
      if let last = lastTimes[parsed.tid], last >= parsed.time, last - parsed.time < 1000 {
        parsed.time = last + 1
      }
      lastTimes[parsed.tid] = parsed.time
      try append(
        StackEvent(time: parsed.time, tid: Int(parsed.tid), frames: frames, complete: true),
        stackAttribute, tid: parsed.tid, time: parsed.time)
    }
    try write(parsed)
  }

  private mutating func write(_ parsed: ScriptLine) throws(PerfDataError) {
    lastCPU = max(lastCPU, parsed.cpu)
    let values = ScriptLine.kind(ofEvent: parsed.event) == nil ? parsed.values : []
    try name(parsed.tid, parsed.pid ?? parsed.tid, parsed.name, parsed.time)
    if case .integer(let switching)? = values.first(where: { $0.name == "prev_pid" })?.value,
      switching > 0, parsed.tid > 0, switching != parsed.tid
    {
      isNamespaced = true
    }
    for side in ["prev_", "next_", ""] where !isNamespaced {
      guard case .integer(let tid)? = values.first(where: { $0.name == side + "pid" })?.value,
        case .text(let name)? = values.first(where: { $0.name == side + "comm" })?.value,
        tid > 0, let thread = Int32(exactly: tid)
      else { continue }
      try self.name(thread, thread, name, parsed.time)
    }
    let index = event(parsed, values)
    let attribute = events[index].attribute
    try spill.append(
      RecordBuilder.sample(
        attribute: attribute, id: attribute.ids[0], time: parsed.time,
        pid: parsed.pid ?? parsed.tid, tid: parsed.tid, cpu: parsed.cpu, period: parsed.period,
        raw: events[index].format.map { Self.payload($0, values) } ?? []))
    lines += 1
    if lines % Self.linesInRound == 0 { try spill.append(RecordBuilder.finishedRound()) }
  }

  private mutating func name(
    _ tid: Int32, _ pid: Int32, _ name: String, _ time: UInt64
  ) throws(PerfDataError) {
    // The idle task is no process.
    guard tid > 0, named[tid] != name else { return }
    named[tid] = name
    try spill.append(
      RecordBuilder.comm(
        pid: pid, tid: tid, name: name, isExec: false, time: time, cpu: 0, id: 1))
  }

  private mutating func event(
    _ line: ScriptLine, _ values: [(name: String, value: ScriptLine.Value)]
  ) -> Int {
    if let known = indexOfName[line.event] { return known }
    let index = events.count
    indexOfName[line.event] = index
    let parts = line.event.split(separator: ":")
    let kind = ScriptLine.kind(ofEvent: line.event)
    var event = Event(
      attribute: EventAttribute(
        type: kind?.type ?? 2, config: kind?.config ?? UInt64(index), sampleType: [.base, .period],
        // Each line tells a period of its own.
        flags: EventAttribute.sampleIDAllFlag | EventAttribute.usesFrequencyFlag,
        ids: [UInt64(index + Self.firstID)], name: line.event))
    // The stacks themselves are kept beside.
    if hasStacks { event.attribute.sampleType.insert(.callchain) }
    if parts.count == 2, !values.isEmpty {
      event.attribute.sampleType.insert(.raw)
      event.format = Self.format(String(parts[0]), String(parts[1]), index, values)
    }
    events.append(event)
    return index
  }

  private static func format(
    _ system: String, _ name: String, _ id: Int,
    _ values: [(name: String, value: ScriptLine.Value)]
  ) -> TracepointFormat {
    var fields: [TracepointField] = []
    var offset = 0
    for (name, value) in values {
      switch value {
      case .integer:
        fields.append(
          TracepointField(name: name, typeName: "long", offset: offset, size: 8, isSigned: true))
        offset += 8
      case .text:
        fields.append(
          TracepointField(
            name: name, typeName: "char", offset: offset, size: textLength, isSigned: false,
            isArray: true))
        offset += textLength
      }
    }
    return TracepointFormat(system: system, name: name, id: id, fields: fields)
  }

  private static func payload(
    _ format: TracepointFormat, _ values: [(name: String, value: ScriptLine.Value)]
  ) -> [UInt8] {
    var output = ByteBuilder()
    for field in format.fields {
      switch values.first(where: { $0.name == field.name })?.value {
      case .integer(let number)? where !field.isArray: output.append(number)
      case .text(let text)? where field.isArray:
        output.append(contentsOf: [UInt8](text.utf8.prefix(textLength - 1)))
      default: break
      }
      let missing = field.offset + field.size - output.bytes.count
      output.append(contentsOf: [UInt8](repeating: 0, count: max(missing, 0)))
    }
    return output.bytes
  }

  private func finished() throws(PerfDataError) -> TraceParts {
    let storage = try spill.storage()
    var decoder = FeatureDecoder(storage.bytes)
    let attributes = events.map(\.attribute) + [symbolAttribute, stackAttribute]
    for attribute in attributes { decoder.name(attribute.ids[0], attribute.name) }
    for event in events {
      if let format = event.format { decoder.features.tracepoints[format.id] = format }
    }
    // There may be more, of which nothing happened on any.
    if lastCPU >= 0 { decoder.features.cpusOnline = Int(lastCPU) + 1 }
    var parts = TraceParts(
      storage: storage, data: 0..<storage.count, attributes: attributes, decoder: decoder)
    parts.tellsLosses = false
    if unread > 0 {
      parts.problems.append("no event of perf script in \(Figures.count(unread, "line"))")
    }
    return parts
  }
}
