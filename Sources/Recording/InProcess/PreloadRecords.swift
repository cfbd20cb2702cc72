import CPreloadRing
import Files
import PerfData

/// What is made of each record.
extension PreloadSource {
  func take(
    _ record: lull_record, _ parts: PreloadParts?, of process: PreloadProcess, slot: Int,
    _ round: Round, into output: inout RecordBytes
  ) {
    let pid = process.pid
    let parts = findStack(of: record, parts, process, slot: slot)
    // It goes on: the other program was not to be had.
    if process.leaving?.slot == slot { process.leaving = nil }
    switch UInt32(record.kind) {
    case lull_record_thread_begin.rawValue:
      let tid = Int32(truncatingIfNeeded: record.result)
      beginThread(tid, record, parts, of: process, slot: slot, round, into: &output)
    case lull_record_thread_end.rawValue:
      guard let thread = process.threads.removeValue(at: slot) else { return }
      defer {
        runDelays.forget(thread.tid)
        process.stacks.forget(thread.tid)
      }
      // It may have been ended in a call.
      let meaning = CallMeaning(UInt32(truncatingIfNeeded: record.arguments.2), 0)
      let start = record.arguments.1
      let (wait, reading) = thread.call(
        from: start > 0 ? start : record.end, to: record.end, meaning,
        use: PreloadUse(told: record.arguments.0, waits: record.arguments.2 >> 32))
      tell(reading, process, thread.tid, into: &output)
      process.toldWaits += tellWait(
        wait, of: meaning, parts, process, thread.tid, into: &output)
      let end = Place(pid: pid, tid: thread.tid, time: record.end)
      // Of the first thread it would be the process's, as long as no other is known: one may be about to begin.
      if thread.tid == pid, process.threads.values.isEmpty {
        process.firstEnd = end
      } else {
        output.append(writer.exit(end, parent: pid))
      }
    case lull_record_name.rawValue:
      guard let thread = process.threads[slot], let name = parts.path else { return }
      output.append(writer.comm(name, .init(pid: pid, tid: thread.tid, time: record.start)))
    case lull_record_mapping.rawValue:
      process.mapped[record.arguments.0] = .some(nil)
      // That of the program itself comes first.
      if process.program == nil { process.program = parts.path }
      mapped(record, parts.path ?? "", pid, round, into: &output)
    case lull_record_memory.rawValue:
      process.lastMemory = Self.memory(parts.path ?? "").map { ($0, record.end) }
    case lull_record_waiting.rawValue:
      let (tid, start) = (Int32(truncatingIfNeeded: record.arguments.0), record.arguments.1)
      // It may have gone on since then.
      let waiting = process.rings.first {
        $0.ring.isTaken && $0.ring.tid == tid && $0.ring.openCall.start == start
      }
      guard let waiting, let stack = parts.stack else { return }
      process.note(PreloadLook(waiting.ring.openCall, stack: stack), slot: waiting.number)
    case lull_record_descriptor.rawValue:
      tellDescriptor(record, parts.path ?? "", of: process)
    case lull_record_inherited.rawValue:
      tellInherited(record, parts.path, of: process, round, into: &output)
    case lull_record_process_end.rawValue:
      process.ended = record.end
      // Of one that ran before they are those of that time too.
      if !process.isEarlier, record.arguments.1 != .max {
        process.voluntarySwitches = record.arguments.1
      }
    case lull_record_program_end.rawValue:
      let use = PreloadUse(told: record.arguments.0, waits: record.arguments.1)
      process.leaving = (record.start, use, slot)
      // It may be one that takes no library.
      strangers.nextLook = 0
      guard let use, let thread = process.threads[slot] else { return }
      tell(thread.read(use, at: record.start), process, thread.tid, into: &output)
    case lull_record_mark.rawValue:
      guard let thread = process.threads[slot], let name = parts.path else { return }
      guard let kind = Self.markKinds[record.arguments.0] else {
        var payload = PreloadPayload(.runnerLine, pid: thread.tid)
        payload.add(texts: [name])
        let place = PreloadWriter.Place(pid: pid, tid: thread.tid, time: record.end)
        return output.append(writer.sample(.runnerLine, payload, place))
      }
      let mark = MarkEvent(
        name: name, kind: kind, how: "library",
        identifier: kind == .mark ? nil : record.arguments.1, tid: Int(thread.tid))
      marks.append((mark, pid, record.end))
    case lull_record_sample.rawValue:
      guard let thread = process.threads[slot], let stack = parts.stack else { return }
      if let use = parts.use {
        tell(thread.read(use, at: record.end), process, thread.tid, into: &output)
      }
      output.append(
        writer.processorSample(stack, .init(pid: pid, tid: thread.tid, time: record.end)))
    case lull_record_call.rawValue:
      guard let thread = process.threads[slot] else { return }
      tellHandedOn(before: record, by: thread.tid, pid, into: &output)
      call(record, parts, of: process, thread, round, into: &output)
    case lull_record_interrupted.rawValue:
      guard let thread = process.threads[slot] else { return }
      tellHandedOn(before: record, by: thread.tid, pid, into: &output)
      let wait = tellWait(in: record, parts, of: process, thread, into: &output)
      tellSender(of: record, waited: wait, process, thread, into: &output)
    case lull_record_sum.rawValue:
      let sum = process.sums.take(record, slot: slot)
      let place = Place(pid: pid, tid: process.threads[slot]?.tid ?? pid, time: record.end)
      if UInt32(record.descriptor_kind) == lull_descriptor_file.rawValue {
        reads(sum, place, into: &output)
      } else {
        sockets.carried(
          sum, UInt32(record.descriptor_kind), place, writer, templates, into: &output)
      }
    default: break
    }
  }

  /// What /proc told a process of itself.
  private static func memory(_ text: String) -> FootprintSample? {
    // Nothing is before the first.
    let files = Array(text.utf8).split(
      separator: UInt8(lull_file_begins), omittingEmptySubsequences: false)
    guard files.count == 4, var reading = FootprintSample(status: files[2]),
      reading.takeStatistics(files[3])
    else { return nil }
    reading.takeTransfers(files[1])
    return reading
  }

  /// Takes in a stack that was written, or finds that of the record's number.
  private func findStack(
    of record: lull_record, _ parts: PreloadParts?, _ process: PreloadProcess, slot: Int
  ) -> PreloadParts {
    let place = record.stack > 0 ? PreloadStacks.Place(slot: slot, number: record.stack) : nil
    if let parts, let stack = parts.stack {
      process.hasNewStack = true
      // By the same functions another queue may be drained.
      let isShared = !process.queues.note(stack, at: record.start)
      guard let place else { return parts }
      process.stacks.note(stack, isShared: isShared, at: place)
      process.share(place, isShared)
      parts.stackPlace = place
      return parts
    }
    guard let place, let earlier = process.stacks.parts(at: place) else { return parts ?? noParts }
    guard let parts else { return earlier }
    parts.takeStack(of: earlier)
    return parts
  }

  private static let markKinds: [UInt64: MarkEvent.Kind] = [0: .mark, 1: .begin, 2: .end]

  private func beginThread(
    _ tid: Int32, _ record: lull_record, _ parts: PreloadParts, of process: PreloadProcess,
    slot: Int, _ round: Round, into output: inout RecordBytes
  ) {
    let pid = process.pid
    process.stacks.forget(slot: slot)
    let name = parts.path ?? ""
    // What the first thread did before its first word is known: the program was being loaded.
    let beginning = tid == pid ? process.beginning : nil
    let place = PreloadWriter.Place(pid: pid, tid: tid, time: beginning?.time ?? record.start)
    if let earlier = process.earlier.removeValue(forKey: tid) {
      process.threads[slot] = earlier.thread
      return
    }
    if process.isToBeTold {
      process.isToBeTold = false
      output.append(writer.comm(name, isExec: true, place))
      round.tell([.processExecuted(pid: pid, name: name, time: place.time)])
    } else if tid != pid {
      var began = place
      if let end = process.firstEnd { began.time = min(began.time, end.time - 1) }
      output.append(writer.fork(from: (pid, pid), began))
      output.append(writer.comm(name, began))
      if let end = process.firstEnd { output.append(writer.exit(end, parent: pid)) }
      process.firstEnd = nil
    }
    output.append(writer.switch(.arrived, place))
    let now =
      PreloadUse(told: record.arguments.0, waits: record.arguments.1)
      ?? PreloadUse(processor: 0, waits: 0)
    // What it waits in queues for a CPU from now on is its waits'.
    defer { _ = runDelays.since(pid: pid, tid: tid) }
    guard let beginning else {
      process.threads[slot] = PreloadThread(
        tid: tid, began: place.time, processor: now.processor, waits: now.waits)
      return
    }
    process.beginning = nil
    // How often a new process slept since it began is not known, but whether it did.
    let before = beginning.use ?? PreloadUse(processor: 0, waits: now.waits > 0 ? now.waits - 1 : 0)
    let thread = PreloadThread(
      tid: tid, began: place.time, processor: before.processor, waits: before.waits)
    var reading = thread.read(now, at: record.start)
    if beginning.use == nil { reading?.brief = nil }
    tell(reading, process, tid, into: &output)
    process.threads[slot] = thread
  }

  private func mapped(
    _ record: lull_record, _ path: String, _ pid: Int32, _ round: Round,
    into output: inout RecordBytes
  ) {
    // PROT_READ | PROT_EXEC, MAP_PRIVATE.
    var mapping = MmapRecord(
      pid: pid, tid: pid, start: record.arguments.0, length: (record.arguments.1 + 4095) & ~4095,
      fileOffset: record.arguments.2, protection: 5, flags: 2,
      path: path.hasPrefix("/") ? path : "[vdso]")
    if path.hasPrefix("/") {
      mapping.inode = (FileIdentity("/proc/\(pid)/root\(path)") ?? FileIdentity(path))?.inode
      tellFile(of: &mapping, at: record.start, round)
    }
    output.append(writer.mapping(mapping, time: record.start))
  }

  /// A file that is mapped: which one it is.
  private func tellFile(of mapping: inout MmapRecord, at time: UInt64, _ round: Round) {
    mapping.buildID = mappedBuildIDs.of(mapping)
    buildIDs[mapping.path] = mapping.buildID
    round.tell([
      .fileMapped(
        pid: mapping.pid, path: mapping.path, inode: mapping.buildID == nil ? mapping.inode : nil,
        time: time)
    ])
  }

  /// What a program loads as it runs is found in /proc, where it has stacks that may need it.
  func findMappings(of process: PreloadProcess, _ round: Round, into output: inout RecordBytes) {
    guard process.hasNewStack, round.now >= process.lastMaps + process.mapsInterval else { return }
    let mappings = ProcessMaps.executable(pid: process.pid)
    // Where one was taken away another may come.
    let before = process.mapped
    if !mappings.isEmpty { process.mapped = [:] }
    process.mapsInterval = min(2 * process.mapsInterval, Self.longestMapsInterval)
    for mapping in mappings {
      process.mapped[mapping.start] = .some(mapping.inode)
      // Of what the program told itself the number is not known.
      if let known = before[mapping.start], known == nil || known == mapping.inode { continue }
      process.mapsInterval = PreloadProcess.shortestMapsInterval
      var mapping = mapping
      if mapping.path.hasPrefix("/"), !mapping.path.hasPrefix("//") {
        tellFile(of: &mapping, at: round.now, round)
      }
      output.append(writer.mapping(mapping, time: process.lastMaps))
    }
    (process.hasNewStack, process.lastMaps) = (false, round.now)
  }

  /// How often mappings are looked for in a program that has long loaded nothing.
  private static let longestMapsInterval: UInt64 = 1_000_000_000
}
