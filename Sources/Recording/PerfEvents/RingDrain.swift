import CPerfEvent
import PerfData

/// What the drain tells of records that matter beyond being written.
enum DrainNote {
  case fork(pid: Int32, parentPid: Int32, tid: Int32, time: UInt64)
  case exit(pid: Int32, tid: Int32, time: UInt64)
  case exec(pid: Int32, name: String, time: UInt64)
  case mapped(path: String, buildID: [UInt8])
  case systemCall(pid: Int32, tid: Int32, time: UInt64, call: SystemCallResult)
  /// A path that a thread is about to open.
  case opening(tid: Int32, time: UInt64, path: String)

  /// When it happened; that of a mapping does not matter.
  var time: UInt64 {
    switch self {
    case .fork(_, _, _, let time), .exit(_, _, let time), .exec(_, _, let time),
      .systemCall(_, _, let time, _), .opening(_, let time, _):
      time
    case .mapped: 0
    }
  }
}

/// A system call with what is looked at of its arguments.
struct SystemCallResult {
  var number: Int64
  var result: Int64
  var first: UInt64
  var second: UInt64
  var third: UInt64
}

/// Copies the target's records from the rings to the trace.
///
/// A round has three steps: note how far each ring is filled; search all rings, as far as they
/// are filled by then, for threads that began, so that a switch to a new thread is known although
/// its announcement is in another CPU's ring; copy.
final class RingDrain {
  private let events: EventSet
  private let governor: RateGovernor
  private let sink: TraceSink
  var tracked = TrackedThreads()
  var sockets = SocketFilter()
  private(set) var lostRecords: UInt64 = 0
  private(set) var keptRecords: UInt64 = 0
  private(set) var notes: [DrainNote] = []
  private(set) var kernelAddresses: Set<UInt64> = []
  private(set) var firstTime = UInt64.max
  private(set) var lastTime: UInt64 = 0

  /// Sources by event id; ids are given out in sequence, so the table is dense.
  private let lowestID: UInt64
  private let indexOfID: [UInt8]
  private var sources: [DrainSource]
  /// Threads that ended, which may still be switched away from for the last time.
  private var ended: [(tid: Int32, round: UInt64)] = []
  /// Threads whose parents are not known in this round, and in the one before.
  private var orphans: [(tid: Int32, parent: Int32, round: UInt64)] = []
  private var round: UInt64 = 0

  /// Of a sample that holds nothing before the thread but the identifier.
  private let places = SamplePlaces(.base)
  private let trailer = TrailerPlaces()

  init(events: EventSet, governor: RateGovernor, sink: TraceSink) {
    self.events = events
    self.governor = governor
    self.sink = sink
    let ids = events.events.flatMap(\.ids)
    lowestID = ids.min() ?? 0
    let span = Int(clamping: (ids.max() ?? 0) - lowestID) + 1
    var table = [UInt8](repeating: 0, count: min(span, 1 << 24))
    sources = [DrainSource()]
    for opened in events.events where !opened.ids.isEmpty {
      sources.append(DrainSource(opened.spec))
      for id in opened.ids where Int(id - lowestID) < table.count {
        table[Int(id - lowestID)] = UInt8(clamping: sources.count - 1)
      }
    }
    indexOfID = table
  }

  /// Copies all that the rings hold; gives the number of bytes that were read.
  @discardableResult
  func drain() throws(PerfDataError) -> UInt64 {
    round += 1
    notes.removeAll(keepingCapacity: true)
    var read: UInt64 = 0
    for ring in events.rings { ring.limit = ring.head() }
    for ring in events.rings { search(ring, until: ring.head()) }
    if !orphans.isEmpty { adoptOrphans() }
    for ring in events.rings where ring.limit > ring.position {
      read += ring.limit - ring.position
      try copy(ring)
      ring.release()
    }
    if read > 0 { sink.endRound() }
    forgetEnded()
    return read
  }

  /// Two rounds and at least so many threads later an ended id may be another program's.
  private func forgetEnded() {
    while let first = ended.first, round > first.round + 2 {
      tracked.remove(first.tid)
      ended.removeFirst()
    }
  }

  private func search(_ ring: PerfRing, until end: UInt64) {
    var at = ring.searched
    while at < end {
      let header = ring.word(at)
      let type = UInt32(truncatingIfNeeded: header)
      let size = header >> 48
      if size < 8 { break }
      if type == RecordType.fork {
        let tid = ring.signed(at + 16)
        let parent = ring.signed(at + 20)
        if governor.hearsAll, !tracked.contains(parent) {
          orphans.append((tid, parent, round))
        } else {
          beginThread(tid)
        }
      }
      at += size
    }
    ring.searched = at
  }

  private func beginThread(_ tid: Int32) {
    tracked.insert(tid)
    // A reused id lives again.
    if !ended.isEmpty { ended.removeAll { $0.tid == tid } }
  }

  /// Finds the threads whose parents were announced in another CPU's ring, and forgets those of other programs.
  private func adoptOrphans() {
    var found = true
    while found {
      found = false
      orphans.removeAll { orphan in
        guard tracked.contains(orphan.parent) else { return false }
        beginThread(orphan.tid)
        found = true
        return true
      }
    }
    orphans.removeAll { $0.round < round }
  }

  private func copy(_ ring: PerfRing) throws(PerfDataError) {
    var at = ring.position
    let end = ring.limit
    // Neighbouring records that are kept are copied as one.
    var start = at
    while at < end {
      let header = ring.word(at)
      let size = header >> 48
      if size < 8 {
        // Cannot happen in a sound ring; go on behind the damage.
        try sink.append(ring, from: start, to: at)
        start = end
        lostRecords += 1
        break
      }
      if !inspect(ring, at, header) {
        if start < at { try sink.append(ring, from: start, to: at) }
        start = at + size
      }
      at += size
    }
    if start < end { try sink.append(ring, from: start, to: end) }
    ring.position = end
    if ring.searched < end { ring.searched = end }
  }

  /// Looks at one record; false drops it.
  @inline(__always)
  private func inspect(_ ring: PerfRing, _ at: UInt64, _ header: UInt64) -> Bool {
    let type = UInt32(truncatingIfNeeded: header)
    if type == RecordType.sample { return inspectSample(ring, at) }
    let size = header >> 48
    if governor.hearsAll, !isOwn(ring, at, type, size) { return false }
    switch type {
    case RecordType.contextSwitch, RecordType.contextSwitchCPUWide: governor.noteSwitch()
    case RecordType.lost: lostRecords += ring.word(at + 16)
    case RecordType.lostSamples: lostRecords += ring.word(at + 8)
    case RecordType.fork:
      notes.append(
        .fork(
          pid: ring.signed(at + 8), parentPid: ring.signed(at + 12), tid: ring.signed(at + 16),
          time: ring.word(at + 24)))
    case RecordType.exit:
      let tid = ring.signed(at + 16)
      ended.append((tid, round))
      notes.append(.exit(pid: ring.signed(at + 8), tid: tid, time: ring.word(at + 24)))
    case RecordType.comm where header & 1 << 45 != 0:
      revive(ring.signed(at + 8))
      let bytes = ring.bytes(from: at + 16, to: at + size - trailer.size)
      notes.append(
        .exec(
          pid: ring.signed(at + 8), name: Self.text(bytes),
          time: ring.word(at + size - trailer.time)))
    case RecordType.mmap2 where header & 1 << 46 != 0:
      noteBuildID(ring, at, size)
    default: break
    }
    return true
  }

  /// Whether a record that is no sample is one of the target's, and of the event that is to tell it.
  private func isOwn(_ ring: PerfRing, _ at: UInt64, _ type: UInt32, _ size: UInt64) -> Bool {
    switch type {
    case RecordType.fork, RecordType.exit, RecordType.comm, RecordType.mmap2,
      RecordType.contextSwitch, RecordType.contextSwitchCPUWide:
      break
    default: return true
    }
    guard size >= 8 + trailer.size else { return false }
    let end = at + size
    guard
      governor.keeps(
        source(ring.word(end - trailer.id)).season, time: ring.word(end - trailer.time))
    else {
      return false
    }
    // A thread's beginning counts by the thread, all else by who it is told of.
    let tid = type == RecordType.fork ? ring.signed(at + 16) : ring.signed(end - trailer.tid)
    return tracked.contains(tid)
  }

  @inline(__always)
  private func source(_ id: UInt64) -> DrainSource {
    let offset = id &- lowestID
    return sources[offset < UInt64(indexOfID.count) ? Int(indexOfID[Int(offset)]) : 0]
  }

  /// When another thread than the first runs a new program, the first ends and the other takes its id.
  private func revive(_ pid: Int32) {
    tracked.insert(pid)
    if !ended.isEmpty { ended.removeAll { $0.tid == pid } }
  }

  private func noteBuildID(_ ring: PerfRing, _ at: UInt64, _ size: UInt64) {
    // Size and bytes of the build id at 40 and 44, the path from 72 to the sample id.
    guard size > 72 + trailer.size else { return }
    let length = Int(min(20, ring.half(at + 40) & 0xff))
    let buildID = ring.bytes(from: at + 44, to: at + 44 + UInt64(length))
    let path = Self.text(ring.bytes(from: at + 72, to: at + size - trailer.size))
    if path.hasPrefix("/") { notes.append(.mapped(path: path, buildID: buildID)) }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  @inline(__always)
  private func inspectSample(_ ring: PerfRing, _ at: UInt64) -> Bool {
    let source = source(ring.word(at + places.id))
    let at = at + source.shift
    switch source.keep {
    case .always: break
    case .threadField:
      guard tracked.contains(ring.signed(at + places.raw + source.first)) else { return false }
    case .maker:
      guard tracked.contains(ring.signed(at + places.tid)) else {
        if source.season == .standIn, source.adaptive >= 0 {
          governor.noteForeign(source.adaptive, weight: source.weight)
        }
        return false
      }
    case .socketState:
      guard
        sockets.keeps(
          socket: ring.split(at + places.raw + source.first),
          state: ring.signed(at + places.raw + source.second),
          port: ring.short(at + places.raw + source.third),
          commonFlags: UInt8(truncatingIfNeeded: ring.half(at + places.raw) >> 16),
          isTargetThread: tracked.contains(ring.signed(at + places.tid)))
      else { return false }
    }
    let time = ring.word(at + places.time)
    if source.season != .always, !governor.keeps(source.season, time: time) { return false }
    if source.adaptive >= 0 {
      let isSample = source.isSampled
      guard governor.keeps(source.adaptive, isSample: isSample, time: time) else { return false }
      governor.note(source.adaptive, isSample: isSample)
    }
    if time < firstTime { firstTime = time }
    if time > lastTime { lastTime = time }
    keptRecords &+= 1
    if source.hasCallchain { noteKernelAddresses(ring, at) }
    if source.isSystemCall { noteSystemCall(ring, at, source, time) }
    if source.namesDescriptor {
      let descriptor = UInt64(ring.half(at + places.raw + source.first))
      notes.append(
        .systemCall(
          pid: ring.signed(at + places.pid), tid: ring.signed(at + places.tid), time: time,
          call: SystemCallResult(
            number: Int64(SystemCallFilter.write), result: 0, first: descriptor, second: 0,
            third: 0)))
    }
    if source.namesPath { notePath(ring, at, source, time) }
    return true
  }

  private func noteKernelAddresses(_ ring: PerfRing, _ at: UInt64) {
    let count = min(ring.word(at + places.rest), 1024)
    var inKernel = false
    for index in 0..<count {
      let address = ring.word(at + places.rest + 8 + index * 8)
      // PERF_CONTEXT_KERNEL is -128, PERF_CONTEXT_USER -512; all markers are above -4096.
      if address >= UInt64(bitPattern: -4095) {
        inKernel = address == UInt64(bitPattern: -128)
      } else if inKernel {
        kernelAddresses.insert(address)
      }
    }
  }

  private func noteSystemCall(
    _ ring: PerfRing, _ at: UInt64, _ source: DrainSource, _ time: UInt64
  ) {
    let number = Int64(bitPattern: ring.split(at + places.raw + source.first))
    let result = Int64(bitPattern: ring.split(at + places.raw + source.second))
    governor.noteCall(
      source.weight, isWrite: SystemCallFilter.countedWrites.contains(number), time: time)
    // The registers follow the raw bytes: abi, then the values by ascending number.
    let registers = at + places.raw + UInt64(ring.half(at + places.rest))
    guard ring.word(registers) != 0 else { return }
    #if arch(arm64)
      // x0 is the result by then; the first argument is lost.
      let first = UInt64.max
      let second = ring.word(registers + 16)
      let third = ring.word(registers + 24)
    #else
      let third = ring.word(registers + 8)
      let second = ring.word(registers + 16)
      let first = ring.word(registers + 24)
    #endif
    guard SystemCallFilter.matters(number) else { return }
    notes.append(
      .systemCall(
        pid: ring.signed(at + places.pid), tid: ring.signed(at + places.tid), time: time,
        call: SystemCallResult(
          number: number, result: result, first: first, second: second, third: third)))
  }

  /// The field is a __data_loc: the text's offset in the payload and its length.
  private func notePath(_ ring: PerfRing, _ at: UInt64, _ source: DrainSource, _ time: UInt64) {
    let place = ring.half(at + places.raw + source.first)
    let start = UInt64(place & 0xffff)
    let end = start + UInt64(place >> 16)
    guard end <= UInt64(ring.half(at + places.rest)) else { return }
    let path = Self.text(ring.bytes(from: at + places.raw + start, to: at + places.raw + end))
    notes.append(.opening(tid: ring.signed(at + places.tid), time: time, path: path))
  }

  /// Adds threads that were there before recording began.
  func track(_ tids: [Int32]) {
    for tid in tids { tracked.insert(tid) }
  }

  /// Records that the kernel counted as lost but had no room to tell of.
  func noteUntold(_ total: UInt64) -> UInt64 {
    guard total > lostRecords else { return 0 }
    let untold = total - lostRecords
    lostRecords = total
    return untold
  }
}
