import CPerfEvent
import Glibc
import PerfData

/// The ring buffer that the events of one CPU share.
final class PerfRing {
  private(set) var ring: lull_ring
  /// The event that the ring belongs to, for polling and for joining others to it.
  let descriptor: Int32
  let cpu: Int32
  /// Whether each record wakes the recorder.
  let wakesAtOnce: Bool
  /// Other events than its own write to it.
  var isShared = false
  /// Everything before this has been copied out.
  var position: UInt64
  /// The end of the records of this round.
  var limit: UInt64 = 0
  /// Since when records may have found no room, where it was nearly full as it was last drained: the kernel tells that
  /// with the next record that fits.
  var fullSince: UInt64?
  /// Everything before this was searched for threads that began or ended.
  var searched: UInt64

  let data: UnsafeMutablePointer<UInt8>
  let mask: Int

  /// Maps the largest ring that is allowed, from `bytes` down; nil with the cause in `error`.
  init?(
    descriptor: Int32, cpu: Int32, bytes: Int, wakesAtOnce: Bool, error: inout Int32
  ) {
    var size = bytes
    var mapped = lull_ring()
    var result = lull_ring_map(descriptor, size, &mapped)
    // EPERM: more locked memory than perf_event_mlock_kb allows; ENOMEM: no such memory.
    while result < 0, -result == EPERM || -result == ENOMEM, size > 2 * RingShare.smallest {
      size /= 2
      result = lull_ring_map(descriptor, size, &mapped)
    }
    guard result == 0, let data = mapped.data else {
      error = -result
      return nil
    }
    ring = mapped
    self.data = data
    mask = size - 1
    self.descriptor = descriptor
    self.cpu = cpu
    self.wakesAtOnce = wakesAtOnce
    position = lull_ring_tail(&ring)
    searched = position
  }

  deinit { lull_ring_unmap(&ring) }

  var size: Int { mask + 1 }

  /// Whether the next record might not have fitted, as far as is to be copied in this round: none is larger.
  var isNearlyFull: Bool { limit - position > UInt64(size - min(size / 2, Self.largestRecord)) }

  /// A record's length is 16 bits.
  private static let largestRecord = 1 << 16

  @inline(__always)
  func head() -> UInt64 { lull_ring_head(&ring) }

  func release() { lull_ring_set_tail(&ring, position) }

  // Records are 8-aligned and the size is a power of two, so an aligned word never wraps.

  @inline(__always)
  func word(_ at: UInt64) -> UInt64 {
    UnsafeRawPointer(data + (Int(truncatingIfNeeded: at) & mask)).load(as: UInt64.self)
  }

  @inline(__always)
  func half(_ at: UInt64) -> UInt32 {
    UnsafeRawPointer(data + (Int(truncatingIfNeeded: at) & mask)).load(as: UInt32.self)
  }

  @inline(__always)
  func signed(_ at: UInt64) -> Int32 { Int32(bitPattern: half(at)) }

  /// A 64-bit value at an address that is only 4-aligned.
  @inline(__always)
  func split(_ at: UInt64) -> UInt64 { UInt64(half(at)) | UInt64(half(at &+ 4)) << 32 }

  @inline(__always)
  func short(_ at: UInt64) -> UInt16 {
    UnsafeRawPointer(data + (Int(truncatingIfNeeded: at) & mask)).load(as: UInt16.self)
  }

  /// Goes through the records from one position to another, as far as they are sound; gives where that was.
  @inline(__always)
  @discardableResult
  func walk(
    from start: UInt64, to end: UInt64,
    _ body: (_ at: UInt64, _ type: UInt32, _ size: UInt64) -> Void
  ) -> UInt64 {
    var at = start
    while at < end {
      let header = word(at)
      let size = header >> 48
      if size < 8 { break }
      body(at, UInt32(truncatingIfNeeded: header), size)
      at += size
    }
    return at
  }

  /// A thread's beginning, as its parent's record of it tells.
  struct Beginning {
    var pid: Int32
    var tid: Int32
    var parent: Int32
    var time: UInt64
  }

  /// The beginnings that stand in it and have not been copied.
  func beginnings() -> [Beginning] {
    var found: [Beginning] = []
    walk(from: position, to: head()) { at, type, _ in
      guard type == RecordType.fork else { return }
      found.append(
        Beginning(
          pid: signed(at + 8), tid: signed(at + 16), parent: signed(at + 20), time: word(at + 24)))
    }
    return found
  }

  /// The bytes from one position to another, joined where they wrap.
  func bytes(from start: UInt64, to end: UInt64) -> [UInt8] {
    var result: [UInt8] = []
    guard end > start, end - start <= UInt64(size) else { return result }
    result.reserveCapacity(Int(end - start))
    var at = start
    while at < end {
      let offset = Int(truncatingIfNeeded: at) & mask
      let count = min(Int(end - at), size - offset)
      result.append(contentsOf: UnsafeBufferPointer(start: data + offset, count: count))
      at += UInt64(count)
    }
    return result
  }
}
