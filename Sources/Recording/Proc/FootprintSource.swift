import PerfData

/// Footprints as a source: what the recorded processes hold in memory, read at intervals.
final class FootprintSource: RecordingSource {
  private let processes: ProcessBook

  init(of processes: ProcessBook) { self.processes = processes }

  func nextDue(now: UInt64) -> UInt64 { processes.nextSample }

  func collect(_ round: Round) throws(PerfDataError) {
    try processes.sample(round)
  }

  func endPart(_ round: Round) throws(PerfDataError) { try processes.sample(all: true, round) }

  func beginPart(_ round: Round) throws(PerfDataError) { try processes.sample(all: true, round) }

  /// The last reading, before the end of the first process is told.
  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    try processes.sample(all: true, round)
    try processes.tellAllSighted(to: round.sink)
    if case .targetEnded(let known) = ending {
      try processes.endRoot(known, now: round.now, to: round.sink)
    }
  }
}
