import Files
import Glibc
import PerfData

/// Where one part of a recording ends and the next begins.
extension Recording {
  /// Ends the present part: all sources write what is known only then. Gives what is told of this part alone.
  func endPart(_ round: Round) throws(PerfDataError) -> RecordingSummary {
    // Before anything that takes time: a process may end meanwhile.
    standing.read(processes.living, &rings.drain.mappedBuildIDs)
    sink.latest = round.now
    defer { sink.latest = .max }
    for source in sources { try source.endPart(round) }
    var summary = summary(complete: true)
    let used = Recorder.usedCPUSeconds()
    summary.capture.overheadCPUSeconds = used - usedBefore
    usedBefore = used
    return summary
  }

  /// Begins the next part; gives the records that tell what stands, from the moment before the rings were last emptied:
  /// what comes out of them next is younger.
  func beginPart(at now: UInt64) throws(PerfDataError) -> [UInt8] {
    part += 1
    machine = Self.machine(options)
    let known = MemoryTarget()
    let sink = TraceSink(writer: known, synthetic: synthetic)
    try sink.append(summary(complete: false).capture, pid: subject.pid, time: now)
    try standing.write(at: now, id: sideBandID, to: sink)
    let round = Round(now: now, sink: sink)
    for source in sources { try source.beginPart(round) }
    try sink.flushWhole()
    let beginning = MemoryTarget()
    let first = TraceSink(writer: beginning, synthetic: synthetic)
    try first.append(
      PartEvent(number: part, standingRecords: RecordBuilder.count(known.bytes)), pid: subject.pid,
      time: now)
    try first.flushWhole()
    return beginning.bytes + known.bytes
  }

  /// Ends the present part's file and begins the next.
  func rotate(_ rotation: Rotation, _ round: Round) throws(PerfDataError) {
    guard let writer else { return }
    let finished = rotation.path(part)
    let summary = try endPart(round)
    for source in sources { try source.writeOut(round) }
    try sink.append(summary.capture, pid: subject.pid, time: round.now)
    try sink.append(RecordBuilder.finishedRound())
    try sink.flushWhole()
    try writer.finish(features: summary.features)
    let standing = try beginPart(at: round.now)
    let path = rotation.path(part)
    let next = try PerfDataWriter(
      path: path, attributes: attributes, features: self.summary(complete: false).features)
    InvokingUser.own(path)
    self.writer = next
    sink.redirect(to: next)
    try sink.append(standing)
    try sink.flushWhole()
    rotation.onPart(finished, heldFiles)
  }

  /// Ends the present part in memory and begins the next.
  func cut(_ memory: FlightMemory, _ round: Round) throws(PerfDataError) {
    let summary = try endPart(round)
    try sink.append(RecordBuilder.finishedRound())
    try sink.flushWhole()
    memory.beginPart(
      at: round.now, ending: summary.capture, standing: try beginPart(at: round.now))
  }

  /// The record of what is told by now of some parts in memory, of which this is the first.
  func description(since first: FlightMemory.Part, at now: UInt64) throws(PerfDataError) -> [UInt8]
  {
    var capture = summary(complete: false).capture
    if first.standing.isEmpty { capture.mode = mode }
    let target = MemoryTarget()
    let sink = TraceSink(writer: target, synthetic: synthetic)
    try sink.append(capture, pid: subject.pid, time: now)
    try sink.flushWhole()
    return target.bytes
  }

  /// Writes the parts in memory, all but the one that has just begun, to a file of their own.
  func write(
    _ memory: FlightMemory, because trigger: TriggerEvent, to path: String, now: UInt64
  ) throws(PerfDataError) {
    let parts = memory.ended
    guard let first = parts.first, var capture = first.capture else { return }
    for part in parts.dropFirst() {
      capture = part.capture.map { capture.merged(with: $0) } ?? capture
    }
    capture.mode = first.standing.isEmpty ? capture.mode : .attach
    var features = summary(complete: false).features
    features.sampleTime = nil
    let writer = try PerfDataWriter(path: path, attributes: attributes, features: features)
    InvokingUser.own(path)
    do throws(PerfDataError) {
      try writer.append(first.standing)
      for part in parts { for chunk in part.chunks { try writer.append(chunk) } }
      let sink = TraceSink(writer: writer, synthetic: synthetic)
      let round = Round(now: now, sink: sink)
      for source in sources { try source.writeOut(round) }
      let mark = MarkEvent(name: "flight recorder: " + trigger.condition, how: "flight")
      try sink.append(mark, pid: subject.pid, time: max(trigger.fromNs, first.began))
      try sink.append(trigger, pid: subject.pid, time: now)
      try sink.append(capture, pid: subject.pid, time: now)
      try sink.append(RecordBuilder.finishedRound())
      try sink.flushWhole()
      try writer.finish(features: features)
    } catch {
      unlink(path)
      throw error
    }
  }
}
