import PerfData

/// What is written of the times in which a thread is off its CPU.
extension PreloadSource {
  /// The thread leaves its CPU as the wait begins, and gets it again as it is over.
  func tellWaits(
    _ waits: [PreloadThread.Wait], of meaning: CallMeaning?, _ parts: PreloadParts, _ pid: Int32,
    _ tid: Int32, goOn: Bool = false, into output: inout RecordBytes
  ) {
    for wait in waits where wait.to > wait.from {
      if wait.isInvoluntary {
        tellUnseen(wait, pid, tid, into: &output)
        continue
      }
      let function = meaning.flatMap {
        parts.stack == nil && $0.needsStack ? nil : $0.function
      }
      // What works as well as it waits may as well be kept from it; to ask takes as long as a few microseconds.
      let isAsked =
        meaning?.onlyWaits == false && wait.to - wait.from >= PreloadThread.surelyWaited
      let queued = isAsked ? queued(in: wait, pid, tid, into: &output) : 0
      let goesOn = goOn && wait.to == waits.last?.to
      for piece in wait.pieces(from: wait.from + queued) {
        tell(
          from: piece.from, to: goesOn ? nil : piece.to, function, parts, pid, tid, into: &output)
      }
    }
  }

  /// What a reading of the thread's CPU time showed.
  func tell(
    _ reading: PreloadThread.Reading?, _ process: PreloadProcess, _ tid: Int32,
    into output: inout RecordBytes
  ) {
    guard let reading else { return }
    if let unseen = reading.unseen {
      tellUnseen(unseen, process.pid, tid, into: &output)
      if !unseen.isInvoluntary { process.toldWaits += 1 }
    }
    guard let brief = reading.brief else { return }
    let start = brief.within.lowerBound
    let queued = queued(
      in: .init(from: start, to: start + brief.length), process.pid, tid, into: &output)
    let room = brief.within.upperBound - start - queued
    let told = min(brief.count, PreloadThread.mostTimes, room / 4)
    guard told > 0 else { return }
    let length = max(1, min((brief.length - queued) / told, room / told - 1))
    for index in 0..<told {
      let from = start + queued + room / told * index
      tell(from: from, to: from + length, Self.unseenFunction, nil, process.pid, tid, into: &output)
    }
    process.toldWaits += told
  }

  /// What stands for the kernel's function where it is not known.
  private static let unseenFunction = "off_cpu_out_of_calls"

  /// Who did not go to sleep had no CPU. Else as much of it as the thread is known to have queued for one is that; of
  /// the rest nothing is known.
  private func tellUnseen(
    _ wait: PreloadThread.Wait, _ pid: Int32, _ tid: Int32, into output: inout RecordBytes
  ) {
    guard !wait.isInvoluntary else {
      templates.tell(.preempted, Place(pid: pid, tid: tid, time: wait.from), into: &output)
      templates.tell(.arrived, Place(pid: pid, tid: tid, time: wait.to), into: &output)
      return
    }
    let rest = wait.from + queued(in: wait, pid, tid, into: &output)
    guard rest < wait.to else { return }
    tell(from: rest, to: wait.to, Self.unseenFunction, nil, pid, tid, into: &output)
  }

  /// How long of it the thread was in the queue for a CPU, which is told first.
  private func queued(
    in wait: PreloadThread.Wait, _ pid: Int32, _ tid: Int32, into output: inout RecordBytes
  ) -> UInt64 {
    let queued = runDelays.take(upTo: wait.to - wait.from, pid: pid, tid: tid)
    guard queued > 0 else { return 0 }
    templates.tell(.preempted, Place(pid: pid, tid: tid, time: wait.from), into: &output)
    templates.tell(
      .arrived, Place(pid: pid, tid: tid, time: wait.from + queued), into: &output)
    return queued
  }

  private func tell(
    from start: UInt64, to end: UInt64?, _ function: String?,
    _ parts: PreloadParts?, _ pid: Int32, _ tid: Int32, into output: inout RecordBytes
  ) {
    let left = Place(pid: pid, tid: tid, time: start)
    let stack = parts?.stack
    let place = parts?.stackPlace.flatMap { stack == nil ? nil : $0 }
    if let place, let repeats,
      let told = known[pid]?.stacks.told(function, at: place, now: start)
    {
      repeats.tell(left, asAt: told, into: &output)
    } else if function != nil || stack != nil {
      if let place { known[pid]?.stacks.tell(function, at: place, now: start) }
      let payload = PreloadPayload(waiting: tid)
      let chain = writer.callchain(
        function, programAt: stack?.registers[PreloadSource.instruction])
      output.append(
        writer.sample(
          .scheduleSwitch, payload, left, callchain: chain,
          registers: stack?.registers ?? [], stack: stack?.bytes ?? []))
    }
    templates.tell(.left, left, into: &output)
    guard let end else { return }
    templates.tell(.arrived, Place(pid: pid, tid: tid, time: end), into: &output)
  }
}
