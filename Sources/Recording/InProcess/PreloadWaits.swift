import CPreloadRing
import PerfData

/// What is written of the times in which a thread is off its CPU.
extension PreloadSource {
  /// What a thread waited in a call, and what was read of its CPU time then.
  func tellWait(
    in record: lull_record, _ parts: PreloadParts, of process: PreloadProcess,
    _ thread: PreloadThread, into output: inout RecordBytes
  ) -> PreloadThread.Wait? {
    let meaning = CallMeaning(record)
    let (wait, reading) = thread.call(from: record.start, to: record.end, meaning, use: parts.use)
    tell(reading, process, thread.tid, into: &output)
    let told = tellWait(wait, of: meaning, parts, process, thread.tid, into: &output)
    process.toldWaits += told
    if let wait, told == 0, !wait.isInvoluntary, parts.use == nil { thread.takeBackWait() }
    return wait
  }

  /// The thread leaves its CPU as the wait begins, and gets it again as it is over, or, where it goes on, later. Gives
  /// how often it is told to have gone to sleep.
  @discardableResult func tellWait(
    _ wait: PreloadThread.Wait?, of meaning: CallMeaning?, _ parts: PreloadParts,
    _ process: PreloadProcess, _ tid: Int32, goOn: Bool = false, into output: inout RecordBytes
  ) -> UInt64 {
    guard let wait, wait.to > wait.from else { return 0 }
    if wait.keptBefore > 0 {
      let kept = PreloadThread.Wait(
        from: wait.from - wait.keptBefore, to: wait.from, isInvoluntary: true)
      tellUnseen(kept, process, tid, into: &output)
    }
    if wait.isInvoluntary {
      tellUnseen(wait, process, tid, into: &output)
      return 0
    }
    if wait.times == nil, let stop = process.stops.within(wait.from, wait.to).first {
      // It goes on to wait once it is let go.
      let before = PreloadThread.Wait(from: wait.from, to: stop.lowerBound)
      tellWait(before, of: meaning, parts, process, tid, into: &output)
      tellStopped(from: stop.lowerBound, to: stop.upperBound, process, tid, into: &output)
      let rest = PreloadThread.Wait(from: stop.upperBound + 1, to: wait.to)
      tellWait(rest, of: meaning, parts, process, tid, goOn: goOn, into: &output)
      return 1
    }
    let function = meaning.flatMap { parts.stack == nil && $0.needsStack ? nil : $0.function }
    // What works as well as it waits may as well be kept from it; to ask takes as long as a few microseconds.
    let isAsked =
      meaning?.onlyWaits == false && wait.to - wait.from >= PreloadThread.surelyWaited
    let queued = isAsked ? queued(in: wait, process.pid, tid, into: &output) : 0
    var told: UInt64 = 0
    wait.forEachPiece(from: wait.from + queued) { from, to in
      tell(
        from: from, to: goOn ? nil : to, function, parts, process, tid, into: &output)
      told += 1
    }
    return told
  }

  /// What a reading of the thread's CPU time showed.
  func tell(
    _ reading: PreloadThread.Reading?, _ process: PreloadProcess, _ tid: Int32,
    into output: inout RecordBytes
  ) {
    guard let reading else { return }
    if let unseen = reading.unseen {
      let isTold = tellUnseen(unseen, process, tid, into: &output)
      if isTold, !unseen.isLikelyInvoluntary { process.toldWaits += 1 }
    }
    guard let brief = reading.brief else { return }
    let start = brief.within.lowerBound
    let sleeps = min(brief.count, PreloadThread.mostTimes)
    let wait = PreloadThread.Wait(
      from: start, to: start + brief.length, leastSleeps: sleeps)
    let queued = queued(in: wait, process.pid, tid, into: &output)
    let room = brief.within.upperBound - start - queued
    let told = min(sleeps, room / 4)
    guard told > 0 else { return }
    let length = max(1, min((brief.length - queued) / told, room / told - 1))
    for index in 0..<told {
      let from = start + queued + room / told * index
      tellUnseen(from: from, to: from + length, process, tid, into: &output)
    }
    process.toldWaits += told
  }

  /// What stands for the kernel's function where it is not known.
  private static let unseenFunction = "off_cpu_out_of_calls"

  /// Who did not go to sleep had no CPU. Else as much of it as the thread is known to have queued for one is that, or
  /// all of it where that is likely and nothing tells; of the rest nothing is known. Gives whether there was a rest.
  @discardableResult private func tellUnseen(
    _ wait: PreloadThread.Wait, _ process: PreloadProcess, _ tid: Int32,
    into output: inout RecordBytes
  ) -> Bool {
    let pid = process.pid
    let stops = process.stops.within(wait.from, wait.to)
    if let stop = stops.first {
      let still = stops.reduce(0) { $0 + UInt64($1.count) }
      // What it was not in the queue for a CPU it stood still, where that was not much longer than was seen.
      guard wait.to - wait.from > still + PreloadStops.uncertainty else {
        let start = wait.from + queued(in: wait, pid, tid, into: &output)
        if start < wait.to { tellStopped(from: start, to: wait.to, process, tid, into: &output) }
        return start < wait.to
      }
      var (before, rest) = (wait, wait)
      (before.to, rest.from) = (stop.lowerBound, stop.upperBound + 1)
      if before.from < before.to { tellUnseen(before, process, tid, into: &output) }
      tellStopped(from: stop.lowerBound, to: stop.upperBound, process, tid, into: &output)
      if rest.from < rest.to { tellUnseen(rest, process, tid, into: &output) }
      return true
    }
    let rest = wait.from + queued(in: wait, pid, tid, into: &output)
    guard rest < wait.to else { return false }
    tellUnseen(from: rest, to: wait.to, process, tid, into: &output)
    return true
  }

  /// There may be many of a thread, which are all alike.
  private func tellUnseen(
    from start: UInt64, to end: UInt64, _ process: PreloadProcess, _ tid: Int32,
    into output: inout RecordBytes
  ) {
    let left = Place(pid: process.pid, tid: tid, time: start)
    if let repeats, let told = process.stacks.toldWithoutStack(of: tid, now: start) {
      repeats.tell(left, asAt: told, into: &output)
    } else {
      process.stacks.tellWithoutStack(of: tid, now: start)
      tellWhole(left, Self.unseenFunction, nil, into: &output)
    }
    tellOff(left, until: end, into: &output)
  }

  /// A virtual machine has no CPU for as long at most as its host runs another, a choice.
  private static let longestTaken: UInt64 = 10_000_000

  /// How long of it the thread was in the queue for a CPU, which is told first.
  private func queued(
    in wait: PreloadThread.Wait, _ pid: Int32, _ tid: Int32, into output: inout RecordBytes
  ) -> UInt64 {
    let length = wait.to - wait.from
    let known =
      wait.isInvoluntary
      ? length : runDelays.take(upTo: wait.longestQueue, pid: pid, tid: tid)
    var queued = known ?? 0
    // The machine's host takes its CPU away as well, which no queue tells.
    if wait.isLikelyInvoluntary, length - queued < Self.longestTaken || known == nil {
      queued = length
    }
    guard queued > 0 else { return 0 }
    templates.tell(.preempted, Place(pid: pid, tid: tid, time: wait.from), into: &output)
    templates.tell(
      .arrived, Place(pid: pid, tid: tid, time: wait.from + queued), into: &output)
    return queued
  }

  private func tell(
    from start: UInt64, to end: UInt64?, _ function: String?,
    _ parts: PreloadParts, _ process: PreloadProcess, _ tid: Int32, into output: inout RecordBytes
  ) {
    let left = Place(pid: process.pid, tid: tid, time: start)
    let place = parts.stack == nil ? nil : parts.stackPlace
    if let place, let repeats,
      let told = process.stacks.told(function, at: place, now: start)
    {
      repeats.tell(left, asAt: told, into: &output)
    } else if function != nil || parts.stack != nil {
      if let place { process.stacks.tell(function, at: place, now: start) }
      tellWhole(left, function, parts.stack, into: &output)
    }
    tellOff(left, until: end, into: &output)
  }

  func tellWhole(
    _ left: Place, _ function: String?, _ stack: PreloadStacks.Stack?,
    into output: inout RecordBytes
  ) {
    let chain = writer.callchain(
      function, programAt: stack?.registers[PreloadSource.instruction])
    output.append(
      writer.sample(
        .scheduleSwitch, PreloadPayload(waiting: left.tid), left, callchain: chain,
        registers: stack?.registers ?? [], stack: stack?.bytes ?? []))
  }

  func tellOff(_ left: Place, until end: UInt64?, into output: inout RecordBytes) {
    templates.tell(.left, left, into: &output)
    guard let end else { return }
    templates.tell(.arrived, Place(pid: left.pid, tid: left.tid, time: end), into: &output)
  }
}
