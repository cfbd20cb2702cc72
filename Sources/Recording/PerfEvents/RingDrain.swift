import CPerfEvent
import PerfData

/// Copies the target's records from the rings to the trace.
///
/// A round has three steps: note how far each ring is filled; search all rings, as far as they
/// are filled by then, for threads that began, so that a switch to a new thread is known although
/// its announcement is in another CPU's ring; copy.
final class RingDrain {
  let events: EventSet
  let governor: RateGovernor
  /// Whether it is by its records that processes are known to begin and end.
  let tellsProcesses: Bool
  var threads = RecordedThreads()
  /// Tracepoints' fields name threads by other ids than all else does.
  let isNamespaced = !PIDNamespace.isInitial
  var kernelThreadIDs = KernelThreadIDs()
  var sockets = SocketFilter()
  var lostRecords: UInt64 = 0
  /// Since when what was lost since somebody asked may be missing.
  private var lossBeginning: UInt64?
  private var lastDrain: UInt64 = 0
  /// Records that were copied to the trace.
  private(set) var records = 0
  /// Programs of others that began, of those that wake the recorder.
  private var strangers = 0
  var observations: [Observation] = []
  /// Of the record that is looked at: where its event's id is, and which it is to be.
  var renamed: (place: Int, id: UInt64)?
  /// The same of the records that are to be copied next, by where it is in the ring.
  private var renames: [(place: UInt64, id: UInt64)] = []
  /// The last id that another stands for in the trace.
  var lastRename: (from: UInt64, to: UInt64) = (0, 0)
  /// Of the record that is looked at: the build id of the file that was mapped, empty to say that it has none.
  var buildID: [UInt8]?
  var headless = HeadlessProcesses()
  /// Nil where no part of the recording will have to tell of them.
  var standingWaits: StandingWaits?
  /// How often threads of that process have left their CPUs to wait, where somebody asks.
  var waits: (pid: Int32, count: UInt64)?
  var mappedBuildIDs = MappedBuildIDs()
  /// The build ids of the files that were mapped, by their paths.
  var buildIDs = RecentTable<String, [UInt8]>(most: BuildIDNote.most)
  var kernelAddresses: Set<UInt64> = []
  var firstTime = UInt64.max
  var lastTime: UInt64 = 0

  /// Sources by event id; ids are given out in sequence, so the table is dense.
  let lowestID: UInt64
  let indexOfID: [UInt8]
  private(set) var sources: [DrainSource]
  /// Of a sample that holds nothing before the thread but the identifier.
  let places = SamplePlaces(.base)
  let trailer = TrailerPlaces()

  init(events: EventSet, governor: RateGovernor, tellsProcesses: Bool = true) {
    self.events = events
    self.tellsProcesses = tellsProcesses
    self.governor = governor
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

  /// Copies all that the rings hold; gives what others want to know of it.
  func drain(into sink: TraceSink, now: UInt64) throws(PerfDataError) -> [Observation] {
    threads.beginRound()
    // What they wrote is in the rings by now.
    let retired = events.takeRetired()
    defer { for id in retired { events.standIns[id] = nil } }
    observations.removeAll(keepingCapacity: true)
    var isAny = false
    for ring in events.rings { ring.limit = ring.head() }
    let searched = isNamespaced ? events.rings.map(\.searched) : []
    for ring in events.rings { search(ring, until: ring.head()) }
    threads.adoptOrphans()
    if isNamespaced { learnThreadIDs(from: searched) }
    for ring in events.rings where ring.limit > ring.position {
      isAny = true
      let (known, isFull) = (lostRecords, ring.isNearlyFull)
      try copy(ring, to: sink)
      ring.release()
      if lostRecords > known { lossesBegan(at: ring.fullSince ?? lastDrain) }
      ring.fullSince = isFull ? lastDrain : nil
    }
    lastDrain = now
    if isAny { sink.endRound() }
    threads.forgetEnded { kernelThreadIDs.forget($0) }
    let gone = headless.gone()
    if tellsProcesses {
      observations += gone.map { .processEnded(pid: $0.pid, time: $0.time) }
    }
    return observations
  }

  private func search(_ ring: PerfRing, until end: UInt64) {
    ring.searched = ring.walk(from: ring.searched, to: end) { at, type, _ in
      guard type == RecordType.fork else { return }
      let tid = ring.signed(at + 16)
      if governor.hearsAll {
        threads.begin(tid, parent: ring.signed(at + 20))
      } else {
        threads.begin(tid)
      }
    }
  }

  private func copy(_ ring: PerfRing, to sink: TraceSink) throws(PerfDataError) {
    var at = ring.position
    let end = ring.limit
    // Neighbouring records that are kept are copied as one.
    var start = at
    var dropped = 0
    while at < end {
      let header = ring.word(at)
      let size = header >> 48
      if size < 8 {
        // Cannot happen in a sound ring; go on behind the damage.
        try append(ring, from: start, to: at, to: sink)
        start = end
        lostRecords += 1
        break
      }
      if inspect(ring, at, header) {
        records += 1
        if buildID != nil {
          try append(ring, from: start, to: at, to: sink)
          start = at + size
          try appendAmended(ring, from: at, to: start, to: sink)
        } else if let (place, id) = renamed {
          renames.append((at + UInt64(place), id))
          renamed = nil
        }
      } else {
        renamed = nil
        try append(ring, from: start, to: at, to: sink)
        start = at + size
        dropped += 1
      }
      at += size
    }
    if ring.wakesAtOnce { strangers += dropped }
    try append(ring, from: start, to: end, to: sink)
    ring.position = end
    if ring.searched < end { ring.searched = end }
  }

  /// Appends records with the ids by which the trace knows their events; what the kernel wrote may not be changed.
  private func append(
    _ ring: PerfRing, from start: UInt64, to end: UInt64, to sink: TraceSink
  ) throws(PerfDataError) {
    guard start < end else { return }
    guard !renames.isEmpty else { return try sink.append(ring, from: start, to: end) }
    var bytes = ring.bytes(from: start, to: end)
    bytes.withUnsafeMutableBytes { bytes in
      for (place, id) in renames {
        bytes.storeBytes(of: id, toByteOffset: Int(place - start), as: UInt64.self)
      }
    }
    renames.removeAll(keepingCapacity: true)
    try sink.append(bytes, isOfRings: true)
  }

  func takeStrangers() -> Int {
    defer { strangers = 0 }
    return strangers
  }

  /// Adds the build ids of what was mapped before recording began.
  func know(_ files: [MmapRecord]) {
    for file in files where file.buildID != nil { buildIDs[file.path] = file.buildID }
  }

  /// Records that the kernel counted as lost but had no room to tell of.
  func noteUntold(_ total: UInt64) -> UInt64 {
    guard total > lostRecords else { return 0 }
    let untold = total - lostRecords
    lostRecords = total
    lossesBegan(at: events.rings.lazy.compactMap(\.fullSince).min() ?? lastDrain)
    return untold
  }

  private func lossesBegan(at time: UInt64) { lossBeginning = min(lossBeginning ?? time, time) }

  func takeLossBeginning() -> UInt64? {
    defer { lossBeginning = nil }
    return lossBeginning
  }
}
