import CPreloadRing
import PerfData

/// Processes as they are seen from outside, by looking at their threads in /proc some hundred times a second: what can
/// be had of a program that runs already, or takes no library, where no event may be opened.
///
/// Nothing of it is stopped, and nothing is put into it.
final class OutsideSource: RecordingSource {
  let root: Int32
  let isWrapped: Bool
  /// Whether it is told what to look at: programs that take no library, beside those that are recorded from within.
  let isForStrangers: Bool
  /// Whether nothing else tells of switches, threads and mappings.
  let tellsAll: Bool
  private let samplesLeaveOutKernel: Bool
  /// What the kernel tells of programs that are looked at beside others; nil where that is nothing.
  var events: EventSet?
  /// The kernel's ids of these by the processes that they are of, and those of which they ever were.
  private var heard: [Int32: [UInt64]] = [:]
  private var everHeard: Set<Int32> = []
  private var isTellingLast = false
  var writer: OutsideWriter
  var processes: [Int32: OutsideProcess] = [:]
  var seen: Set<Int32> = []
  var strangers: Set<Int32> = []
  var pace = OutsidePace()
  var began: UInt64 = 0
  private var next: UInt64 = 0
  private var nextChildren: UInt64 = 0
  private var nextSwitches: UInt64 = 0
  var buildIDs = RecentTable<String, [UInt8]>(most: BuildIDNote.most)
  var mappedBuildIDs = MappedBuildIDs()
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
  var isMemoryForbidden = false
  var areCallsForbidden = false
  /// How often the root's threads waited, where the kernel's switches tell.
  var countedWaits: () -> UInt64? = { nil }
  /// Time in queues of threads that have ended, in nanoseconds.
  var endedQueued: UInt64 = 0
  /// How many of the program's threads were seen to end: what they waited since they were last asked is in no count.
  var endedThreads = 0
  /// What is told of processes that have ended, and what is of nobody.
  var untold = OutsideUntold()
  private var isFinished = false
  private var functionNames = FunctionNames()

  private static let childrenInterval: UInt64 = 100_000_000
  private static let switchesInterval: UInt64 = 1_000_000_000
  /// So many strangers are looked at at a time; more would make looks at each of them rare.
  static let mostStrangers = 16

  /// Beside events of which some may tell switches, so that this need not.
  init(of subject: RecordingSubject, _ options: RecordingOptions, beside events: EventSet) {
    root = subject.pid
    isForStrangers = false
    tellsAll = !events.tellsSwitches
    samplesLeaveOutKernel = events.samplesLeaveOutKernel
    writer = OutsideWriter(stackBytes: options.stackBytes)
    var children: [Int32] = []
    switch subject {
    case .command: isWrapped = true
    case .process(let process):
      isWrapped = false
      children = process.descendants
      if !options.takesChildren { strangers = Set(ProcessProbe.children(of: root)) }
    }
    for pid in [root] + children {
      let process = OutsideProcess(pid: pid, parent: 0, at: 0)
      if !isWrapped { process.findEarlier(stackBytes: writer.stackBytes) }
      processes[pid] = process
      seen.insert(pid)
    }
  }

  /// Beside programs that are recorded from within: looks at nothing until it is told to.
  init(besideProgramsOf root: Int32, _ options: RecordingOptions) {
    self.root = root
    (isWrapped, isForStrangers, tellsAll) = (true, true, true)
    samplesLeaveOutKernel = false
    writer = OutsideWriter(stackBytes: options.stackBytes, isSecond: true)
  }

  /// Looks at a program that takes no library, which runs since then at least; or just since then, where it is known
  /// how much CPU time its first thread had used, in nanoseconds.
  func begin(
    stranger pid: Int32, parent: Int32, at time: UInt64, knownToHaveUsed used: UInt64? = nil,
    _ round: Round
  ) throws(PerfDataError) {
    guard processes.count < Self.mostStrangers, ProcessProbe.isTraceable(pid: pid) else { return }
    let process = OutsideProcess(pid: pid, parent: parent, at: time)
    process.usedBefore = used
    processes[pid] = process
    // Its mappings come before its stacks.
    (next, nextChildren) = (0, 0)
    try hear(process, round)
  }

  /// Has the kernel tell of its switches from here on; what it did before is told by a look.
  private func hear(_ process: OutsideProcess, _ round: Round) throws(PerfDataError) {
    guard let events else { return }
    let least = ProcessProbe.threadIDs(pid: process.pid).count * events.cpus.count
    let ids = events.reopen(Array(events.events.indices), in: process.pid)
    // Each thread is to have all.
    guard least > 0, ids.count >= least * events.events.count else {
      return events.closeLater(ids)
    }
    heard[process.pid] = ids
    everHeard.insert(process.pid)
    var output = RecordBytes()
    let now = SystemInfo.monotonicNanoseconds()
    tellMappings(of: process, now: now, into: &output)
    isTellingLast = true
    look(at: process, now: now, into: &output)
    for task in process.tasks.values {
      guard let reading = task.files.reading(buffer) else { continue }
      write(task.thread.handsOver(at: reading), of: task, into: &output)
    }
    isTellingLast = false
    try round.sink.append(output)
  }

  /// It tells of itself from here on.
  func forget(stranger pid: Int32) {
    processes[pid] = nil
    if let ids = heard.removeValue(forKey: pid) { events?.closeLater(ids) }
  }

  /// Whether looks tell when a process's threads begin, switch and end.
  func tellsSwitches(of pid: Int32) -> Bool {
    tellsAll && (isTellingLast || heard[pid] == nil)
  }

  deinit { buffer.deallocate() }

  var attributes: [EventAttribute] { writer.attributes }

  func start(at time: UInt64) {
    began = time
    for process in processes.values {
      process.listed = time
      // What a running process has mapped is told as the recording begins.
      if !isWrapped { _ = process.newMappings(now: time) }
    }
  }

  func nextDue(now: UInt64) -> UInt64 { processes.isEmpty ? .max : next }

  func collect(_ round: Round) throws(PerfDataError) {
    guard !processes.isEmpty else { return pace.pauses() }
    guard round.now >= next || round.isLast else { return }
    let before = OutsidePace.ownTime
    let now = round.now
    var output = RecordBytes()
    if now >= nextChildren {
      nextChildren = now + Self.childrenInterval
      findChildren(round, into: &output)
      for process in processes.values {
        tellMappings(of: process, now: now, into: &output)
        for task in process.tasks.values { task.countSwitches() }
      }
    }
    for process in processes.values { look(at: process, now: now, into: &output) }
    if now >= nextSwitches {
      nextSwitches = now + Self.switchesInterval
      try tellSwitches(round)
    }
    try round.sink.append(output)
    try functionNames.tellNew(of: writer.functions, pid: root, round)
    pace.took(OutsidePace.ownTime - before, at: now)
    next = now + pace.interval
  }

  private func tellSwitches(_ round: Round) throws(PerfDataError) {
    guard let process = processes[root] else { return }
    let count =
      countedWaits()
      ?? process.tasks.values.reduce(process.endedSwitches) {
        $0 + $1.switches.last - $1.switches.first
      }
    try round.sink.append(
      CounterEvent(
        name: "voluntary context switches", value: Double(count), final: round.isLast),
      pid: root, time: round.now)
  }

  /// What is known of how often the threads of the program waited.
  private var waitsText: String {
    guard endedThreads > 0 else {
      return "how often they waited is counted (voluntary context switches)"
    }
    return
      "they waited at least as often as is counted (voluntary context switches): of threads that ended while it"
      + " was recorded (\(endedThreads) were seen to) it is known as of the last look alone"
  }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    if tellsAll {
      for task in processes.values.flatMap(\.tasks.values) where tellsSwitches(of: task.pid) {
        for step in task.thread.finish() {
          try round.sink.append(writer.switch(step, pid: task.pid, tid: task.tid))
        }
      }
    }
    try tellSwitches(round)
    if !isForStrangers {
      var end: WrappedCommand.End?
      if case .targetEnded(let found) = ending { end = found }
      untold.finish(Array(processes.values), end)
    }
    isFinished = true
    try functionNames.tellNew(of: writer.functions, pid: root, round)
  }

  func beginPart(_ round: Round) throws(PerfDataError) { try writeOut(round) }

  func writeOut(_ round: Round) throws(PerfDataError) {
    try functionNames.tellAll(of: writer.functions, pid: root, round)
  }

  /// How long the threads were in queues for a CPU, as far as looks tell.
  private var queuedText: String {
    let queued = processes.values.flatMap(\.tasks.values).reduce(endedQueued) {
      $0 + $1.thread.queued
    }
    return queued < 1_000_000 ? "under 1 ms" : "\(queued / 1_000_000) ms"
  }

  var unavailable: [CaptureEvent.Unavailable] {
    let outside = "looked at from outside"
    let gap = pace.usualGap.map { ", 19 of 20 looks at most \($0) ms after the one before" } ?? ""
    var list: [CaptureEvent.Unavailable] = []
    if isForStrangers {
      let distance =
        "the distance of two looks" + (isFinished ? " (\(pace.largest / 1_000_000) ms\(gap))" : "")
      func reason(_ pids: Set<Int32>, _ told: String) -> CaptureEvent.Unavailable {
        .init(
          .processes,
          "\(outside), beside what is recorded within the process: process \(PreloadSource.named(pids)), which takes no"
            + " library. \(told); wakeups, writes and traffic are not seen")
      }
      let unheard = seen.subtracting(everHeard)
      let heard = seen.intersection(everHeard)
      if !heard.isEmpty {
        list.append(
          reason(
            heard,
            "Of it every wait, CPU time, samples of running code and memory are told, from when it was found, by the"
              + " kernel's switches; of waits that are shorter than \(distance) not all have a cause and a function,"
              + " and what a thread waits for a CPU at the end of a wait is part of it"))
      }
      if !unheard.isEmpty {
        list.append(
          reason(
            unheard,
            "Of it waits that last, CPU time and memory are told, from when it was found; what is shorter than"
              + " \(distance) is known in sum"))
      }
      return list
    }
    // How far looks were apart is known at the end.
    if isFinished {
      list.append(
        .init(
          .otherWaits,
          tellsAll
            ? "\(outside): what is shorter than the distance of two looks (\(pace.largest / 1_000_000) ms\(gap)) is"
              + " known in sum, by CPU times and schedstat; when a wait began and ended is known to that distance"
            : "\(outside): when each wait began and ended is told by the kernel, by its switches; what a thread waits"
              + " for a CPU at the end of a wait is part of it (in all \(queuedText) in queues, by schedstat). Of waits"
              + " that are shorter than the distance of two looks (\(pace.largest / 1_000_000) ms\(gap)) not all have a"
              + " cause and a function"))
    }
    if let text = untold.text { list.append(.init(.processes, "\(outside): \(text)")) }
    if samplesLeaveOutKernel {
      list.append(
        .init(
          .cpuSamples,
          "of what the program does itself: what is done in the kernel for it has no stack"
            + " (kernel.perf_event_paranoid, CAP_PERFMON)"))
    }
    list.append(
      .init(
        .wakeups,
        "\(outside): who wakes its threads, and in what context, is known to the kernel alone; \(waitsText)"
      ))
    list.append(
      .init(
        .disk,
        "\(outside): system calls are not seen; what the process wrote in all is told by /proc/PID/io"
      ))
    if areCallsForbidden {
      list.append(
        .init(
          .callSites,
          "\(outside): which call a thread is in may not be asked (Yama, or another user's): waits are known by the"
            + " kernel's functions, without the program's"))
    } else if isMemoryForbidden {
      list.append(
        .init(.callSites, "\(outside): its memory may not be read, so waits have no functions"))
    }
    return list
  }

  var namedProcesses: Int { seen.count }

  func describe(_ summary: inout RecordingSummary) {
    summary.features.tracingData = PreloadEvent.tracingData
    let known = Set(summary.features.buildIDs.map(\.path))
    summary.features.buildIDs += buildIDs.entries.filter { !known.contains($0.key) }
      .sorted { $0.key < $1.key }.map { BuildIDEntry(path: $0.key, buildID: $0.value) }
    if isForStrangers {
      summary.capture.processesLookedAt = seen.isEmpty ? nil : seen.sorted().map(Int.init)
      if !seen.isEmpty, seen.isSubset(of: everHeard) { summary.capture.recordsSwitches = true }
      return
    }
    summary.capture.scope = .process
    // A baseline of the one is no measure for the other.
    summary.capture.privilege +=
      ", looked at from outside" + (tellsAll ? "" : " beside perf's switches")
    if !tellsAll { summary.capture.recordsSwitches = true }
    summary.capture.recorder = CaptureEvent.outsideRecorder
    summary.capture.processesRecorded = seen.sorted().map(Int.init)
  }
}
