import Files
import Glibc
import PerfData

/// Programs that take no library, as those that are statically linked: nothing tells from within what they do, so they
/// are looked at from outside.
struct PreloadStrangers {
  /// Those that may be about to make themselves known, as soon as they are loaded.
  var doubts: [Int32: SightedProgram] = [:]
  /// Those that did not, by what they are called.
  var names: [Int32: String] = [:]
  var living: Set<Int32> = []
  var nextLook: UInt64 = 0
  /// The parents of all processes as they were listed last, and until when that is believed: an id may be given to
  /// another.
  private var parents: [Int32: Int32] = [:]
  private var nextReading: UInt64 = 0
  /// Whether a program's file takes no library, as it was found to.
  private var refusals = RecentTable<FileIdentity, Bool>(most: 64)

  /// A program takes so long to be loaded at most.
  static let patience: UInt64 = 500_000_000
  static let interval: UInt64 = 100_000_000
  static let mostNamed = 8
  static let longest: UInt64 = 1_000_000_000
  /// What searches took of the CPU, in nanoseconds, and what they may beside a hundredth of the time: a program's first
  /// look, and each new file, take longest.
  var spent: UInt64 = 0
  static let allowance: UInt64 = 50_000_000

  /// Every descendant of a process, parents before their children.
  mutating func children(of pid: Int32, now: UInt64) -> [Int32] {
    if now >= nextReading {
      parents = [:]
      nextReading = now + Self.longest
    }
    return ProcessProbe.children(of: pid, knowing: &parents)
  }

  /// Whether its file tells that a program takes no library: no word of it is waited for.
  mutating func takesNone(_ pid: Int32, _ file: String) -> Bool {
    let running = "/proc/\(pid)/exe"
    guard let identity = FileIdentity(running) else { return false }
    if let known = refusals[identity] { return known }
    let isRefused = PreloadLibrary.refusal(ofProgram: running) != nil
    // It may have ended, or run another by then.
    guard KernelFile.link(running) == file else { return false }
    refusals[identity] = isRefused
    return isRefused
  }

  /// It takes the library after all.
  mutating func forget(_ pid: Int32) {
    doubts[pid] = nil
    names[pid] = nil
    living.remove(pid)
  }
}

extension PreloadSource {
  /// Looks at which programs the command and what it started run: those that are not heard of are said to be missing.
  func findStrangers(_ round: Round) throws(PerfDataError) {
    guard door == nil || takesChildren, round.now >= strangers.nextLook else { return }
    let before = OutsidePace.ownTime
    let present =
      [root] + strangers.children(of: root, now: round.now).filter { !isLeftOut($0) }
    // What was known and is no more has ended.
    for pid in present
    where strangers.names[pid] == nil && (known[pid] != nil || !seen.contains(pid)) {
      guard let statistics = ProcessStatistics(pid: pid), statistics.state != "Z" else { continue }
      // That of a program with another user's rights is not told.
      let program = ProcessProbe.executable(pid: pid)
      if program == nil, known[pid] != nil || errno != EACCES { continue }
      // A child that runs its parent's program yet is about to run another. What it runs itself it tells at first.
      let own = known[pid] ?? known[statistics.parentPid]
      if let own, own.program == nil || own.program == program {
        strangers.doubts[pid] = nil
        continue
      }
      guard let seen = sight(pid) else { continue }
      strangers.doubts[pid] = seen
      if round.now >= seen.since + PreloadStrangers.patience
        || strangers.takesNone(pid, seen.program.file)
      {
        try take(stranger: pid, seen, isOver: false, round)
      }
    }
    // It had time enough to make itself known.
    for (pid, doubt) in strangers.doubts where !present.contains(pid) {
      try take(stranger: pid, doubt, isOver: true, round)
    }
    for pid in strangers.living where !present.contains(pid) {
      strangers.living.remove(pid)
      round.tell([.processEnded(pid: pid, time: round.now)])
    }
    strangers.spent += OutsidePace.ownTime - before
    let isAwaited = known.values.contains { $0.leaving != nil }
    let most = PreloadStrangers.allowance + (round.now - min(released, round.now)) / 100
    strangers.nextLook =
      round.now
      + (isAwaited || strangers.spent <= most
        ? PreloadStrangers.interval : PreloadStrangers.longest)
  }

  /// Whether a child of a running program is not to be recorded.
  private func isLeftOut(_ pid: Int32) -> Bool { door?.strangers.contains(pid) == true }

  /// What a process runs, as it was first seen to. Beside an agent, and of a command that runs another program before
  /// its own is looked at, that is told as it is seen, and no sight is kept.
  private func sight(_ pid: Int32) -> SightedProgram? {
    if let seen = processes.sight(pid) { return seen }
    guard let program = RunningProgram(pid: pid),
      door != nil || strangers.takesNone(pid, program.file)
    else { return nil }
    if let doubt = strangers.doubts[pid], doubt.program == program { return doubt }
    return SightedProgram(program, pid: pid, at: SystemInfo.monotonicNanoseconds())
  }

  /// The recording ends: there is no time left for those that are in doubt.
  func endDoubts(_ round: Round) throws(PerfDataError) {
    for (pid, doubt) in strangers.doubts {
      try take(stranger: pid, doubt, isOver: true, round)
    }
  }

  func take(
    stranger pid: Int32, _ doubt: SightedProgram, isOver: Bool, _ round: Round
  ) throws(PerfDataError) {
    strangers.doubts[pid] = nil
    strangers.names[pid] = doubt.name
    var since = doubt.since
    var leaving: PreloadProcess.Leaving?
    if let process = known[pid] {
      // What it did before it ran this program is known up to its last word.
      try drain(process, round)
      leaving = process.leaving
      since = min(since, leaving?.time ?? since)
      try leaveProgram(process, at: process.lastTime, round)
      let last = PreloadWriter.Place(pid: pid, tid: pid, time: process.lastTime)
      try round.sink.append(writer.switch(.left, last))
      known[pid] = nil
    }
    if seen.remove(pid) == nil {
      round.tell([.processBegan(pid: pid, parentPid: doubt.parent, time: since)])
    }
    let place = PreloadWriter.Place(pid: pid, tid: pid, time: since)
    try round.sink.append(writer.comm(doubt.name, place))
    try processes.tellSighted(pid, notAfter: since, to: round.sink)
    if isOver {
      round.tell([.processEnded(pid: pid, time: round.now)])
    } else {
      strangers.living.insert(pid)
      try looks.begin(
        stranger: pid, parent: doubt.parent, at: since,
        knownToHaveUsed: leaving?.use?.processor, round)
    }
  }
}
