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

  private struct Entry {
    let range: Range<Int>
    let time: UInt64
    var group: Group
    /// The time of the first record of its group.
    var first: UInt64 = 0
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

  /// The records of whole rounds in the order in which they are packed, without the rounds' ends; nil where one has no
  /// time, and so a place only behind the one before it.
  func records(in rounds: Range<Int>) -> [Range<Int>]? {
    var entries: [Entry] = []
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    var at = rounds.lowerBound
    while at < rounds.upperBound {
      decoder.decode(&record, at: at)
      let range = at..<at + Int(record.size)
      at = range.upperBound
      if record.type == RecordType.finishedRound { continue }
      guard record.time > 0 else { return nil }
      entries.append(Entry(range: range, time: record.time, group: group(of: record)))
    }
    entries.sort { Self.isEarlier($0, $1) }
    keepSimultaneous(&entries)
    var firsts: [Group: UInt64] = [:]
    for index in entries.indices {
      let entry = entries[index]
      let first = firsts[entry.group] ?? entry.time
      firsts[entry.group] = first
      entries[index].first = first
    }
    entries.sort { one, other in
      if one.group.source != other.group.source { return one.group.source < other.group.source }
      if one.group == .kept { return one.range.lowerBound < other.range.lowerBound }
      return one.first != other.first ? one.first < other.first : Self.isEarlier(one, other)
    }
    return entries.map(\.range)
  }

  private static func isEarlier(_ first: Entry, _ second: Entry) -> Bool {
    first.time != second.time
      ? first.time < second.time : first.range.lowerBound < second.range.lowerBound
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
  private func keepSimultaneous(_ entries: inout [Entry]) {
    var first = 0
    while first < entries.count {
      var end = first + 1
      while end < entries.count, entries[end].time == entries[first].time { end += 1 }
      if entries[first..<end].contains(where: { $0.group != entries[first].group }) {
        for index in first..<end { entries[index].group = .kept }
      }
      first = end
    }
  }
}
