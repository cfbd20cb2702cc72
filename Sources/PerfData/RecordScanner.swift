import CPrefetch

/// Finds the records of the data section, one after another, and decodes what is common to all.
///
/// What is no record (zeros of a full disk or a crashed machine amid the data) is passed over up to the next place where records
/// follow each other again.
struct RecordScanner {
  let bytes: UnsafeRawBufferPointer
  private let layouts: ContiguousArray<RecordLayout>
  private let lookup: AttributeLookup
  private let upperBound: Int
  private var offset: Int
  private var typeCounts = ContiguousArray<Int>(repeating: 0, count: 256)
  private var samples = 0

  /// Records of types that this version does not know, and samples of unknown events.
  private(set) var unknownRecords = 0
  private(set) var earlyMetadata: [Range<Int>] = []
  /// Ranges amid the data that hold no records.
  private(set) var holes: [Range<Int>] = []

  /// How many records must follow each other for a place after a hole to be believed.
  private static let convincingRow = 3

  /// The processor's own fetching ends at each page; so many bytes ahead hide what memory takes to answer.
  private static let lookahead = 1024

  init(
    _ bytes: UnsafeRawBufferPointer, in range: Range<Int>, layouts: ContiguousArray<RecordLayout>,
    lookup: AttributeLookup
  ) {
    self.bytes = bytes
    self.layouts = layouts
    self.lookup = lookup
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
  @inline(__always)
  mutating func next(_ entry: UnsafeMutablePointer<RecordEntry>) -> Bool {
    while upperBound - offset >= 8 {
      lull_prefetch(bytes.baseAddress.map { $0 + (offset &+ Self.lookahead) })
      let header = word(offset)
      let type = UInt32(truncatingIfNeeded: header)
      let size = Int(header >> 48)
      guard size >= 8, size <= upperBound - offset, type < 256 else {
        guard resynchronise(type: type, size: size) else { return false }
        continue
      }
      if type == RecordType.sample {
        let attribute = attribute(ofSampleAt: offset, size)
        decodeSample(entry, header, offset, size, attribute)
        offset += size
        samples &+= 1
        if attribute < 0 { unknownRecords += 1 }
        return true
      }
      entry.pointee = RecordEntry(
        offset: offset, type: type, size: UInt32(truncatingIfNeeded: size),
        misc: UInt16(truncatingIfNeeded: header >> 32))
      guard let step = step(type: type, size: size) else { return false }
      typeCounts[Int(type)] &+= 1
      offset += step
      other(&entry.pointee, size)
      return true
    }
    return false
  }

  /// Whether a sample stands next.
  var isAtSample: Bool {
    upperBound - offset >= 8 && UInt32(truncatingIfNeeded: word(offset)) == RecordType.sample
  }

  /// Decodes the samples that come next for as long as they are whole and of known events; `visit` gets each and where to write
  /// the one after it, and ends this by giving none.
  ///
  /// What changes with each sample stays in registers, which is half of the time that `next` takes.
  @inline(__always)
  mutating func nextSamples(
    _ first: UnsafeMutablePointer<RecordEntry>,
    _ visit: (UnsafeMutablePointer<RecordEntry>) -> UnsafeMutablePointer<RecordEntry>?
  ) {
    guard let base = bytes.baseAddress else { return }
    var entry = first
    var offset = offset
    var count = 0
    while upperBound - offset >= 8 {
      lull_prefetch(base + (offset &+ Self.lookahead))
      let header = word(offset)
      let size = Int(header >> 48)
      guard UInt32(truncatingIfNeeded: header) == RecordType.sample, size >= 8,
        size <= upperBound - offset
      else { break }
      let attribute = attribute(ofSampleAt: offset, size)
      guard attribute >= 0 else { break }
      decodeSample(entry, header, offset, size, attribute)
      offset += size
      count += 1
      guard let next = visit(entry) else { break }
      entry = next
    }
    self.offset = offset
    samples &+= count
  }

  /// Bytes to the next record; nil where they are not all there.
  private func step(type: UInt32, size: Int) -> Int? {
    if type == RecordType.auxtrace, size >= 16 {
      // The hardware's data follow their record.
      let extra = word(offset + 8)
      return extra <= UInt64(upperBound - offset - size) ? size + Int(extra) : nil
    }
    if type == RecordType.tracingData, size >= 12 {
      let extra =
        (Int(bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)) + 7) / 8 * 8
      return extra <= upperBound - offset - size ? size + extra : nil
    }
    return size
  }

  @inline(never)
  private mutating func other(_ entry: inout RecordEntry, _ size: Int) {
    if entry.type >= RecordType.firstUser {
      if entry.type > RecordType.lastUser { unknownRecords += 1 }
      if EarlyMetadata.isPart(bytes, type: entry.type, offset: entry.offset, size: size) {
        earlyMetadata.append(entry.offset..<entry.offset + size)
      }
    } else {
      if entry.type == 0 || entry.type > RecordType.lastKernel { unknownRecords += 1 }
      decodeTrailer(&entry, size)
      decodeBody(&entry, size)
    }
  }

  /// Decodes a record that was found before.
  func entry(at offset: Int) -> RecordEntry {
    var again = self
    again.offset = offset
    var entry = RecordEntry(offset: offset, type: 0, size: 8, misc: 0)
    _ = again.next(&entry)
    return entry
  }

  @inline(__always)
  private func attribute(ofSampleAt offset: Int, _ size: Int) -> Int32 {
    guard lookup.samplePlace >= 0, lookup.samplePlace + 16 <= size else {
      return lookup.defaultAttribute
    }
    return lookup.attribute(of: word(offset + 8 + lookup.samplePlace))
  }

  @inline(__always)
  private func decodeSample(
    _ entry: UnsafeMutablePointer<RecordEntry>, _ header: UInt64, _ offset: Int, _ size: Int,
    _ attribute: Int32
  ) {
    var time: UInt64 = 0
    var pid: Int32 = -1
    var tid: Int32 = -1
    var cpu: Int32 = -1
    if attribute >= 0 {
      let body = offset + 8
      layouts.withUnsafeBufferPointer { layouts in
        let layout = layouts.baseAddress.unsafelyUnwrapped + Int(attribute)
        let last = size - 16
        if layout.pointee.time >= 0, layout.pointee.time <= last {
          time = word(body + layout.pointee.time)
        }
        if layout.pointee.tid >= 0, layout.pointee.tid <= last {
          pid = int(body + layout.pointee.tid)
          tid = int(body + layout.pointee.tid + 4)
        }
        if layout.pointee.cpu >= 0, layout.pointee.cpu <= last {
          cpu = int(body + layout.pointee.cpu)
        }
      }
    }
    entry.pointee = RecordEntry(
      offset: offset, time: time, type: RecordType.sample, size: UInt32(truncatingIfNeeded: size),
      pid: pid, tid: tid, cpu: cpu, attribute: attribute,
      misc: UInt16(truncatingIfNeeded: header >> 32))
  }

  private func decodeTrailer(_ entry: inout RecordEntry, _ size: Int) {
    let end = entry.offset + size
    var attribute = lookup.defaultAttribute
    if lookup.trailerPlace >= 0, lookup.trailerPlace + 8 <= size {
      attribute = lookup.attribute(of: word(end - lookup.trailerPlace))
    }
    entry.attribute = attribute
    // Records that perf makes itself carry id 0; their layout is that of the first attribute.
    let index = attribute >= 0 ? Int(attribute) : 0
    guard index < layouts.count else { return }
    let layout = layouts[index]
    guard layout.trailerSize + 8 <= size else { return }
    if layout.trailerTime > 0 { entry.time = word(end - layout.trailerTime) }
    if layout.trailerTid > 0 {
      entry.pid = int(end - layout.trailerTid)
      entry.tid = int(end - layout.trailerTid + 4)
    }
    if layout.trailerCPU > 0 { entry.cpu = int(end - layout.trailerCPU) }
    if entry.time == .max { entry.time = 0 }
  }

  /// The task that the record is about goes before the task in which it was made.
  private func decodeBody(_ entry: inout RecordEntry, _ size: Int) {
    let body = entry.offset + 8
    switch entry.type {
    case RecordType.mmap, RecordType.mmap2, RecordType.comm:
      guard size >= 16 else { return }
      entry.pid = int(body)
      entry.tid = int(body + 4)
    case RecordType.fork, RecordType.exit:
      guard size >= 32 else { return }
      entry.pid = int(body)
      entry.tid = int(body + 8)
      if entry.time == 0 { entry.time = word(body + 16) }
    default: return
    }
  }

  /// Moves to the next place where records follow each other; false when the data are over.
  private mutating func resynchronise(type: UInt32, size: Int) -> Bool {
    // A record of a known kind that reaches beyond the end was cut, and nothing follows it.
    if size > upperBound - offset, RecordType.isKnown(type) { return false }
    let start = offset
    var place = start + 8
    while upperBound - place >= 8 {
      if word(place) != 0, isConvincing(place) {
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
      let header = word(place)
      let size = Int(header >> 48)
      guard RecordType.isKnown(UInt32(truncatingIfNeeded: header)), size >= 8, size % 8 == 0,
        size <= upperBound - place
      else { return false }
      if UInt32(truncatingIfNeeded: header) == RecordType.sample {
        guard size >= 16 else { return false }
        if lookup.samplePlace >= 0 {
          guard lookup.samplePlace + 16 <= size,
            lookup.attribute(of: word(place + 8 + lookup.samplePlace)) >= 0
          else { return false }
        }
      }
      place += size
    }
    return true
  }

  @inline(__always)
  private func word(_ offset: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  @inline(__always)
  private func int(_ offset: Int) -> Int32 {
    bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
  }
}
