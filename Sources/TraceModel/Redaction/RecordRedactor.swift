import PerfData
import Quantities

/// Rewrites one record after another without what names a person, a machine or a place.
struct RecordRedactor {
  let file: PerfDataFile
  var names: NameRedactor
  /// Whether the trace names its stacks itself, so that the bytes of user stacks are not needed.
  let dropsStacks: Bool
  private var parts = SyntheticJoiner()
  /// Where files are mapped, in any process.
  private var mappings = AddressRanges()
  /// By what samples are known whose callchains were changed: before that, and since.
  private var keys: [Int: Int] = [:]
  /// What is in the trace of which nothing tells what it says, with how often.
  private(set) var unknown: [Unread: Int] = [:]

  /// What one of it is called, and which of them it is.
  struct Unread: Hashable {
    var noun: String
    var which: String

    init(_ noun: String, _ which: String) { (self.noun, self.which) = (noun, which) }
  }

  init(file: PerfDataFile, names: NameRedactor, dropsStacks: Bool) {
    self.file = file
    self.names = names
    self.dropsStacks = dropsStacks
  }

  /// Records that hold no text: counts, times and numbers of processes.
  private static let plain: Set<UInt32> = [
    RecordType.lost, RecordType.exit, RecordType.throttle, RecordType.unthrottle, RecordType.fork,
    RecordType.read, RecordType.lostSamples, RecordType.finishedRound,
    // AUX, ITRACE_START, SWITCH, SWITCH_CPU_WIDE, NAMESPACES, KSYMBOL, BPF_EVENT, TEXT_POKE.
    11, 12, 14, 15, 16, 17, 18, 20,
    // ID_INDEX, CPU_MAP, STAT_CONFIG, STAT, STAT_ROUND, TIME_CONV, FINISHED_INIT.
    69, 74, 75, 76, 77, 79, 82,
  ]

  /// The record to write instead; nil leaves it out.
  mutating func redact(_ record: [UInt8], _ entry: RecordEntry) -> [UInt8]? {
    switch entry.type {
    case RecordType.sample: return sample(record, entry)
    case RecordType.mmap: return mapping(record, entry, at: 40)
    case RecordType.mmap2: return mapping(record, entry, at: 72)
    case RecordType.comm: return text(record, entry, at: 16, isName: true)
    // PERF_RECORD_CGROUP: an id, then the path.
    case 19: return text(record, entry, at: 16)
    // perf's build id record: pid, 24 bytes of id, path; without a sample id.
    case RecordType.buildID: return text(record, entry, at: 36, trailer: 0)
    // perf's list of threads (names only, and those of COMM say the same), and its units and names of events.
    case 73, 78: return nil
    case let type where Self.plain.contains(type): return record
    default:
      // Unknown bytes could hold anything; the record stays, because it is counted.
      guard entry.type > RecordType.lastUser || entry.type < RecordType.firstUser else {
        return nil
      }
      unknown[Unread("record", "of type \(entry.type)"), default: 0] += 1
      return Array(record.prefix(8)) + [UInt8](repeating: 0, count: max(0, record.count - 8))
    }
  }

  /// Both kinds of records have the address and the length after process and thread.
  private mutating func mapping(_ record: [UInt8], _ entry: RecordEntry, at start: Int) -> [UInt8] {
    if let first = Bytes.u64(record, 16), let length = Bytes.u64(record, 24),
      first <= Self.lastAddress, length <= Self.lastAddress
    {
      mappings.insert(first..<first + length)
    }
    return text(record, entry, at: start)
  }

  // MARK: Text at the end of a record

  private mutating func text(
    _ record: [UInt8], _ entry: RecordEntry, at start: Int, isName: Bool = false,
    trailer given: Int? = nil
  ) -> [UInt8] {
    let attribute = file.attribute(of: entry) ?? file.attributes.first
    let trailer = given ?? attribute.map { SampleLayout($0).trailerSize } ?? 0
    guard record.count >= start + trailer else {
      unknown[Unread("record", "of type \(entry.type), cut short"), default: 0] += 1
      return Self.blank(record)
    }
    let room = record[start..<record.count - trailer]
    let old = Array(room.prefix { $0 != 0 })
    let decoded = String(decoding: old, as: UTF8.self)
    let changed = isName ? short(decoded) : names.file(decoded)
    guard changed != decoded || room.dropFirst(old.count).contains(where: { $0 != 0 }) else {
      return record
    }
    var result = Array(record[..<start]) + Array(changed.utf8.prefix(4095)) + [0]
    while !result.count.isMultiple(of: 8) { result.append(0) }
    result += record.suffix(trailer)
    return Self.withSize(result)
  }

  /// A thread's name of at most 15 bytes.
  private mutating func short(_ name: String) -> String {
    let changed = names.name(name)
    guard changed != name else { return name }
    return String(decoding: changed.utf8.prefix(15), as: UTF8.self)
  }

  private static func withSize(_ record: [UInt8]) -> [UInt8] {
    var record = record
    record[6] = UInt8(record.count & 0xFF)
    record[7] = UInt8(record.count >> 8 & 0xFF)
    return record
  }

  // MARK: Samples

  private mutating func sample(_ record: [UInt8], _ entry: RecordEntry) -> [UInt8]? {
    guard let attribute = file.attribute(of: entry),
      let contents = SampleLayout(attribute).contents(of: record)
    else {
      // Not decodable, so nothing can be kept of it but its place.
      unknown[Unread("sample", "that cannot be decoded"), default: 0] += 1
      return Self.blank(record)
    }
    if attribute.sampleType.rawValue >= SampleFields.firstUnknown || contents.hasTrace {
      unknown[
        Unread("sample", "of \(attribute.name) with parts that say nothing to Lull"), default: 0] +=
        1
      return Self.blank(record)
    }
    if let event = SyntheticEvent(attribute: attribute), let raw = contents.raw {
      // What is longer than a record is written where its last part was.
      guard let whole = parts.add(RawPayload(bytes: Array(record[raw])), of: event) else {
        return nil
      }
      return SyntheticParts.split(synthetic(whole.bytes, event))
        .flatMap { Self.replacing(raw, of: record, with: $0, filler: 0x20) }
    }
    var result = record
    // The kernel follows frame pointers into text, too.
    for words in contents.words { blankText(in: &result, words, from: Self.number) }
    if result != record { noteKey(of: entry) }
    // From the end to the start, so that what comes before keeps its place.
    if let stack = contents.stack {
      if dropsStacks {
        result.replaceSubrange(stack, with: [UInt8](repeating: 0, count: 8))
      } else if stack.count > 16 {
        let words = stack.lowerBound + 8..<stack.upperBound - 8
        blankText(in: &result, words, from: 1)
      }
    }
    if let raw = contents.raw, !raw.isEmpty, file.tracepoint(of: entry) == nil {
      unknown[Unread("sample", "of \(attribute.name), whose layout is not told"), default: 0] += 1
      return Self.blank(record)
    }
    if let raw = contents.raw, let format = file.tracepoint(of: entry) {
      guard EventDispatch.isUnderstood(format) else {
        let unread = Unread("sample", "of \(attribute.name), whose text or bytes may be anybody's")
        unknown[unread, default: 0] += 1
        return Self.blank(record)
      }
      let old = Array(record[raw])
      let payload = tracepoint(old, format)
      noteJob(of: entry, format, RawPayload(bytes: old), RawPayload(bytes: payload))
      if payload != old {
        result = Self.replacing(raw, of: result, with: payload, filler: 0)
      }
    }
    return result.count <= 65_528 ? Self.withSize(result) : Self.blank(record)
  }

  /// A sample with another raw payload, and bytes behind that where its alignment asks for them.
  private static func replacing(
    _ raw: Range<Int>, of record: [UInt8], with payload: [UInt8], filler: UInt8
  ) -> [UInt8] {
    var payload = payload
    while !(payload.count + 4).isMultiple(of: 8) { payload.append(filler) }
    var result = record
    result.replaceSubrange(raw, with: payload)
    Bytes.put(UInt32(payload.count), in: &result, at: raw.lowerBound - 4)
    return withSize(result)
  }

  /// The record's place and time, without its contents.
  private static func blank(_ record: [UInt8]) -> [UInt8] {
    let head = min(record.count, 40)
    return Array(record.prefix(head)) + [UInt8](repeating: 0, count: record.count - head)
  }

  /// Of a program: 47 bits on x86-64, 48 on arm64.
  private static let lastAddress: UInt64 = 1 << 48 - 1
  /// Words below are numbers, such as a call's descriptor and the bytes that it was to write.
  private static let number: UInt64 = 1 << 32

  /// Keeps words that can be addresses of code or of the stack, what is below a limit, and numbers below zero; blanks
  /// the rest, which may be text.
  private func blankText(in record: inout [UInt8], _ words: Range<Int>, from least: UInt64) {
    var at = words.lowerBound
    while at + 8 <= words.upperBound {
      let word = Bytes.u64(record, at) ?? 0
      let kept = withoutText(word, from: least)
      if kept != word { Bytes.put(kept, in: &record, at: at) }
      at += 8
    }
  }

  private func withoutText(_ word: UInt64, from least: UInt64) -> UInt64 {
    let isAddress =
      word >= 0x1000 && word <= Self.lastAddress && (!Self.isText(word) || isCode(word))
    let isNumber = word < least || word >= 0xffff_8000_0000_0000 && least != 1
    return isAddress || isNumber ? word : 0
  }

  /// A stack is told by the callchains of the samples that have it, which are others in the copy.
  private mutating func noteKey(of entry: RecordEntry) {
    guard let sample = try? file.sample(entry),
      let old = StackKey.of(pid: sample.pid, callchain: sample.callchain),
      let new = StackKey.of(
        pid: sample.pid,
        callchain: sample.callchain.map { withoutText($0, from: Self.number) })
    else { return }
    keys[old] = new
  }

  /// What a job is called is told by the words of where it goes on, which are others in the copy.
  private mutating func noteJob(
    of entry: RecordEntry, _ format: TracepointFormat, _ old: RawPayload, _ new: RawPayload
  ) {
    guard JobPlace.isTold(by: format), let pid = (try? file.sample(entry))?.pid else { return }
    func key(_ raw: RawPayload) -> Int? {
      JobPlace { format.field("\($0)")?.integer(in: raw) }?.key(pid: pid)
    }
    if let old = key(old), let new = key(new), old != new { keys[old] = new }
  }

  /// Whether a word's bytes are four letters or more, and nothing behind them.
  private static func isText(_ word: UInt64) -> Bool {
    var rest = word
    var letters = 0
    while rest & 0xFF >= 0x20, rest & 0xFF < 0x7F {
      letters += 1
      rest >>= 8
    }
    return rest == 0 && letters >= 4
  }

  /// Whether some process had a file mapped there.
  private func isCode(_ address: UInt64) -> Bool { mappings.contains(address) }

  private mutating func synthetic(_ payload: [UInt8], _ event: SyntheticEvent) -> [UInt8] {
    do {
      let raw = RawPayload(bytes: payload)
      switch event {
      // Of a trigger the words are those that its option knows.
      case .footprint, .kernelSymbol, .counter, .threadIDs, .trigger, .wait, .site: return payload
      case .stack:
        guard !keys.isEmpty else { return payload }
        var value = try StackEvent(decoding: raw)
        value.keys = value.keys?.map { keys[$0] ?? $0 }
        return try value.encoded()
      case .part:
        // Records become longer or shorter: what stood can no longer be told from the rest, and is kept.
        return try PartEvent(number: 0, standingRecords: 0).encoded()
      case .process:
        var value = try ProcessEvent(decoding: raw)
        value.executable = names.file(value.executable)
        value.workingFolder = value.workingFolder.map { names.file($0) }
        value.commandLine = names.arguments(value.commandLine)
        for index in value.threads?.indices ?? 0..<0 {
          guard let name = value.threads?[index].name else { continue }
          value.threads?[index].name = short(name)
        }
        return try value.encoded()
      case .descriptor:
        var value = try DescriptorEvent(decoding: raw)
        value.path = names.opened(value.path)
        return try value.encoded()
      case .capture:
        var value = try CaptureEvent(decoding: raw)
        value.commandLine = names.arguments(value.commandLine)
        value.privilege = names.text(value.privilege)
        value.subjectHint = value.subjectHint.map { names.text($0) }
        for index in value.unavailable.indices {
          value.unavailable[index].reason = names.text(value.unavailable[index].reason)
        }
        return try value.encoded()
      case .symbol:
        var value = try SymbolEvent(decoding: raw)
        value.file = value.file.map { names.file($0) }
        value.module = names.file(value.module)
        return try value.encoded()
      case .content:
        var value = try ContentEvent(decoding: raw)
        value.path = names.opened(value.path)
        return try value.encoded()
      case .held:
        var value = try HeldEvent(decoding: raw)
        value.name = names.text(value.name)
        return try value.encoded()
      case .queue:
        var value = try QueueEvent(decoding: raw)
        value.label = names.text(value.label)
        return try value.encoded()
      case .mark:
        var value = try MarkEvent(decoding: raw)
        value.name = names.text(value.name)
        return try value.encoded()
      case .source:
        return Array(names.text(String(decoding: payload, as: UTF8.self)).utf8)
      }
    } catch {
      // Not ours to read, so nothing of it is passed on.
      unknown[Unread("\(event.rawValue) event", "that cannot be read"), default: 0] += 1
      return [UInt8](repeating: 0x20, count: payload.count)
    }
  }

  private mutating func tracepoint(_ payload: [UInt8], _ format: TracepointFormat) -> [UInt8] {
    var result = payload
    let raw = RawPayload(bytes: payload)
    for field in format.fields {
      let isText = field.typeName.contains("char")
      if field.isDynamic, isText {
        redactString(field, raw, in: &result)
      } else if field.isArray, field.name.contains("addr"), field.size == 4 || field.size == 16 {
        guard let old = field.bytes(in: raw) else { continue }
        let changed = names.redactedAddress(old)
        result.replaceSubrange(field.offset..<field.offset + field.size, with: changed)
      } else if field.isArray, isText, field.size > 1, let old = field.string(in: raw) {
        let changed = names.text(old)
        guard changed != old else { continue }
        let text = Array(changed.utf8.prefix(field.size - 1))
        result.replaceSubrange(
          field.offset..<field.offset + field.size,
          with: text + [UInt8](repeating: 0, count: field.size - text.count))
      } else if field.isArray, field.size.isMultiple(of: 8), !isText {
        // A call's registers, of which it takes some.
        let words = field.offset..<min(field.offset + field.size, result.count)
        blankText(in: &result, words, from: Self.number)
      } else if field.size == 8, JobPlace.isTold(by: format), JobPlace.words.contains(field.name) {
        // Read from memory, as the words of a callchain are.
        let word = field.offset..<min(field.offset + field.size, result.count)
        blankText(in: &result, word, from: Self.number)
      }
    }
    return result
  }

  /// What fields are called that hold a path.
  private static let paths: Set<String> = ["path", "old", "new", "filename"]

  /// Changes a string elsewhere in the payload, at its end where it has grown.
  private mutating func redactString(
    _ field: TracepointField, _ raw: RawPayload, in result: inout [UInt8]
  ) {
    guard let old = field.string(in: raw), let location = Bytes.u32(result, field.offset) else {
      return
    }
    let changed = Self.paths.contains(field.name) ? names.opened(old) : names.file(old)
    guard changed != old else { return }
    let base = field.typeName.hasPrefix("__rel_loc") ? field.offset + 4 : 0
    let start = Int(location & 0xffff) + base
    let length = Int(location >> 16)
    let text = Array(changed.utf8.prefix(4095)) + [0]
    for index in start..<start + length { result[index] = 0 }
    if text.count <= length {
      result.replaceSubrange(start..<start + text.count, with: text)
      Bytes.put(
        UInt32(text.count) << 16 | UInt32(start - base), in: &result, at: field.offset)
    } else if result.count - base <= 0xffff {
      Bytes.put(
        UInt32(text.count) << 16 | UInt32(result.count - base), in: &result, at: field.offset)
      result += text
    }
  }
}

extension NameRedactor {
  /// The replacement of an address as a tracepoint holds it.
  mutating func redactedAddress(_ bytes: [UInt8]) -> [UInt8] { addresses.bytes(bytes) }
}
