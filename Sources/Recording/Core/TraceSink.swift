import Glibc
import PerfData

/// Gathers records and writes them in large pieces.
final class TraceSink {
  private var target: any RecordTarget
  private let buffer: UnsafeMutableRawBufferPointer
  private var used = 0
  private var lastFlush: UInt64 = 0
  private let synthetic: [SyntheticEvent: EventAttribute]
  /// What is told of a part of the recording as it ends is of that moment, however long it takes to tell it.
  var latest = UInt64.max
  /// Set once a write failed; nothing more is written then.
  private(set) var failure: PerfDataError?

  /// Bytes of what the target did, without what the recorder itself tells.
  private(set) var recordedBytes: UInt64 = 0
  /// Records of what the target did that come from no ring of perf's.
  private(set) var records = 0

  private static let capacity = 1 << 20
  /// A kill -9 loses at most what half a second brought.
  private static let flushNanoseconds: UInt64 = 400_000_000

  init(writer: any RecordTarget, synthetic: [EventAttribute]) {
    target = writer
    buffer = .allocate(byteCount: Self.capacity, alignment: 16)
    var byEvent: [SyntheticEvent: EventAttribute] = [:]
    for attribute in synthetic {
      if let event = SyntheticEvent(attribute: attribute) { byEvent[event] = attribute }
    }
    self.synthetic = byEvent
  }

  deinit { buffer.deallocate() }

  /// Writes elsewhere from here on; what was gathered must have been written.
  func redirect(to target: any RecordTarget) { self.target = target }

  /// Appends a ring's bytes, which are whole records.
  func append(_ ring: PerfRing, from start: UInt64, to end: UInt64) throws(PerfDataError) {
    var at = start
    recordedBytes += end - start
    while at < end {
      let offset = Int(truncatingIfNeeded: at) & ring.mask
      let count = min(Int(end - at), ring.size - offset)
      try append(UnsafeRawBufferPointer(start: ring.data + offset, count: count))
      at += UInt64(count)
    }
  }

  /// Appends bytes; a record may come in two pieces.
  private func append(_ bytes: UnsafeRawBufferPointer) throws(PerfDataError) {
    var rest = bytes
    while !rest.isEmpty {
      if used == buffer.count { try flushWhole() }
      let count = min(rest.count, buffer.count - used)
      buffer.baseAddress.map { base in
        rest.baseAddress.map { (base + used).copyMemory(from: $0, byteCount: count) }
      }
      used += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Appends one record, or several; `isOfRings` are those that whoever empties these counts.
  func append(_ record: [UInt8], isOfRings: Bool = false) throws(PerfDataError) {
    recordedBytes += UInt64(record.count)
    if !isOfRings { records += RecordBuilder.count(record) }
    try gather(record)
  }

  func append(_ records: borrowing RecordBytes) throws(PerfDataError) {
    recordedBytes += UInt64(records.count)
    self.records += records.records
    try records.withBytes { bytes throws(PerfDataError) in try append(bytes) }
  }

  private func gather(_ record: [UInt8]) throws(PerfDataError) {
    try record.withUnsafeBufferPointer { bytes throws(PerfDataError) in
      try append(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Appends the sample of a synthetic event.
  func append<Payload: SyntheticPayload>(
    _ payload: Payload, pid: Int32, time: UInt64
  ) throws(PerfDataError) {
    try append(Payload.event, raw: payload.encoded(), pid: pid, time: time)
  }

  /// Appends the sample of a synthetic event with given bytes.
  func append(
    _ event: SyntheticEvent, raw: [UInt8], pid: Int32, time: UInt64
  ) throws(PerfDataError) {
    guard let attribute = synthetic[event], let id = attribute.ids.first else { return }
    try gather(
      RecordBuilder.synthetic(
        attribute, id: id, time: min(time, latest), pid: pid, tid: pid, raw: raw))
  }

  private var roundIsOpen = false

  /// Marks that a round of all rings is complete; the mark is written with the next flush.
  func endRound() { roundIsOpen = true }

  /// Writes what was gathered when it is much or old.
  func flushIfDue(now: UInt64) throws(PerfDataError) {
    if roundIsOpen, used + 8 <= buffer.count {
      roundIsOpen = false
      try gather(RecordBuilder.finishedRound())
    }
    if used >= buffer.count / 2 || now &- lastFlush >= Self.flushNanoseconds {
      lastFlush = now
      try flushWhole()
    }
  }

  /// Writes all; between two drains the buffer holds whole records.
  func flushWhole() throws(PerfDataError) {
    guard used > 0 else { return }
    if let failure { throw failure }
    let count = used
    used = 0
    do throws(PerfDataError) {
      try target.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    } catch {
      failure = error
      throw error
    }
  }

  /// Bytes written to where it writes now, or gathered.
  var byteCount: UInt64 { target.dataBytes + UInt64(used) }
}
