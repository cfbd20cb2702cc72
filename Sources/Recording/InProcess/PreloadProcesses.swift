import CPreloadRing
import Glibc
import PerfData

/// Processes as they begin, run other programs, and end.
extension PreloadSource {
  func begin(_ path: String, _ round: Round) throws(PerfDataError) {
    guard let segment = PreloadSegment(path: path) else { return }
    unlink(path)
    strangers.forget(segment.pid)
    looks.forget(stranger: segment.pid)
    if let door, door.strangers.contains(segment.pid) || door.strangers.contains(segment.parent) {
      door.strangers.insert(segment.pid)
      return
    }
    if !segment.seesStreams { unseenStreams.insert(segment.pid) }
    if let process = known[segment.pid], !segment.isProgram {
      process.segments.append(segment)
      return
    }
    let process = PreloadProcess(segment)
    if let before = known[segment.pid] {
      // The process runs another program: what the one before wrote is all there.
      try drain(before, round)
      // Of its sockets the next one tells which it has.
      process.isNextProgram = true
      try leaveProgram(
        before, at: before.leaving?.time ?? segment.began, keepsSockets: true, round)
      process.beginning = before.leaving.map { ($0.time, $0.use) }
    }
    if !segment.isProgram { process.program = known[segment.parent]?.program }
    // A process that ended may have had the same id.
    let isNew = known.updateValue(process, forKey: segment.pid) == nil
    let isUnseen = seen.insert(segment.pid).inserted
    guard isNew else { return }
    if segment.pid == root {
      if released < segment.began { process.beginning = (released, nil) }
      return
    }
    // It was loaded until now, and has run for so long at least.
    let before = min(segment.processorBefore ?? 0, segment.began)
    let began = isUnseen ? max(released, segment.began - before) : segment.began
    process.beginning = (began, nil)
    let place = PreloadWriter.Place(pid: segment.pid, tid: segment.pid, time: began)
    try round.sink.append(writer.fork(from: (segment.parent, segment.parent), place))
    // Who began it is gone already, as is a daemon's: it has its name from nobody.
    if known[segment.parent] == nil, let name = ProcessProbe.name(in: "/proc/\(segment.pid)") {
      process.program = ProcessProbe.executable(pid: segment.pid)
      try round.sink.append(writer.comm(name, place))
    }
    try round.sink.append(writer.switch(.arrived, place))
    sockets.forked(segment.pid, from: segment.parent, at: began)
    round.tell([.processBegan(pid: segment.pid, parentPid: segment.parent, time: began)])
  }

  /// The calls that threads were in when a process came to its end, and then its threads' ends.
  func leaveProgram(
    _ process: PreloadProcess, at time: UInt64, keepsSockets: Bool = false, _ round: Round
  ) throws(PerfDataError) {
    var output = RecordBytes()
    finishEarlier(of: process, at: time, into: &output)
    finishCalls(of: process, at: time, round, into: &output)
    for thread in process.threads.values where thread.tid != process.pid {
      output.append(
        writer.exit(.init(pid: process.pid, tid: thread.tid, time: time), parent: process.pid))
    }
    for thread in process.threads.values { runDelays.forget(thread.tid) }
    process.threads = SlotTable()
    noteUnrecorded(process)
    if !keepsSockets {
      sockets.keep(
        [], of: process.pid, .init(pid: process.pid, tid: process.pid, time: time), writer,
        into: &output)
    }
    try round.sink.append(output)
  }

  /// Takes in what a program that ends could not record.
  func noteUnrecorded(_ process: PreloadProcess) {
    threadsWithoutRing += process.segments.reduce(0) { $0 + $1.threadsWithoutRing }
    if let counted = process.voluntarySwitches {
      let told = process.toldWaits
      let difference = max(counted, told) - min(counted, told)
      if difference > Self.fewWaits, Double(difference) > Self.smallShare * Double(counted) {
        if told < counted { missesWaits.insert(process.pid) }
        if waitCounts.count < Self.mostNamed || waitCounts[process.pid] != nil {
          waitCounts[process.pid] = (counted, told)
        } else {
          hasMoreWaitCounts = true
        }
      }
    }
    noteFilter(process)
    guard let first = process.segments.first else { return }
    unsampled[first.sampling.rawValue, default: []].insert(process.pid)
  }

  func noteFilter(_ process: PreloadProcess) {
    if process.segments.first?.isFiltered == true { filtered.insert(process.pid) }
  }

  func end(_ process: PreloadProcess, _ round: Round) throws(PerfDataError) {
    // It ran another program by then, which never made itself known.
    if let doubt = strangers.doubts[process.pid] {
      return try take(stranger: process.pid, doubt, isOver: true, round)
    }
    // What it does as it ends comes after it said so.
    let time = max(process.ended ?? round.now, process.lastTime)
    if let leaving = process.leaving, process.ended == nil {
      // The same, and it ended before anyone looked.
      try leaveProgram(process, at: leaving.time, round)
      let last = PreloadWriter.Place(pid: process.pid, tid: process.pid, time: leaving.time)
      try round.sink.append(writer.switch(.left, last))
      seen.remove(process.pid)
      let name = process.program?.split(separator: "/").last ?? "another"
      strangers.names[process.pid] = "a program that \(name) ran"
    } else {
      try leaveProgram(process, at: time, round)
    }
    known[process.pid] = nil
    try round.sink.append(
      writer.exit(
        .init(pid: process.pid, tid: process.pid, time: time), parent: process.parent))
    round.tell([.processEnded(pid: process.pid, time: time)])
  }

  /// What the threads of a process were doing when they came to its end, or to the recording's.
  ///
  /// What is not written yet of calls that are repeated comes later, where the process goes on.
  func finishCalls(
    of process: PreloadProcess, at time: UInt64, goesOn: Bool = false, _ round: Round,
    into output: inout RecordBytes
  ) {
    for (number, ring) in process.rings {
      if !goesOn, let record = ring.openRecord {
        take(record, nil, of: process, slot: number, round, into: &output)
      }
      let call = ring.openCall
      guard ring.isTaken, let thread = process.threads[number] else { continue }
      if !goesOn, process.ended == nil {
        let until = call.start > 0 ? min(call.start, time) : time
        let look = [process.looks[number], process.outerLooks[number]].lazy.compactMap(\.self)
          .first { $0.start < until }
        tellSilence(of: thread, until: until, look, process, into: &output)
      }
      guard call.start > 0, time > call.start else { continue }
      let meaning = CallMeaning(call.number, 0)
      let (wait, _) = thread.call(from: call.start, to: time, meaning, use: nil)
      let look = process.looks[number].flatMap { $0.start == call.start ? $0 : nil }
      tellWait(
        wait, of: meaning, PreloadParts(stack: look?.stack), process, thread.tid,
        goOn: goesOn, into: &output)
    }
  }

  /// What a thread did last of a process that had no last word, as one that crashed, before a call in which it was.
  ///
  /// That may be a signal handler's, in the midst of a wait that did not end. Of what it did else nothing is known but
  /// that it did not run: it would have been sampled.
  private func tellSilence(
    of thread: PreloadThread, until time: UInt64, _ look: PreloadLook?,
    _ process: PreloadProcess, into output: inout RecordBytes
  ) {
    if let look, look.start >= thread.covered, look.start < time {
      let meaning = CallMeaning(look.number, 0)
      let (wait, _) = thread.call(from: look.start, to: time, meaning, use: nil)
      tellWait(
        wait, of: meaning, PreloadParts(stack: look.stack), process, thread.tid, into: &output)
    }
    guard process.segments.first?.sampling == lull_sampling_on else { return }
    tell(thread.silence(until: time), process, thread.tid, into: &output)
  }
}
