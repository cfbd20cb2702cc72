/// Finds the records of the data section and decodes what is common to all.
struct RecordScanner {
  /// Where the common fields are in the records of one attribute.
  private struct Layout {
    // Byte offsets from the body's start in samples, from the record's end in others; -1 is none.
    var tid = -1
    var time = -1
    var cpu = -1
    var trailerTid = -1
    var trailerTime = -1
    var trailerCPU = -1
    var trailerSize = 0

    init(_ attribute: EventAttribute) {
      let fields = attribute.sampleType
      var position = 0
      let order: [SampleFields] = [
        .identifier, .instructionPointer, .tid, .time, .address, .id, .streamID, .cpu,
      ]
      for field in order where fields.contains(field) {
        if field == .tid { tid = position }
        if field == .time { time = position }
        if field == .cpu { cpu = position }
        position += 8
      }
      guard attribute.sampleIDAll else { return }
      let trailer: [SampleFields] = [.identifier, .cpu, .streamID, .id, .time, .tid]
      for field in trailer where fields.contains(field) {
        trailerSize += 8
        if field == .tid { trailerTid = trailerSize }
        if field == .time { trailerTime = trailerSize }
        if field == .cpu { trailerCPU = trailerSize }
      }
    }
  }

  private enum IDPlace: Equatable {
    /// All records are of one attribute, or of attributes that cannot be told apart.
    case none
    /// Byte offset in a sample's body, and from the end in other records.
    case at(sample: Int, trailer: Int)
  }

  private let bytes: UnsafeRawBufferPointer
  private let layouts: [Layout]
  private let place: IDPlace
  private let attributeOfID: [UInt64: Int32]
  private let defaultAttribute: Int32
  private var lastID: UInt64 = 0
  private var lastAttribute: Int32 = -1

  private(set) var entries: [RecordEntry] = []
  private(set) var earlyMetadata: [Range<Int>] = []
  private(set) var unknownRecords = 0
  private(set) var counts: [UInt32: Int] = [:]
  /// Where the first byte is that belongs to no whole record.
  private(set) var end = 0

  init(_ bytes: UnsafeRawBufferPointer, attributes: [EventAttribute]) {
    self.bytes = bytes
    layouts = attributes.map { Layout($0) }
    var ids: [UInt64: Int32] = [:]
    for (index, attribute) in attributes.enumerated() {
      for id in attribute.ids { ids[id] = Int32(index) }
    }
    attributeOfID = ids
    place = Self.idPlace(attributes)
    let alike = Set(attributes.map(\.sampleType)).count == 1
    defaultAttribute = attributes.count == 1 || (place == .none && alike) ? 0 : -1
  }

  private static func idPlace(_ attributes: [EventAttribute]) -> IDPlace {
    guard attributes.count > 1 else { return .none }
    if attributes.allSatisfy({ $0.sampleType.contains(.identifier) }) {
      return .at(sample: 0, trailer: 8)
    }
    let places = attributes.map { attribute -> IDPlace in
      let fields = attribute.sampleType
      guard fields.contains(.id) else { return .none }
      let before: [SampleFields] = [.identifier, .instructionPointer, .tid, .time, .address]
      let after: [SampleFields] = [.identifier, .cpu, .streamID]
      return .at(
        sample: before.count(where: fields.contains) * 8,
        trailer: (after.count(where: fields.contains) + 1) * 8)
    }
    guard let first = places.first, places.allSatisfy({ $0 == first }) else { return .none }
    return first
  }

  /// Scans `range`, and stops at the first thing that is no whole record.
  mutating func scan(_ range: Range<Int>) throws(PerfDataError) {
    var offset = range.lowerBound
    var typeCounts = [Int](repeating: 0, count: 128)
    while range.upperBound - offset >= 8 {
      let type = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let misc = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)
      let size = Int(bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt16.self))
      guard size >= 8, size <= range.upperBound - offset else { break }
      if type == RecordType.compressed || type == RecordType.compressed2 {
        throw PerfDataError(
          .unsupported("compressed traces are not read yet: record without -z"), offset: offset)
      }
      if type < 128 { typeCounts[Int(type)] += 1 } else { counts[type, default: 0] += 1 }
      append(type: type, misc: misc, size: size, offset: offset)
      var step = size
      if type == RecordType.auxtrace, size >= 16 {
        // The hardware's data follow their record.
        let extra = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        guard extra <= UInt64(range.upperBound - offset - size) else { break }
        step += Int(extra)
      }
      offset += step
    }
    end = offset
    for (type, count) in typeCounts.enumerated() where count > 0 { counts[UInt32(type)] = count }
  }

  private mutating func append(type: UInt32, misc: UInt16, size: Int, offset: Int) {
    var entry = RecordEntry(
      type: type, misc: misc, size: UInt32(size), offset: offset, time: 0, pid: -1, tid: -1,
      cpu: -1, attribute: -1)
    if type == RecordType.sample {
      decodeSample(&entry, size)
    } else if type >= RecordType.firstUser {
      if type > RecordType.lastUser { unknownRecords += 1 }
      if EarlyMetadata.isPart(bytes, type: type, offset: offset, size: size) {
        earlyMetadata.append(offset..<offset + size)
      }
    } else {
      if type == 0 || type > RecordType.lastKernel { unknownRecords += 1 }
      decodeTrailer(&entry, size)
      decodeBody(&entry, size)
    }
    entries.append(entry)
  }

  private mutating func decodeSample(_ entry: inout RecordEntry, _ size: Int) {
    let body = entry.offset + 8
    var attribute = defaultAttribute
    if case .at(let position, _) = place, position + 16 <= size {
      attribute = lookUp(word(body + position))
    }
    entry.attribute = attribute
    guard attribute >= 0 else {
      unknownRecords += 1
      return
    }
    let layout = layouts[Int(attribute)]
    if layout.time >= 0, layout.time + 16 <= size { entry.time = word(body + layout.time) }
    if layout.tid >= 0, layout.tid + 16 <= size {
      entry.pid = int(body + layout.tid)
      entry.tid = int(body + layout.tid + 4)
    }
    if layout.cpu >= 0, layout.cpu + 16 <= size { entry.cpu = int(body + layout.cpu) }
  }

  private mutating func decodeTrailer(_ entry: inout RecordEntry, _ size: Int) {
    let end = entry.offset + size
    var attribute = defaultAttribute
    if case .at(_, let position) = place, position + 8 <= size {
      attribute = lookUp(word(end - position))
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

  private mutating func lookUp(_ id: UInt64) -> Int32 {
    if id == lastID, lastAttribute >= 0 { return lastAttribute }
    guard let found = attributeOfID[id] else { return -1 }
    lastID = id
    lastAttribute = found
    return found
  }

  /// Bytes of the sample id at the end of a record that is no sample.
  static func trailerSize(_ attribute: EventAttribute) -> Int { Layout(attribute).trailerSize }

  private func word(_ offset: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  private func int(_ offset: Int) -> Int32 {
    bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
  }
}
