import CPreloadRing
import Glibc

/// One file of rings that a process writes, as the recorder reads it.
final class PreloadSegment {
  let pid: Int32
  let parent: Int32
  let isProgram: Bool
  let began: UInt64
  /// CPU time of the thread that made it, in nanoseconds, by then.
  let processorBefore: UInt64?
  /// Whether what streams of the C library write is among what it tells.
  let seesStreams: Bool
  private let memory: UnsafeMutableRawPointer
  private static let size = Int(lull_segment_bytes)
  static let ringBytes = Int(lull_ring_bytes)

  /// Nil where the file is not a whole segment of this version.
  init?(path: String) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_size == Self.size,
      let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      memory != MAP_FAILED
    else { return nil }
    let header = memory.load(as: lull_segment.self)
    guard header.version == UInt32(lull_preload_version) else {
      munmap(memory, Self.size)
      return nil
    }
    self.memory = memory
    pid = header.pid
    parent = header.parent
    isProgram = header.is_program != 0
    began = header.began
    // A filter of the program's own may refuse the look.
    processorBefore = header.processor_before == .max ? nil : header.processor_before
    seesStreams = header.sees_streams != 0
  }

  deinit { munmap(memory, Self.size) }

  /// The ring of a number.
  func ring(_ index: Int) -> PreloadRing {
    PreloadRing(slot: lull_slot_of(memory, UInt32(index)))
  }

  static let slots = Int(lull_slots)

  /// Threads that had no ring.
  var threadsWithoutRing: UInt64 { memory.load(as: lull_segment.self).threads_without_ring }

  /// Whether its threads are sampled, and why not.
  var sampling: lull_sampling { lull_sampling(memory.load(as: lull_segment.self).sampling) }

  /// Whether a filter of the program's keeps what its threads do, or use, from being told.
  var isFiltered: Bool { memory.load(as: lull_segment.self).is_filtered != 0 }

  /// When the program was first asked to end by a signal that it takes itself, and by which.
  var asked: (time: UInt64, signal: UInt32)? {
    let header = memory.load(as: lull_segment.self)
    return header.asked_at > 0 ? (header.asked_at, header.asked_by) : nil
  }

  /// Memory that the process holds for being recorded.
  var heldBytes: UInt64 {
    var held = UInt64(lull_page_bytes)
    for index in 0..<Self.slots where ring(index).reserved > 0 {
      let sums = ring(index).hasSums ? UInt64(lull_ring_offset) - UInt64(lull_page_bytes) : 0
      held += UInt64(lull_page_bytes) + sums + UInt64(ring(index).reserved)
    }
    return held
  }
}

/// The ring of a thread, or of several after each other.
struct PreloadRing {
  let slot: UnsafeMutablePointer<lull_slot>

  private var bytes: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(slot) + Int(lull_ring_offset)
  }

  /// What its thread's sockets carried that was added up, less what just changes.
  var sums: [lull_sum] {
    guard hasSums, let first = lull_sums_of(slot) else { return [] }
    return (0..<Int(lull_sums)).compactMap { index in
      var sum = lull_sum()
      return lull_read_sum(first + index, &sum) != 0 ? sum : nil
    }
  }

  /// Whether its sums have memory.
  var hasSums: Bool { slot.pointee.has_sums == 1 }
  /// How much of it has memory.
  var reserved: UInt32 { slot.pointee.reserved }
  var head: UInt64 { lull_slot_head(slot) }
  var tail: UInt64 { slot.pointee.tail }
  var lost: UInt64 { slot.pointee.lost }
  var isTaken: Bool { slot.pointee.taken != 0 }
  var tid: Int32 { slot.pointee.tid }

  /// What was not handed over, since the next call might have been just like it.
  var openRecord: lull_record? {
    guard slot.pointee.has_open_record != 0 else { return nil }
    return (bytes + (Int(head) & (PreloadSegment.ringBytes - 1))).load(as: lull_record.self)
  }

  /// The call that its thread is in.
  var openCall: lull_open_call { slot.pointee.call }

  /// Hands over what is in it, in order, and makes room; false where it makes no sense.
  func drain(
    _ body: (lull_record, PreloadParts?) throws -> Void
  ) rethrows -> Bool {
    let end = head
    var at = tail
    guard end &- at <= UInt64(PreloadSegment.ringBytes) else {
      lull_slot_set_tail(slot, end)
      return false
    }
    while at < end {
      let offset = Int(at) & (PreloadSegment.ringBytes - 1)
      let record = (bytes + offset).load(as: lull_record.self)
      guard record.size >= 64, record.size % 64 == 0, UInt64(record.size) <= end - at else {
        lull_slot_set_tail(slot, end)
        return false
      }
      try body(record, record.parts == 0 ? nil : parts(of: record, at: at + 64))
      at += UInt64(record.size)
    }
    lull_slot_set_tail(slot, end)
    return true
  }

  private func parts(of record: lull_record, at start: UInt64) -> PreloadParts {
    let count = Int(record.size) - 64
    let offset = Int(start) & (PreloadSegment.ringBytes - 1)
    let first = min(count, PreloadSegment.ringBytes - offset)
    let untilEnd = UnsafeRawBufferPointer(start: bytes + offset, count: first)
    guard first < count else { return PreloadParts(untilEnd, record) }
    // It goes on at the ring's start.
    let whole =
      [UInt8](untilEnd) + [UInt8](UnsafeRawBufferPointer(start: bytes, count: count - first))
    return whole.withUnsafeBytes { PreloadParts($0, record) }
  }
}
