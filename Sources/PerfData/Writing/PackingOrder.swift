/// The order in which records are packed: those of one event and thread that differ in their times alone stand
/// together, which zstd tells in three quarters of the bytes.
///
/// A reader that puts records in order of time finds the same order as before: records of one moment stay as they were.
struct PackingOrder {
  /// What records have in common that stand together.
  private struct Group: Hashable {
    /// The event and the thread.
    var source: UInt64
    /// All that they hold but their times, as a hash.
    var contents: UInt64

    /// Of what keeps its place among its like.
    static let kept = Group(source: 0, contents: 0)
  }

  /// Of 16 bytes, since there are tens of thousands.
  private struct Entry {
    let time: UInt64
    /// From where the rounds begin.
    let offset: UInt32
    /// The number of its group.
    var group: Int32
  }

  /// The groups of some rounds by their numbers, of which 0 is `Group.kept`.
  private struct Groups {
    private var numbers: [Group: Int32] = [.kept: 0]
    private(set) var sources: [UInt64] = [0]
    /// The time of the first record of each; 0 until it is known.
    var firsts: [UInt64] = [0]

    mutating func number(of group: Group) -> Int32 {
      if let known = numbers[group] { return known }
      let number = Int32(sources.count)
      numbers[group] = number
      sources.append(group.source)
      firsts.append(0)
      return number
    }
  }

  private let decoder: EntryDecoder
  /// Of each attribute whether it is of the recorder's own events, which tell of others and are few.
  private let isOwn: [Bool]
  /// More bytes of whole rounds are not put in order at once.
  private static let most = 4 << 20

  init(_ bytes: ByteView, _ attributes: [EventAttribute]) {
    decoder = EntryDecoder(bytes, attributes)
    isOwn = attributes.map {
      $0.type == SyntheticEvent.attributeType && $0.config == SyntheticEvent.attributeConfig
    }
  }

  /// Where so many whole rounds end as are put in order at once; nil where the first is larger, or has no end.
  func roundsEnd(from start: Int, until end: Int) -> Int? {
    var at = start
    var found: Int?
    while end - at >= 8, at - start < Self.most {
      let header = RecordHeader(decoder.bytes, at: at, isBigEndian: false)
      guard header.size >= 8, header.size <= end - at else { break }
      at += header.size
      if header.type == RecordType.finishedRound { found = at }
    }
    return found
  }

  /// Hands out the records of whole rounds in the order in which they are packed, without the rounds' ends; none, and
  /// false, where one has no time, and so a place only behind the one before it.
  func forEachRecord(
    in rounds: Range<Int>, _ body: (Range<Int>) throws(PerfDataError) -> Void
  ) throws(PerfDataError) -> Bool {
    var entries: [Entry] = []
    var groups = Groups()
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    var at = rounds.lowerBound
    while at < rounds.upperBound {
      decoder.decode(&record, at: at)
      let offset = UInt32(at - rounds.lowerBound)
      at += Int(record.size)
      if record.type == RecordType.finishedRound { continue }
      guard record.time > 0 else { return false }
      entries.append(
        Entry(time: record.time, offset: offset, group: groups.number(of: group(of: record))))
    }
    entries.sort { Self.isEarlier($0, $1) }
    Self.keepSimultaneous(&entries)
    for entry in entries where groups.firsts[Int(entry.group)] == 0 {
      groups.firsts[Int(entry.group)] = entry.time
    }
    entries.sort { one, other in
      let (group, otherGroup) = (Int(one.group), Int(other.group))
      let (source, otherSource) = (groups.sources[group], groups.sources[otherGroup])
      if source != otherSource { return source < otherSource }
      if group == 0 { return one.offset < other.offset }
      let (first, otherFirst) = (groups.firsts[group], groups.firsts[otherGroup])
      return first != otherFirst ? first < otherFirst : Self.isEarlier(one, other)
    }
    for entry in entries {
      let start = rounds.lowerBound + Int(entry.offset)
      let size = RecordHeader(decoder.bytes, at: start, isBigEndian: false).size
      try body(start..<start + size)
    }
    return true
  }

  private static func isEarlier(_ first: Entry, _ second: Entry) -> Bool {
    first.time != second.time ? first.time < second.time : first.offset < second.offset
  }

  private func group(of record: RecordEntry) -> Group {
    let kind: Int
    switch record.type {
    case RecordType.sample where record.attribute >= 0 && !isOwn[Int(record.attribute)]:
      kind = Int(record.attribute) + 2
    case RecordType.contextSwitch: kind = 1
    default: return .kept
    }
    return Group(
      source: UInt64(kind) << 32 | UInt64(UInt32(bitPattern: record.tid)),
      contents: contents(of: record))
  }

  private func contents(of record: RecordEntry) -> UInt64 {
    var sum: UInt64 = 0
    var isTimePassed = false
    for offset in stride(from: record.offset, to: record.offset + Int(record.size) - 7, by: 8) {
      let word = decoder.word(offset)
      if !isTimePassed, word == record.time {
        isTimePassed = true
      } else {
        sum = (sum ^ word) &* 0x9E37_79B1_85EB_CA87
        sum ^= sum >> 29
      }
    }
    return sum
  }

  /// Of one moment the order in the file is the order in which things are told: what is in several groups is kept.
  private static func keepSimultaneous(_ entries: inout [Entry]) {
    var first = 0
    while first < entries.count {
      var end = first + 1
      while end < entries.count, entries[end].time == entries[first].time { end += 1 }
      if entries[first..<end].contains(where: { $0.group != entries[first].group }) {
        for index in first..<end { entries[index].group = 0 }
      }
      first = end
    }
  }
}
