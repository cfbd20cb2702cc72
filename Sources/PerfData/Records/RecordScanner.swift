import CProcessor

/// Finds the records of the data section, one after another.
///
/// What is no record (zeros of a full disk or a crashed machine amid the data) is passed over up to the next place
/// where records follow each other again.
struct RecordScanner {
  let decoder: EntryDecoder
  private let bytes: ByteView
  private let upperBound: Int
  private var offset: Int
  private var typeCounts = ContiguousArray<Int>(repeating: 0, count: 256)
  private var samples = 0

  /// Records of types that this version does not know, and samples of unknown events.
  private(set) var unknownRecords = 0
  private(set) var earlyMetadata: [Range<Int>] = []
  /// Ranges amid the data that hold no records.
  private(set) var holes: [Range<Int>] = []

  /// No record of these kinds is longer. The kernel's have a header, at most 24 bytes and a trailer of six words; other
  /// writers give threads longer names.
  private static let longestShort = 1024
  private static let short: Set<UInt32> = [
    RecordType.lost, RecordType.comm, RecordType.exit, RecordType.throttle, RecordType.unthrottle,
    RecordType.fork, RecordType.lostSamples, RecordType.contextSwitch,
    RecordType.contextSwitchCPUWide,
  ]

  /// How many records must follow each other for a place after a hole to be believed.
  private static let convincingRow = 3

  init(_ decoder: EntryDecoder, in range: Range<Int>) {
    self.decoder = decoder
    bytes = decoder.bytes
    offset = range.lowerBound
    upperBound = range.upperBound
  }

  /// Where the next record is to begin; after the last one, the end of what was whole.
  var position: Int { offset }

  var counts: [UInt32: Int] {
    var result: [UInt32: Int] = [:]
    for (type, count) in typeCounts.enumerated() where count > 0 { result[UInt32(type)] = count }
    if samples > 0 { result[RecordType.sample] = samples }
    return result
  }

  /// Decodes the next whole record to its place; false when there is none.
  mutating func next(_ entry: inout RecordEntry) -> Bool {
    guard let found = nextWhole() else { return false }
    decoder.decode(&entry, at: found.offset)
    if found.type == RecordType.sample {
      samples &+= 1
      if entry.attribute < 0 { unknownRecords += 1 }
    } else {
      typeCounts[Int(found.type)] &+= 1
      note(entry, found.size)
    }
    return true
  }

  /// Finds the next whole record and passes over it; nil when there is none.
  @inline(__always)
  mutating func nextWhole() -> (offset: Int, type: UInt32, size: Int)? {
    while upperBound - offset >= 8 {
      lull_prefetch(bytes.pointer.baseAddress.map { $0 + (offset &+ RecordData.lookahead) })
      let header = decoder.word(offset)
      let type = UInt32(truncatingIfNeeded: header)
      let size = Int(header >> 48)
      guard size >= 8, size <= upperBound - offset, type < 256, !Self.isTooLong(type, size) else {
        guard resynchronise(type: type, size: size) else { return nil }
        continue
      }
      guard let step = type == RecordType.sample ? size : step(type: type, size: size) else {
        return nil
      }
      let found = (offset: offset, type: type, size: size)
      offset += step
      return found
    }
    return nil
  }

  @inline(__always)
  private static func isTooLong(_ type: UInt32, _ size: Int) -> Bool {
    size > longestShort && type != RecordType.sample && short.contains(type)
  }

  /// The end of a round, which is a header alone, was read elsewhere.
  mutating func passRound() {
    typeCounts[Int(RecordType.finishedRound)] &+= 1
    offset += 8
  }

  /// So many samples were read elsewhere, up to that place.
  mutating func pass(samples count: Int, to place: Int) {
    samples &+= count
    offset = place
  }

  /// Bytes to the next record; nil where they are not all there.
  private func step(type: UInt32, size: Int) -> Int? {
    if type == RecordType.auxtrace, size >= 16 {
      // The hardware's data follow their record.
      let extra = decoder.word(offset + 8)
      return extra <= UInt64(upperBound - offset - size) ? size + Int(extra) : nil
    }
    if type == RecordType.tracingData, size >= 12 {
      let extra =
        (Int(bytes.load(UInt32.self, at: offset + 8)) + 7) / 8 * 8
      return extra <= upperBound - offset - size ? size + extra : nil
    }
    return size
  }

  private mutating func note(_ entry: RecordEntry, _ size: Int) {
    if entry.type >= RecordType.firstUser {
      if entry.type > RecordType.lastUser { unknownRecords += 1 }
      if EarlyMetadata.isPart(bytes, type: entry.type, offset: entry.offset, size: size) {
        earlyMetadata.append(entry.offset..<entry.offset + size)
      }
    } else if entry.type == 0 || entry.type > RecordType.lastKernel {
      unknownRecords += 1
    }
  }

  /// Moves to the next place where records follow each other; false when the data are over.
  private mutating func resynchronise(type: UInt32, size: Int) -> Bool {
    // A record of a known kind that reaches beyond the end was cut, and nothing follows it.
    if size > upperBound - offset, RecordType.isKnown(type) { return false }
    let start = offset
    var place = start + 8
    while upperBound - place >= 8 {
      if decoder.word(place) != 0, isConvincing(place) {
        holes.append(start..<place)
        offset = place
        return true
      }
      place += 8
    }
    return false
  }

  private func isConvincing(_ start: Int) -> Bool {
    var place = start
    for _ in 0..<Self.convincingRow {
      guard upperBound - place >= 8 else { return place == upperBound && place > start }
      let header = decoder.word(place)
      let size = Int(header >> 48)
      guard RecordType.isKnown(UInt32(truncatingIfNeeded: header)), size >= 8, size % 8 == 0,
        size <= upperBound - place
      else { return false }
      if UInt32(truncatingIfNeeded: header) == RecordType.sample {
        guard size >= 16 else { return false }
        if decoder.lookup.samplePlace >= 0 {
          guard decoder.lookup.samplePlace + 16 <= size,
            decoder.lookup.attribute(of: decoder.word(place + 8 + decoder.lookup.samplePlace)) >= 0
          else { return false }
        }
      }
      place += size
    }
    return true
  }
}
