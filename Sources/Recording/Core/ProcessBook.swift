import PerfData
import Quantities

/// The processes of the recording: their beginnings, programs, ends and memory.
final class ProcessBook {
  private struct Entry {
    var parentPid: Int32
    var sampler: FootprintSampler?
    var nextSample: UInt64
    var interval: UInt64
    /// What it runs as far as that was told, where no event tells it.
    var program: RunningProgram?
    /// When that was told to have begun.
    var executed: UInt64 = 0
    /// It was over before its file could be looked at, which is the first that it maps.
    var isFileUnknown = false
    /// It told itself what it had used as it ended, without what it took to tell that.
    var hasToldItsEnd = false
    /// It was told as it was seen; its own word may come yet.
    var isSightTold = false
  }

  private let root: Int32
  private let largestInterval: UInt64
  private var entries: [Int32: Entry] = [:]
  private(set) var seen: Set<Int32> = []
  private let teller: ProgramTeller
  /// What processes were seen to run, one after another, and is not told yet.
  private var sighted: [Int32: [SightedProgram]] = [:]
  /// Those whose own word is not waited for, and who are not told of themselves yet.
  private var wordless: Set<Int32> = []
  /// When the first process ended; that is told with its status, once it is known.
  private var rootEnd: UInt64?
  /// Memory that processes hold because they are recorded, which is none of theirs.
  private var held: [Int32: UInt64] = [:]
  /// The parents of processes that ended just now.
  private var ended = RecentTable<Int32, Int32>(most: 1024)

  /// Short programs are seen by readings that begin dense and thin out.
  static let firstInterval: UInt64 = 1_000_000

  init(root: Int32, interval: TimeSpan, programs teller: ProgramTeller) {
    self.root = root
    self.teller = teller
    largestInterval = max(Self.firstInterval, UInt64(clamping: interval.nanoseconds))
  }

  /// A process that the recorder started, found, or saw being created.
  func begin(
    _ pid: Int32, parentPid: Int32, kind: ProcessEvent.Kind, time: UInt64,
    description: ProcessEvent? = nil, to sink: TraceSink
  ) throws(PerfDataError) {
    guard entries[pid] == nil else { return }
    seen.insert(pid)
    // What a child runs by now it may have begun to run unseen, which is told as it is looked at.
    let inherited = description == nil ? entries[parentPid]?.program : nil
    entries[pid] = Entry(
      parentPid: parentPid, sampler: FootprintSampler(pid: pid), nextSample: time,
      interval: Self.firstInterval,
      program: teller == .events ? nil : inherited ?? RunningProgram(pid: pid))
    let event = description ?? ProcessEvent(pid: Int(pid), parentPid: Int(parentPid), kind: kind)
    try sink.append(event, pid: pid, time: time)
    if wordless.remove(pid) != nil { try tellSighted(pid, to: sink) }
  }

  /// A process runs another program, as events or the program itself tell.
  private func exec(
    _ pid: Int32, name: String, time: UInt64, to sink: TraceSink
  ) throws(PerfDataError) {
    let parent = entries[pid]?.parentPid ?? ended[pid] ?? 0
    // An exec by another thread than the first looks like the end of the process before it.
    if entries[pid] == nil {
      entries[pid] = Entry(
        parentPid: parent, sampler: FootprintSampler(pid: pid), nextSample: time,
        interval: Self.firstInterval)
    }
    var known = ProcessProbe.describe(pid: pid, kind: .exec)
    if teller != .events, let entry = entries[pid] {
      var running = RunningProgram(pid: pid)
      // It was told already, when it was released or since no word had come.
      if time <= entry.executed { return }
      let waiting = sighted[pid] ?? []
      if let index = waiting.firstIndex(where: { $0.isCalled(name) }) {
        (known, running) = (waiting[index].description, waiting[index].program)
        // Of those before no word came.
        sighted[pid] = Array(waiting[..<index])
        try tellSighted(pid, to: sink)
        sighted[pid] = index + 1 < waiting.count ? Array(waiting[(index + 1)...]) : nil
      } else if entry.isSightTold, running == nil || running == entry.program {
        return
      } else if let program = running,
        !program.isCalled(name) && ProcessStatistics(pid: pid)?.name != name
      {
        // It runs another by now, of which it will tell.
        (known, running) = (nil, nil)
      }
      if let running { entries[pid]?.program = running }
    }
    var event =
      known ?? ProcessEvent(pid: Int(pid), parentPid: Int(parent), kind: .exec, commandLine: [name])
    event.threads = nil
    if ProcessProbe.isSecure(pid: pid) { event.endedEvents = true }
    try tell(event, pid, at: time, to: sink)
    entries[pid]?.isFileUnknown = event.codeBytes == nil
  }

  /// A process maps a file: that is its program, if nothing is known of it.
  private func mapped(
    _ path: String, _ pid: Int32, time: UInt64, to sink: TraceSink
  ) throws(PerfDataError) {
    guard let entry = entries[pid], entry.isFileUnknown, time >= entry.executed else { return }
    entries[pid]?.isFileUnknown = false
    let event = described(pid, parent: entry.parentPid, file: path, commandLine: [])
    try sink.append(event, pid: pid, time: entry.executed)
  }

  /// What is known of a program by its file alone.
  private func described(
    _ pid: Int32, parent: Int32, file path: String, commandLine: [String]
  ) -> ProcessEvent {
    // As its parent sees it: the process may be over.
    let file = ElfFile(path: "/proc/\(parent)/root\(path)") ?? ElfFile(path: path)
    var event = ProcessEvent(
      pid: Int(pid), parentPid: Int(parent), kind: .exec, executable: path,
      commandLine: commandLine, isSwift: file?.hasSwiftMetadata)
    event.codeBytes = file?.codeBytes
    return event
  }

  private func tell(
    _ event: ProcessEvent, _ pid: Int32, at time: UInt64, isSight: Bool = false, to sink: TraceSink
  ) throws(PerfDataError) {
    try sink.append(event, pid: pid, time: time)
    entries[pid]?.executed = time
    entries[pid]?.isSightTold = isSight
    readSoon(pid, time)
  }

  /// Of what begins memory is read densely.
  private func readSoon(_ pid: Int32, _ time: UInt64) {
    entries[pid]?.interval = Self.firstInterval
    entries[pid]?.nextSample = time
  }

  /// The command that the recorder started runs its program by now.
  ///
  /// It has since it was let go, however long the recorder was kept from looking: it may be over already.
  func released(
    _ pid: Int32, command: String, at time: UInt64, to sink: TraceSink
  ) throws(PerfDataError) {
    guard teller != .events else { return }
    if let program = RunningProgram(pid: pid),
      let seen = SightedProgram(program, pid: pid, at: time)
    {
      entries[pid]?.program = program
      return try tell(seen.description, pid, at: time, to: sink)
    }
    // It has ended already: what is known is the file.
    let event = described(
      pid, parent: entries[pid]?.parentPid ?? 0, file: ProgramFile.path(of: command) ?? command,
      commandLine: [command])
    try tell(event, pid, at: time, to: sink)
  }

  /// What a process runs, if that is not told yet.
  func sight(_ pid: Int32) -> SightedProgram? {
    guard let program = RunningProgram(pid: pid), program != entries[pid]?.program else {
      return sighted[pid]?.last
    }
    if let earlier = sighted[pid]?.last, earlier.program == program { return earlier }
    let now = SystemInfo.monotonicNanoseconds()
    guard let seen = SightedProgram(program, pid: pid, at: now) else { return sighted[pid]?.last }
    sighted[pid, default: []].append(seen)
    readSoon(pid, now)
    return seen
  }

  /// No word comes of what a process was seen to run: it ran that since it was seen, or for longer as is known.
  func tellSighted(
    _ pid: Int32, notAfter time: UInt64 = .max, to sink: TraceSink
  ) throws(PerfDataError) {
    guard entries[pid] != nil else {
      wordless.insert(pid)
      return
    }
    for seen in sighted.removeValue(forKey: pid) ?? [] {
      // Of another run of the same file its own word would have come, as the first one's did.
      if teller == .programs, seen.program.file == entries[pid]?.program?.file { continue }
      entries[pid]?.program = seen.program
      try tell(seen.description, pid, at: min(seen.since, time), isSight: true, to: sink)
    }
  }

  /// The recording ends: no word comes any longer.
  func tellAllSighted(to sink: TraceSink) throws(PerfDataError) {
    for pid in living { try tellSighted(pid, to: sink) }
  }

  /// A process ended, with what its parent learned of it.
  private func end(
    _ pid: Int32, time: UInt64, _ end: WrappedCommand.End? = nil, to sink: TraceSink
  ) throws(PerfDataError) {
    guard entries[pid] != nil else { return }
    try tellSighted(pid, to: sink)
    guard let entry = entries.removeValue(forKey: pid) else { return }
    ended[pid] = entry.parentPid
    held[pid] = nil
    let event = ProcessEvent(
      pid: Int(pid), parentPid: Int(entry.parentPid), kind: .exit,
      exitStatus: end?.status.map(Int.init), signal: end?.signal.map(Int.init),
      peakResidentBytes: end?.peakResidentBytes)
    try sink.append(event, pid: pid, time: time)
  }

  /// A process holds so much shared memory for the recorder.
  func noteHeld(_ bytes: UInt64, by pid: Int32) { held[pid] = bytes }

  /// When the next reading is due.
  var nextSample: UInt64 { entries.values.map(\.nextSample).min() ?? .max }

  /// The end of the first process, with its status where that is known.
  func endRoot(_ known: WrappedCommand.End?, now: UInt64, to sink: TraceSink) throws(PerfDataError)
  {
    try end(root, time: rootEnd ?? now, known, to: sink)
  }

  /// Those that live.
  var living: [Int32] { entries.keys.sorted() }

  /// Reads the memory of the processes whose time has come, and tells of it.
  func sample(all: Bool = false, _ round: Round) throws(PerfDataError) {
    let (now, sink) = (round.now, round.sink)
    for pid in Array(entries.keys) {
      guard let entry = entries[pid], all || entry.nextSample <= now else { continue }
      entries[pid]?.interval = min(entry.interval * 2, largestInterval)
      entries[pid]?.nextSample = now + entry.interval
      if teller != .events { _ = sight(pid) }
      if teller == .looks { try tellSighted(pid, to: sink) }
      guard let reading = entry.sampler?.sample() else { continue }
      try tell(reading, of: pid, at: SystemInfo.monotonicNanoseconds(), round)
    }
  }

  /// What a process read and wrote since its last reading, as long as its parent has not asked for its status. What it
  /// held is not read anew: nobody is to be told of that.
  private func sampleAtEnd(
    _ pid: Int32, _ time: UInt64, _ round: Round
  ) throws(PerfDataError) {
    guard let entry = entries[pid], !entry.hasToldItsEnd,
      let reading = entry.sampler?.sampleAtEnd()
    else { return }
    _ = try write(reading, of: pid, at: time, round)
  }

  /// What a process told of itself as it ended.
  func tellEnd(
    _ reading: FootprintSample, of pid: Int32, at time: UInt64, _ round: Round
  ) throws(PerfDataError) {
    entries[pid]?.hasToldItsEnd = true
    try tell(reading, of: pid, at: time, round)
  }

  /// Tells what a process held and had used at a time.
  private func tell(
    _ reading: FootprintSample, of pid: Int32, at time: UInt64, _ round: Round
  ) throws(PerfDataError) {
    let footprint = try write(reading, of: pid, at: time, round)
    round.tell([.memoryRead(pid: pid, footprint: footprint, time: time)])
  }

  /// Gives what it held of its own, in bytes.
  private func write(
    _ reading: FootprintSample, of pid: Int32, at time: UInt64, _ round: Round
  ) throws(PerfDataError) -> UInt64 {
    var reading = reading
    if let held = held[pid] { reading.leaveOut(shared: held) }
    try round.sink.append(.footprint, raw: reading.encoded(), pid: pid, time: time)
    return reading.footprint
  }
}

extension ProcessBook: RecordingSource {
  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    switch observation {
    case .processBegan(let pid, let parent, let time):
      try begin(pid, parentPid: parent, kind: .start, time: time, to: round.sink)
    case .processExecuted(let pid, let name, let time):
      try exec(pid, name: name, time: time, to: round.sink)
    case .fileMapped(let pid, let path, _, let time):
      try mapped(path, pid, time: time, to: round.sink)
    case .processEnded(root, let time):
      rootEnd = time
      try sampleAtEnd(root, time, round)
    case .processEnded(let pid, let time):
      try sampleAtEnd(pid, time, round)
      try end(pid, time: time, to: round.sink)
    default: break
    }
  }

  func collect(_ round: Round) throws(PerfDataError) {}

  /// Of those that are gone no record tells any longer.
  func beginPart(_ round: Round) throws(PerfDataError) {
    seen = Set(entries.keys)
  }
}
