/// Decodes what is common to all records, of which a whole one must stand where it is told to.
struct EntryDecoder: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: nothing writes to the file.
  let bytes: ByteView
  let lookup: AttributeLookup
  let layouts: ContiguousArray<RecordLayout>

  init(_ bytes: ByteView, _ attributes: [EventAttribute]) {
    self.bytes = bytes
    layouts = ContiguousArray(attributes.map { RecordLayout(SampleLayout($0)) })
    lookup = AttributeLookup(attributes)
  }

  /// Decodes the record at an offset to its place.
  @inline(__always)
  func decode(_ entry: inout RecordEntry, at offset: Int) {
    let header = word(offset)
    guard UInt32(truncatingIfNeeded: header) == RecordType.sample else {
      other(&entry, at: offset, header)
      return
    }
    let attribute = attribute(ofSampleAt: offset, Int(header >> 48))
    decodeSample(&entry, at: offset, header, attribute)
  }

  @inline(__always)
  private func decodeSample(
    _ entry: inout RecordEntry, at offset: Int, _ header: UInt64,
    _ attribute: Int32
  ) {
    let size = Int(header >> 48)
    entry = RecordEntry(
      offset: offset, type: RecordType.sample, size: UInt32(truncatingIfNeeded: size),
      attribute: attribute, misc: UInt16(truncatingIfNeeded: header >> 32))
    guard attribute >= 0 else { return }
    let body = offset &+ 8
    layouts.withUnsafeBufferPointer { layouts in
      let layout = layouts.baseAddress.unsafelyUnwrapped + Int(attribute)
      // A shorter one has what there is of it.
      let last = size >= layout.pointee.least ? Int.max : size &- 16
      if layout.pointee.time >= 0, layout.pointee.time <= last {
        entry.time = word(body &+ layout.pointee.time)
      }
      if layout.pointee.tid >= 0, layout.pointee.tid <= last {
        let both = word(body &+ layout.pointee.tid)
        entry.pid = Int32(truncatingIfNeeded: both)
        entry.tid = Int32(truncatingIfNeeded: both >> 32)
      }
      if layout.pointee.cpu >= 0, layout.pointee.cpu <= last {
        entry.cpu = int(body &+ layout.pointee.cpu)
      }
    }
  }

  /// The event of a sample; -1 for an unknown one.
  @inline(__always)
  func attribute(ofSampleAt offset: Int, _ size: Int) -> Int32 {
    guard lookup.samplePlace >= 0, lookup.samplePlace &+ 16 <= size else {
      return lookup.defaultAttribute
    }
    return lookup.attribute(of: word(offset &+ 8 &+ lookup.samplePlace))
  }

  @inline(never)
  private func other(
    _ entry: inout RecordEntry, at offset: Int, _ header: UInt64
  ) {
    let size = Int(header >> 48)
    entry = RecordEntry(
      offset: offset, type: UInt32(truncatingIfNeeded: header),
      size: UInt32(truncatingIfNeeded: size), misc: UInt16(truncatingIfNeeded: header >> 32))
    if entry.type < RecordType.firstUser {
      decodeTrailer(&entry, offset, size)
      decodeBody(&entry, size)
    }
  }

  @inline(__always)
  private func decodeTrailer(
    _ entry: inout RecordEntry, _ offset: Int, _ size: Int
  ) {
    let end = offset &+ size
    var attribute = lookup.defaultAttribute
    if lookup.trailerPlace >= 0, lookup.trailerPlace &+ 8 <= size {
      attribute = lookup.attribute(of: word(end &- lookup.trailerPlace))
    }
    entry.attribute = attribute
    // Records that perf makes itself carry id 0; their layout is that of the first attribute.
    let index = attribute >= 0 ? Int(attribute) : 0
    layouts.withUnsafeBufferPointer { layouts in
      guard index < layouts.count else { return }
      let layout = layouts.baseAddress.unsafelyUnwrapped + index
      guard layout.pointee.trailerSize &+ 8 <= size else { return }
      if layout.pointee.trailerTime > 0 {
        let time = word(end &- layout.pointee.trailerTime)
        entry.time = time == .max ? 0 : time
      }
      if layout.pointee.trailerTid > 0 {
        let both = word(end &- layout.pointee.trailerTid)
        entry.pid = Int32(truncatingIfNeeded: both)
        entry.tid = Int32(truncatingIfNeeded: both >> 32)
      }
      if layout.pointee.trailerCPU > 0 {
        entry.cpu = int(end &- layout.pointee.trailerCPU)
      }
    }
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

  @inline(__always)
  func word(_ offset: Int) -> UInt64 {
    bytes.load(UInt64.self, at: offset)
  }

  @inline(__always)
  private func int(_ offset: Int) -> Int32 {
    bytes.load(Int32.self, at: offset)
  }
}
