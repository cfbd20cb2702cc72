import CPreloadRing
import Glibc
import PerfData

/// What programs tell of themselves as a source: see `Sources/LullPreload`.
final class PreloadSource: RecordingSource {
  let folder: PreloadFolder
  var writer: PreloadWriter
  let templates: RecordTemplates
  let repeats: EarlierStackWriter?
  var sockets = PreloadSockets()
  var runDelays = RunDelays()
  let processes: ProcessBook
  let root: Int32
  let stackBytes: UInt32
  var known: [Int32: PreloadProcess] = [:]
  /// Every process that was ever recorded from within.
  var seen: Set<Int32> = []
  var strangers = PreloadStrangers()
  /// What looks at these: a source of its own, which collects after this one.
  let looks: OutsideSource
  let takesChildren: Bool
  private(set) var lostRecords: UInt64 = 0
  var threadsWithoutRing: UInt64 = 0
  /// What programs' descriptors were as they began, to be written next.
  var inherited: [(event: DescriptorEvent, time: UInt64)] = []
  /// Marks of the programs' own, to be written next.
  var marks: [(event: MarkEvent, pid: Int32, time: UInt64)] = []
  var unseenStreams: Set<Int32> = []
  var unsampled: [UInt32: Set<Int32>] = [:]
  /// Of whose threads not all was told, for a filter of their own.
  var filtered: Set<Int32> = []
  /// In how many calls each asked others for names: what the C library sends for that is seen by nobody.
  var namesAsked: [Int32: Int] = [:]
  /// Of processes of which another number of waits was told than the kernel counted.
  var waitCounts: [Int32: (counted: UInt64, told: UInt64)] = [:]
  /// Processes whose threads waited more often than is told.
  var missesWaits: Set<Int32> = []
  var hasMoreWaitCounts = false
  /// Of more processes it is only said that there are more.
  static let mostNamed = 16
  /// If more of a process's waits are not told, or told though there were none, and a larger share, it is said.
  static let fewWaits: UInt64 = 20
  static let smallShare = 0.02
  var buildIDs = RecentTable<String, [UInt8]>(most: BuildIDNote.most)
  var mappedBuildIDs = MappedBuildIDs()
  private var lastCollection: UInt64 = 0
  var functionNames = FunctionNames()
  /// Records of the next round: threads whose waits went on as a part of the recording ended.
  var resumptions: [[UInt8]] = []
  /// Of the many records that nothing follows.
  let noParts = PreloadParts()
  private var batch = PreloadBatch()
  /// What is made of it.
  private var output = RecordBytes()
  /// When the first program began: its own first word is spoken once it is loaded.
  private(set) var released: UInt64 = 0
  /// Where a running program was asked to be recorded.
  let door: AgentDoor?
  var lastNudge: UInt64 = 0
  var hasToldRunning = false

  /// Among the registers of a stack.
  static let instruction = Int(lull_registers) == 33 ? 32 : 8
  static let stackPointer = Int(lull_registers) == 33 ? 31 : 7

  /// How often rings are looked at that are not half full, which programs say themselves.
  private static let interval: UInt64 = 50_000_000

  init(
    folder: PreloadFolder, door: AgentDoor?, options: RecordingOptions, processes: ProcessBook,
    root: Int32, own: [EventAttribute]
  ) {
    self.folder = folder
    self.door = door
    looks = OutsideSource(besideProgramsOf: root, options)
    takesChildren = options.takesChildren
    self.processes = processes
    self.root = root
    stackBytes = options.stackBytes
    repeats = EarlierStackWriter(.wait, own)
    writer = PreloadWriter(
      stackBytes: options.stackBytes, sampleInterval: options.sampleInterval)
    templates = RecordTemplates(writer)
    for process in door?.processes ?? [] {
      known[process.pid] = process
      seen.insert(process.pid)
      for tid in process.earlier.keys { _ = runDelays.since(pid: process.pid, tid: tid) }
    }
  }

  var attributes: [EventAttribute] {
    PreloadEvent.allCases.filter { !$0.isOfPrograms }.map { writer.attributes[$0.rawValue] }
  }

  var unavailable: [CaptureEvent.Unavailable] {
    let within = "recorded within the process"
    var list: [CaptureEvent.Unavailable] = [
      .init(
        .wakeups,
        "\(within): in what context a wake is made is known to the kernel alone; one that no thread made is taken for"
          + " an interrupt's, and its CPU for idle"),
      .init(.concurrency, "\(within): the Swift runtime's own functions are not looked at"),
      .init(
        .otherWaits,
        "\(within): waits for a CPU, for pages, and in calls that go past the C library's functions are known in sum,"
          + " by CPU times and schedstat, not when they were"),
      .init(
        .ioUring,
        "\(within): what is written by io_uring, Linux AIO (io_submit) or POSIX AIO is not seen, only that it is"
      ),
    ]
    if door != nil {
      list.append(
        .init(
          .wakeups,
          "recorded by the program itself: how many of its waits are not among its wakeups is counted only of programs"
            + " that Lull started"))
    }
    if let failure = folder.failure {
      list.append(
        .init(.processes, "\(within): which processes began is not known any longer: \(failure)"))
    }
    let unseen = strangers.names.filter { !looks.seen.contains($0.key) }
    if !unseen.isEmpty {
      let all = unseen.sorted { $0.key < $1.key }.map { "\($0.value) (\($0.key))" }
      let rest = all.count - PreloadStrangers.mostNamed
      let names = all.prefix(PreloadStrangers.mostNamed) + (rest > 0 ? ["\(rest) more"] : [])
      list.append(
        .init(
          .processes,
          "\(within): what \(names.joined(separator: ", ")) did is not seen: such a program is statically linked, of"
            + " another C library, runs with another user's rights, or was started without its parent's environment,"
            + " and ended before it was looked at, may not be looked into, or ran beside"
            + " \(OutsideSource.mostStrangers) others"
        ))
    }
    if !unseenStreams.isEmpty {
      list.append(
        .init(
          .disk,
          "\(within): this C library's streams (fwrite, printf) are not those that are known: what they write is"
            + " not seen (process \(Self.named(unseenStreams)))"))
    }
    for (pid, count) in waitCounts.sorted(by: { $0.key < $1.key }) {
      let (counted, told) = count
      list.append(
        .init(
          .wakeups,
          told < counted
            ? "\(within): of the \(counted) waits of process \(pid) \(counted - told) are not among its"
              + " wakeups: they took less than 20 µs, or were in no function that is known"
            : "\(within): of process \(pid) \(told - counted) wakeups more are told than the kernel"
              + " counted (\(counted)): calls that took long without a wait"))
    }
    if hasMoreWaitCounts {
      list.append(
        .init(.wakeups, "\(within): of more processes other waits are told than the kernel counted")
      )
    }
    for (state, processes) in unsampled.sorted(by: { $0.key < $1.key }) {
      guard let reason = Self.whyUnsampled(lull_sampling(state)) else { continue }
      list.append(
        .init(.cpuSamples, "\(within): \(reason) (process \(Self.named(processes)))"))
    }
    if !filtered.isEmpty {
      list.append(
        .init(
          .mainThread,
          "\(within): a filter over its system calls (seccomp) leaves a thread no call by which to tell what it does"
            + " from then on, what CPU time it uses, or what it reads of files"
            + " (process \(Self.named(filtered)))"))
    }
    if threadsWithoutRing > 0 {
      list.append(
        .init(
          .mainThread,
          "\(threadsWithoutRing) threads were not recorded: there was no memory for their rings"))
    }
    return list
  }

  static func named(_ pids: Set<Int32>) -> String {
    let first = pids.sorted().prefix(mostNamed).map(String.init).joined(separator: ", ")
    return pids.count > mostNamed ? "\(first) and \(pids.count - mostNamed) more" : first
  }

  private static func whyUnsampled(_ state: lull_sampling) -> String? {
    switch state {
    case lull_sampling_old_kernel:
      "before Linux 5.9 (on arm64 5.16) the signal of a timer on CPU time may end a call that waits"
    case lull_sampling_signal_taken:
      "the program has use for signal 47 itself, by which it would be sampled"
    case lull_sampling_filtered:
      "the program's filter over its system calls (seccomp) refuses what the timer's signal returns by"
    case lull_sampling_refused: "not all of its threads were given a timer on their CPU time"
    default: nil
    }
  }

  func descriptors(now: UInt64) -> [Int32] {
    folder.descriptors + known.values.map(\.pidfd).filter { $0 >= 0 }
  }

  func nextDue(now: UInt64) -> UInt64 {
    // What could not be listed is not told of again.
    if !known.isEmpty || folder.failure != nil { return lastCollection + Self.interval }
    return strangers.living.isEmpty ? .max : strangers.nextLook
  }

  func collect(_ round: Round) throws(PerfDataError) {
    lastCollection = round.now
    try tellResumptions(round)
    try tellRunning(round)
    nudge(now: round.now)
    // Who is over by now has written all that it ever will.
    let over = known.values.filter(\.isOver).map(\.pid)
    for path in folder.newSegments() { try begin(path, round) }
    for process in known.values.sorted(by: { $0.began < $1.began }) {
      try drain(process, round)
    }
    for pid in over { if let process = known[pid] { try end(process, round) } }
    try findStrangers(round)
    try functionNames.tellNew(of: writer.functions, pid: root, round)
  }

  /// Takes what there is in a process's rings.
  func drain(_ process: PreloadProcess, _ round: Round) throws(PerfDataError) {
    // Theirs alone for as long: to ask each time whether they are takes long.
    var batch = PreloadBatch()
    swap(&batch, &self.batch)
    var output = RecordBytes()
    swap(&output, &self.output)
    defer {
      batch.removeAll()
      output.removeAll()
      swap(&batch, &self.batch)
      swap(&output, &self.output)
    }
    // Before the rings: what opened a socket that is added to by then is in them.
    for (number, ring) in process.rings {
      for sum in process.sums.untold(of: ring, slot: number) {
        batch.append(sum, nil, slot: number)
      }
    }
    for (number, ring) in process.rings {
      let isSound = ring.drain { batch.append($0, $1, slot: number) }
      if !isSound { lostRecords += 1 }
    }
    batch.sort()
    process.stops.look(batch, now: round.now, among: known.count) { process.isStill }
    tellFoundSockets(of: process, batch, into: &output)
    noteWakes(batch, of: process)
    let outers = PreloadNesting.outers(of: batch, open: process.rings.map(\.ring.openCall))
    for (index, entry) in batch.enumerated() {
      process.lastTime = max(process.lastTime, entry.record.end)
      if !outers.isEmpty, let outer = outers[index] {
        tellInterrupted(outer, at: entry.record.start, of: process, slot: entry.slot, into: &output)
      }
      take(entry.record, entry.parts, of: process, slot: entry.slot, round, into: &output)
    }
    findMappings(of: process, round, into: &output)
    process.wakes.forget(before: process.lastTime)
    runDelays.endRound()
    try round.sink.append(output)
    let couldTell = process.queues.canTell
    for (event, time) in process.queues.found(in: process.pid, now: round.now) {
      try round.sink.append(event, pid: process.pid, time: time)
    }
    // In what was shared until now queues may be drained.
    if process.queues.canTell, !couldTell { process.forgetStacks() }
    for (event, time) in inherited { try round.sink.append(event, pid: process.pid, time: time) }
    inherited = []
    for mark in marks { try round.sink.append(mark.event, pid: mark.pid, time: mark.time) }
    marks = []
    let losses = process.newLosses()
    if losses > 0 {
      lostRecords += losses
      let place = PreloadWriter.Place(pid: process.pid, tid: process.pid, time: process.lastTime)
      try round.sink.append(writer.lost(losses, place))
    }
    if let asked = process.newlyAsked() {
      var payload = PreloadPayload(.signal, pid: process.pid)
      payload.add(asked.signal)
      payload.add([], padded: 24)
      payload.add(process.pid)
      payload.add(UInt64(0))
      let place = PreloadWriter.Place(pid: process.pid, tid: process.pid, time: asked.time)
      try round.sink.append(writer.sample(.signal, payload, place))
    }
    processes.noteHeld(process.heldBytes, by: process.pid)
    if let last = process.lastMemory {
      try processes.tellEnd(last.reading, of: process.pid, at: last.time, round)
      process.lastMemory = nil
    }
    look(at: process, now: round.now)
  }

  /// Tells the sockets that a running program had as its recording began. They were looked for a moment later: those
  /// that were opened in between are told by the calls that did.
  private func tellFoundSockets(
    of process: PreloadProcess, _ batch: PreloadBatch, into output: inout RecordBytes
  ) {
    guard let found = process.foundSockets else { return }
    process.foundSockets = nil
    sockets.had(batch.earlier(found), process.pid, at: released)
    for record in sockets.tellOpen(of: process.pid, at: released, writer) { output.append(record) }
  }

  /// Looks where threads wait that have waited for so long: what they wait for may never come.
  func look(
    at process: PreloadProcess, now: UInt64, patience: UInt64 = PreloadLook.patience
  ) {
    for (number, ring) in process.rings where ring.isTaken {
      let start = ring.openCall.start
      guard start > 0, now > start + patience, process.looks[number]?.start != start
      else { continue }
      let look = PreloadLook(ring, of: process.pid, since: start, stackBytes: Int(stackBytes))
      guard let look else { continue }
      process.note(look, slot: number)
      if let stack = look.stack { process.queues.note(stack, at: start) }
    }
  }

  func start(at time: UInt64) {
    released = time
    // What is told of them begins with the recording, and where they wait is found by the mappings that are told then.
    for process in known.values where process.isEarlier {
      process.earlier = process.earlier.mapValues { $0.began(at: time) }
      process.foundSockets = OpenSocket.all(of: process.pid)
    }
  }

  func stop() {
    folder.stop()
    door?.end()
  }

  func writeOut(_ round: Round) throws(PerfDataError) {
    try functionNames.tellAll(of: writer.functions, pid: root, round)
  }

  func remove(_ leftovers: Leftovers) { folder.remove() }

  var namedProcesses: Int { seen.count }

  func describe(_ summary: inout RecordingSummary) {
    summary.features.tracingData = PreloadEvent.tracingData
    summary.features.buildIDs = buildIDs.entries.sorted { $0.key < $1.key }
      .map { BuildIDEntry(path: $0.key, buildID: $0.value) }
    summary.capture.recordsLargeReads = true
    summary.capture.recordsSmallReads = unseenStreams.isEmpty
    summary.capture.scope = .process
    summary.capture.privilege +=
      door == nil ? ", recorded within the process" : ", recorded by the program itself (LullAgent)"
    summary.capture.recorder = CaptureEvent.processRecorder
    if !namesAsked.isEmpty {
      summary.capture.namesAsked = namesAsked.sorted { $0.key < $1.key }
        .map { .init(pid: Int($0.key), calls: $0.value) }
    }
    summary.capture.processesRecorded = seen.sorted().map(Int.init)
    // Of a program that Lull did not start nobody counts them.
    let missing = door == nil ? missesWaits : seen
    if !missing.isEmpty { summary.capture.missesWaits = missing.sorted().map(Int.init) }
  }
}
