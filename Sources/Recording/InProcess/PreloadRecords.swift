import CPreloadRing
import PerfData

/// What is made of each record.
extension PreloadSource {
  func take(
    _ record: lull_record, _ parts: PreloadParts, of process: PreloadProcess, slot: Int,
    _ round: Round, into output: inout [[UInt8]]
  ) {
    let pid = process.pid
    switch UInt32(record.kind) {
    case lull_record_thread_begin.rawValue:
      let tid = Int32(truncatingIfNeeded: record.result)
      beginThread(tid, record, parts, of: process, slot: slot, round, into: &output)
    case lull_record_thread_end.rawValue:
      guard var thread = process.threads.removeValue(forKey: slot) else { return }
      defer { runDelays.forget(thread.tid) }
      // It may have been ended in a call.
      let meaning = CallMeaning(UInt32(truncatingIfNeeded: record.arguments.2), 0)
      let start = record.arguments.1
      let waits = thread.call(
        from: start > 0 ? start : record.end, to: record.end, meaning,
        processorTime: (record.arguments.0, nil))
      tellWaits(waits, of: meaning, parts, pid, thread.tid, into: &output)
      output.append(writer.exit(.init(pid: pid, tid: thread.tid, time: record.end), parent: pid))
    case lull_record_name.rawValue:
      guard let thread = process.threads[slot], let name = parts.path else { return }
      output.append(writer.comm(name, .init(pid: pid, tid: thread.tid, time: record.start)))
    case lull_record_mapping.rawValue:
      mapped(record, parts.path ?? "", pid, round, into: &output)
    case lull_record_process_end.rawValue: process.ended = record.end
    case lull_record_call.rawValue:
      guard var thread = process.threads[slot] else { return }
      call(record, parts, pid, &thread, round, into: &output)
      process.threads[slot] = thread
    default: break
    }
  }

  private func beginThread(
    _ tid: Int32, _ record: lull_record, _ parts: PreloadParts, of process: PreloadProcess,
    slot: Int, _ round: Round, into output: inout [[UInt8]]
  ) {
    let pid = process.pid
    let name = parts.path ?? ""
    let place = PreloadWriter.Place(pid: pid, tid: tid, time: record.start)
    if process.isToBeTold {
      process.isToBeTold = false
      var executed = place
      executed.time = process.programBegan ?? place.time
      output.append(writer.comm(name, isExec: true, executed))
      output.append(writer.switch(.arrived, executed))
      round.tell([.processExecuted(pid: pid, name: name, time: executed.time)])
    } else if tid != pid {
      output.append(writer.fork(from: (pid, pid), place))
      output.append(writer.comm(name, place))
    }
    output.append(writer.switch(.arrived, place))
    guard let began = process.programBegan, tid == pid else {
      _ = runDelays.since(pid: pid, tid: tid)
      process.threads[slot] = PreloadThread(
        tid: tid, began: record.start, processor: record.arguments.0)
      return
    }
    // It was loaded until now.
    process.programBegan = nil
    var thread = PreloadThread(tid: tid, began: began, processor: 0)
    let unseen = thread.read(record.arguments.0, at: record.start)
    tellWaits(
      [unseen].compactMap(\.self), of: nil, PreloadParts(stack: nil), pid, tid, into: &output)
    process.threads[slot] = thread
  }

  private func mapped(
    _ record: lull_record, _ path: String, _ pid: Int32, _ round: Round,
    into output: inout [[UInt8]]
  ) {
    if path.hasPrefix("/"), buildIDs[path] == nil {
      buildIDs[path] =
        BuildIDNote.read("/proc/\(pid)/root\(path)") ?? BuildIDNote.read(path) ?? []
    }
    let buildID = buildIDs[path].flatMap { $0.isEmpty ? nil : $0 }
    // PROT_READ | PROT_EXEC, MAP_PRIVATE.
    let mapping = MmapRecord(
      pid: pid, tid: pid, start: record.arguments.0, length: (record.arguments.1 + 4095) & ~4095,
      fileOffset: record.arguments.2, protection: 5, flags: 2,
      path: path.hasPrefix("/") ? path : "[vdso]", buildID: buildID)
    output.append(writer.mapping(mapping, time: record.start))
    if path.hasPrefix("/") { round.tell([.fileMapped(pid: pid, path: path)]) }
  }
}
