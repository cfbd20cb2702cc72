import CPreloadRing
import Glibc
import PerfData

/// What is written of a call.
extension PreloadSource {
  typealias Place = PreloadWriter.Place

  func call(
    _ record: lull_record, _ parts: PreloadParts, of process: PreloadProcess,
    _ thread: PreloadThread, _ round: Round, into output: inout RecordBytes
  ) {
    // Of several in a row none waited.
    if record.repeats == 0 {
      let wait = tellWait(in: record, parts, of: process, thread, into: &output)
      tellWaker(of: record, waited: wait, process, thread, into: &output)
    }
    if record.number == lull_number_names.rawValue, Self.asked(parts) {
      namesAsked[process.pid, default: 0] += 1
    }
    let place = Place(pid: process.pid, tid: thread.tid, time: record.end)
    tellFile(record, parts, place, round, into: &output)
    if PreloadSockets.concerns(record) {
      sockets.call(record, parts, place, writer, templates, into: &output)
    }
  }

  /// Whether a call for a name asked another process or machine for it: who reads files alone does not sleep. Where
  /// that is not known it may have.
  private static func asked(_ parts: PreloadParts) -> Bool {
    guard let use = parts.use, let before = use.waitsBefore else { return true }
    return use.waits != before
  }

  private func tellFile(
    _ record: lull_record, _ parts: PreloadParts, _ place: Place, _ round: Round,
    into output: inout RecordBytes
  ) {
    typealias Number = CallMeaning.Number
    var before = place
    before.time = record.start
    tellPaths(record, parts, place, before, round, into: &output)
    guard tells(record) else {
      if record.number == Number.mmap, record.result >= 0 { tellMapping(record, before, &output) }
      return
    }
    if record.number == Number.fsync || record.number == Number.fdatasync {
      let event: PreloadEvent = record.number == Number.fsync ? .fsync : .fdatasync
      var payload = PreloadPayload(event, pid: place.tid)
      payload.add(UInt64(record.number))
      payload.add(record.arguments.0)
      output.append(writer.sample(event, payload, before))
    }
    let call = systemCall(record)
    tell(
      call, fourth: record.arguments.2, standingFor: UInt64(record.repeats) + 1, place,
      into: &output)
    if SystemCallFilter.fileWrites.contains(call.number) || Self.isOfFile(record),
      let stack = parts.ownStack
    {
      var payload = PreloadPayload(.systemCallStack, pid: place.tid)
      payload.add(call.number)
      payload.add(call.result)
      output.append(
        writer.sample(
          .systemCallStack, payload, place,
          callchain: writer.callchain(nil, programAt: stack.registers[PreloadSource.instruction]),
          registers: stack.registers, stack: stack.bytes))
    }
    if SystemCallFilter.directoryChanges.contains(call.number), let folder = parts.path {
      // After the call's own end, by which it is not known where the process works.
      round.tell([.moved(pid: place.pid, folder: folder, time: place.time + 1)])
    } else if SystemCallFilter.matters(call.number) {
      round.tell([.systemCall(pid: place.pid, tid: place.tid, time: place.time, call: call)])
    }
  }

  /// What goes to these is told as transfers and wakes, of which there may be very many, and is in no file.
  private static let withoutFile: Set<UInt32> = [
    lull_descriptor_tcp.rawValue, lull_descriptor_udp.rawValue, lull_descriptor_event.rawValue,
  ]

  /// Whether the trace is to hold the call, as a recording by perf would.
  private func tells(_ record: lull_record) -> Bool {
    let number = Int(record.number)
    if CallMeaning.Number.plainWrites.contains(record.number),
      Self.withoutFile.contains(UInt32(record.descriptor_kind))
    {
      return false
    }
    if record.number == CallMeaning.Number.makeRing { return record.result >= 0 }
    if SystemCallFilter.wanted.contains(number) || number == SystemCallFilter.write { return true }
    return Self.isOfFile(record) || Self.isLargeRead(record)
  }

  private static func isLargeRead(_ record: lull_record) -> Bool {
    SystemCallFilter.isRead(Int64(record.number)) && record.result >= SystemCallFilter.largeRead
  }

  private static func isOfFile(_ record: lull_record) -> Bool {
    SystemCallFilter.isRead(Int64(record.number)) && record.result > 0
      && UInt32(record.descriptor_kind) == lull_descriptor_file.rawValue
  }

  /// Reads of a file that were added up. By now their descriptor may stand for another: whoever wants to know of it was
  /// told of the first read.
  func reads(_ sum: PreloadSums.Sum, _ place: Place, into output: inout RecordBytes) {
    for (bytes, count) in EvenTransfers.of(count: sum.count, bytes: sum.bytes) {
      tell(
        SystemCallResult(
          number: Int64(sum.number), result: Int64(clamping: bytes), first: sum.descriptor,
          second: 0, third: 0),
        standingFor: count, place, into: &output)
    }
  }

  private func systemCall(_ record: lull_record) -> SystemCallResult {
    let arguments = record.arguments
    let number = record.number
    // In the order of the kernel's arguments.
    let isThird =
      number == CallMeaning.Number.open || number == SystemCallFilter.memorySync
      || CallMeaning.Number.secondDescriptor.contains(number)
    return SystemCallResult(
      number: Int64(number), result: record.result, first: arguments.0,
      second: isThird ? 0 : arguments.1, third: isThird ? arguments.1 : 0)
  }

  private func tell(
    _ call: SystemCallResult, fourth: UInt64 = 0, standingFor count: UInt64, _ place: Place,
    into output: inout RecordBytes
  ) {
    // As `EventPlan.argumentRegisters` names them.
    #if arch(arm64)
      let registers = (UInt64(bitPattern: call.result), call.second, call.third, fourth)
    #else
      let registers = (call.third, call.second, call.first, fourth)
    #endif
    templates.tell(
      .init(
        number: UInt64(bitPattern: call.number), result: call.result, registers: registers),
      place, standingFor: count, into: &output)
  }

  private func tellPaths(
    _ record: lull_record, _ parts: PreloadParts, _ place: Place, _ before: Place, _ round: Round,
    into output: inout RecordBytes
  ) {
    guard let path = parts.path, record.result >= 0 else { return }
    let folders = [record.arguments.0, record.arguments.1].map { Int32(truncatingIfNeeded: $0) }
    switch record.number {
    case CallMeaning.Number.open:
      var payload = PreloadPayload(.open, pid: place.tid)
      payload.add(texts: [path], [folders[0]])
      output.append(writer.sample(.open, payload, before))
      var result = PreloadPayload(.opened, pid: place.tid)
      result.add(Int32(clamping: record.result))
      // After the call's own end, which begins what the descriptor stands for.
      var after = place
      after.time += 1
      output.append(writer.sample(.opened, result, after))
      // What begins at another folder is not where the process works.
      guard path.hasPrefix("/") || folders[0] == AT_FDCWD else { return }
      round.tell([.pathOpening(tid: place.tid, time: before.time, path: path)])
    case CallMeaning.Number.rename:
      guard let other = parts.otherPath else { return }
      var payload = PreloadPayload(.rename, pid: place.tid)
      payload.add(texts: [path, other], folders)
      output.append(writer.sample(.rename, payload, place))
    case CallMeaning.Number.unlink:
      var payload = PreloadPayload(.unlink, pid: place.tid)
      payload.add(texts: [path], [folders[0]])
      output.append(writer.sample(.unlink, payload, place))
    default: break
    }
  }

  private func tellMapping(_ record: lull_record, _ place: Place, _ output: inout RecordBytes) {
    var payload = PreloadPayload(.mmap, pid: place.tid)
    payload.add(UInt64(record.number))
    for _ in 0..<4 { payload.add(UInt64(0)) }
    payload.add(record.arguments.0)
    payload.add(UInt64(0))
    output.append(writer.sample(.mmap, payload, place))
  }
}
