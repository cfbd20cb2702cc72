import Glibc
import PerfData

/// Programs that take no library, as those that are statically linked: of what they do nothing is told from within.
struct PreloadStrangers {
  /// One that may be about to make itself known, as soon as it is loaded.
  struct Doubt {
    var since: UInt64
    var name: String
    var parent: Int32
    /// What it is, since it may be over soon.
    var description: ProcessEvent?
  }

  var doubts: [Int32: Doubt] = [:]
  /// Those that did not, by what they are called.
  var names: [Int32: String] = [:]
  var living: Set<Int32> = []
  var nextLook: UInt64 = 0

  /// A program takes so long to be loaded at most.
  static let patience: UInt64 = 500_000_000
  static let interval: UInt64 = 100_000_000
  static let mostNamed = 8
  static let longest: UInt64 = 1_000_000_000

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
    guard door == nil, round.now >= strangers.nextLook else { return }
    let before = OutsidePace.ownTime
    let present = [root] + ProcessProbe.children(of: root)
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
      guard let doubt = strangers.doubts[pid] else {
        strangers.doubts[pid] = PreloadStrangers.Doubt(
          since: round.now, name: statistics.name, parent: statistics.parentPid,
          description: ProcessProbe.describe(pid: pid, kind: .exec))
        continue
      }
      if round.now - doubt.since >= PreloadStrangers.patience {
        try take(stranger: pid, doubt, isOver: false, round)
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
    let cost = OutsidePace.ownTime - before
    strangers.nextLook =
      round.now + min(max(PreloadStrangers.interval, cost * 100), PreloadStrangers.longest)
  }

  /// The recording ends: there is no time left for those that are in doubt.
  func endDoubts(_ round: Round) throws(PerfDataError) {
    for (pid, doubt) in strangers.doubts {
      try take(stranger: pid, doubt, isOver: true, round)
    }
  }

  func take(
    stranger pid: Int32, _ doubt: PreloadStrangers.Doubt, isOver: Bool, _ round: Round
  ) throws(PerfDataError) {
    strangers.doubts[pid] = nil
    strangers.names[pid] = doubt.name
    if let process = known[pid] {
      // What it did before it ran this program is known up to its last word.
      try drain(process, round)
      try leaveProgram(process, at: process.lastTime, round)
      let last = PreloadWriter.Place(pid: pid, tid: pid, time: process.lastTime)
      try round.sink.append(writer.switch(.left, last))
      known[pid] = nil
    }
    if seen.remove(pid) == nil {
      round.tell([.processBegan(pid: pid, parentPid: doubt.parent, time: doubt.since)])
    }
    let place = PreloadWriter.Place(pid: pid, tid: pid, time: doubt.since)
    try round.sink.append(writer.comm(doubt.name, place))
    // Who was told of an earlier program at that moment found this one.
    if var description = doubt.description {
      description.threads = nil
      try round.sink.append(description, pid: pid, time: doubt.since)
    }
    if isOver {
      round.tell([.processEnded(pid: pid, time: round.now)])
    } else {
      strangers.living.insert(pid)
    }
  }
}
