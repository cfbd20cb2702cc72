import CPreloadRing
import Glibc
import PerfData

/// Where the recording of what programs tell of themselves, or a part of it, ends and begins.
extension PreloadSource {
  /// What threads wait for is told as far as the part goes; the next one has the rest.
  func endPart(_ round: Round) throws(PerfDataError) {
    try tellResumptions(round)
    for process in known.values {
      try drainSettled(process, round)
      let time = SystemInfo.monotonicNanoseconds()
      // However short it is by now: of what is told in two parts each tells where.
      look(at: process, now: time, patience: 0)
      try finishCalls(of: process, at: time, goesOn: true, round)
    }
    // Here too: a wait may be told for the first time by this, and whoever looks for hangs reads parts without what
    // the next one begins with.
    try functionNames.tellNew(of: writer.functions, pid: root, round)
  }

  /// How often rings are emptied at most until their threads stay where they are.
  private static let mostDrains = 4

  /// Empties a process's rings until none of its threads went on meanwhile, so that what they are in then follows what
  /// is told: the first time may take as long as they sleep.
  private func drainSettled(_ process: PreloadProcess, _ round: Round) throws(PerfDataError) {
    for _ in 0..<Self.mostDrains {
      let before = process.rings.map(\.ring.openCall.start)
      try drain(process, round)
      if process.rings.map(\.ring.openCall.start) == before { return }
    }
  }

  private func finishCalls(
    of process: PreloadProcess, at time: UInt64, goesOn: Bool, _ round: Round
  ) throws(PerfDataError) {
    var output = RecordBytes()
    finishEarlier(of: process, at: time, goesOn: goesOn, into: &output)
    finishCalls(of: process, at: time, goesOn: goesOn, round, into: &output)
    noteUnrecorded(process)
    try round.sink.append(output)
  }

  /// The waits that went on as the part before ended begin anew.
  func tellResumptions(_ round: Round) throws(PerfDataError) {
    for record in resumptions { try round.sink.append(record) }
    resumptions = []
  }

  func beginPart(_ round: Round) throws(PerfDataError) {
    seen = Set(known.keys)
    for record in sockets.tellOpen(at: round.now, writer) { try round.sink.append(record) }
    for process in known.values {
      process.queues.beginPart()
      process.stacks.beginPart()
      for thread in process.threads.values + process.earlier.values.map(\.thread) {
        // What it waits for since then is told with that moment.
        let place = PreloadWriter.Place(
          pid: process.pid, tid: thread.tid, time: max(round.now &- 1, thread.covered))
        resumptions.append(writer.switch(.arrived, place))
      }
    }
    try writeOut(round)
  }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    try tellResumptions(round)
    try endDoubts(round)
    for process in known.values {
      try drainSettled(process, round)
      look(at: process, now: round.now, patience: 0)
      try finishCalls(of: process, at: round.now, goesOn: false, round)
      threadsWithoutRing += process.segments.reduce(0) { $0 + $1.threadsWithoutRing }
      noteFilter(process)
    }
    try functionNames.tellNew(of: writer.functions, pid: root, round)
  }
}
