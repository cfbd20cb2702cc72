import CBPF
import PerfData

/// Writes what the programs in the kernel told as records of the kernel's own events, so that who reads a trace need
/// not know who wrote it.
final class KernelWriter {
  let writer: PreloadWriter
  let templates: RecordTemplates
  /// Records that were made and not yet written.
  var output = RecordBytes()

  init(stackBytes: UInt32) {
    writer = PreloadWriter(stackBytes: stackBytes)
    templates = RecordTemplates(writer)
  }

  /// The events that it writes: the first is that of the switches.
  var attributes: [EventAttribute] {
    [
      PreloadEvent.sideBand, .scheduleSwitch, .waking, .send, .sendStack, .receive,
      .systemCallExit, .systemCallStack, .systemCallSpin, .open, .opened, .rename, .unlink,
      .jobBegan, .jobEnd, .jobHanded, .taskMade,
    ].map { writer.attributes[$0.rawValue] }
  }

  /// The layouts of their payloads.
  static var formats: [TracingData.Format] {
    [
      PreloadEvent.scheduleSwitch, .waking, .send, .receive, .systemCallExit, .open, .opened,
      .rename, .unlink, .jobBegan, .jobEnd, .jobHanded, .taskMade,
    ].map {
      TracingData.Format(system: $0.tracepoint.system, text: $0.format)
    }
  }

  /// A thread got a CPU or left it.
  func tell(_ what: ContextSwitch, _ head: lull_kernel_head, pid: Int32, tid: Int32) {
    templates.tell(
      what, .init(pid: pid, tid: tid, time: head.time), cpu: UInt32(head.cpu), into: &output)
  }

  /// A thread was woken.
  func tell(_ wake: lull_kernel_waking_record) {
    templates.tellWake(
      of: wake.tid, by: .init(pid: wake.maker_pid, tid: wake.maker_tid, time: wake.head.time),
      context: UInt8(truncatingIfNeeded: wake.head.flags), cpu: UInt32(wake.head.cpu),
      into: &output)
  }

  /// Where a thread waits, sends or writes; gives the record.
  @discardableResult
  func tell(_ stack: KernelStack, _ event: PreloadEvent) -> [UInt8] {
    let place = PreloadWriter.Place(pid: stack.pid, tid: stack.tid, time: stack.time)
    var payload: PreloadPayload
    switch event {
    case .scheduleSwitch: payload = PreloadPayload(waiting: stack.tid)
    case .systemCallStack:
      payload = PreloadPayload(event, pid: stack.tid)
      payload.add(UInt64(0))
      payload.add(UInt64(1))
    default:
      payload = PreloadPayload(event, pid: stack.tid)
      payload.add(UInt64(0))
      payload.add([], padded: 4)
      payload.add(Int32(1))
      payload.add(Int32(0))
    }
    let record = writer.sample(
      event, payload, place, callchain: stack.callchain,
      registers: stack.registers, stack: stack.bytes)
    output.append(record)
    return record
  }

  /// A call sent or received something, or so many did.
  func tell(
    _ transfer: lull_kernel_transfer_record, isReceive: Bool, standingFor count: UInt64 = 1
  ) {
    templates.tell(
      .init(
        socket: transfer.socket, family: transfer.family, transport: transfer.protocol,
        result: transfer.result),
      isReceive: isReceive,
      .init(pid: transfer.pid, tid: transfer.tid, time: transfer.head.time),
      cpu: UInt32(transfer.head.cpu), standingFor: count, into: &output)
  }

  func tellLost(_ count: UInt64, pid: Int32, at time: UInt64) {
    output.append(writer.lost(count, .init(pid: pid, tid: pid, time: time)))
  }
}
