import CBPF
import PerfData

/// Writes what the programs in the kernel told as records of the kernel's own events, so that who reads a trace need
/// not know who wrote it.
final class KernelWriter {
  let writer: PreloadWriter
  /// Records that were made and not yet written.
  var output: [UInt8] = []

  /// A record of each sort that comes very often, of which a few words differ.
  private let arrived: [UInt8]
  private let left: [UInt8]
  private let preempted: [UInt8]
  private let waking: [UInt8]
  let call: [UInt8]
  let spin: [UInt8]
  private let trailer = TrailerPlaces()
  private let places = SamplePlaces(.base)
  private let cpuInTrailer: UInt64
  let cpuInSample: UInt64
  let callPlaces: SamplePlaces
  let periodInCall: UInt64
  /// Where the woken thread is in the payload of `sched_waking`, and the common fields.
  private static let wokenPlace = 24

  init(stackBytes: UInt32) {
    writer = PreloadWriter(stackBytes: stackBytes)
    let nobody = PreloadWriter.Place(pid: 0, tid: 0, time: 0)
    arrived = writer.switch(.arrived, nobody)
    left = writer.switch(.left, nobody)
    preempted = writer.switch(.preempted, nobody)
    var payload = PreloadPayload(.waking, pid: 0)
    payload.add([], padded: 16)
    payload.add(Int32(0))
    // The default priority, of which the programs do not tell.
    payload.add(Int32(120))
    payload.add(Int32(0))
    waking = writer.sample(.waking, payload, nobody)
    call = Self.call(.systemCallExit, writer)
    spin = Self.call(.systemCallSpin, writer)
    let fields = writer.attributes[PreloadEvent.systemCallExit.rawValue].sampleType
    callPlaces = SamplePlaces(fields)
    periodInCall = UInt64(8 + (SampleOffsets(samplesOf: SampleLayout(fields))[.period] ?? 0))
    let ofTrailer = SampleOffsets(trailersOf: .base)
    cpuInTrailer = UInt64(ofTrailer.size - (ofTrailer[.cpu] ?? 0))
    cpuInSample = UInt64(8 + (SampleOffsets(samplesOf: SampleLayout(.base))[.cpu] ?? 0))
  }

  private static func call(_ event: PreloadEvent, _ writer: PreloadWriter) -> [UInt8] {
    var payload = PreloadPayload(event, pid: 0)
    payload.add(Int64(0))
    payload.add(Int64(0))
    return writer.sample(
      event, payload, PreloadWriter.Place(pid: 0, tid: 0, time: 0), registers: [0, 0, 0, 0])
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

  func clear() { output.removeAll(keepingCapacity: true) }

  func append(
    _ template: [UInt8], _ patch: (UnsafeMutableRawPointer) -> Void
  ) {
    let start = output.count
    output += template
    output.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress { patch(base + start) }
    }
  }

  /// A thread got a CPU or left it.
  func tell(_ what: ContextSwitch, _ head: lull_kernel_head, pid: Int32, tid: Int32) {
    let template =
      switch what {
      case .arrived: arrived
      case .left: left
      case .preempted: preempted
      }
    let end = template.count
    let (tidAt, timeAt, cpuAt) = (
      end - Int(trailer.tid), end - Int(trailer.time), end - Int(cpuInTrailer)
    )
    append(template) { record in
      record.storeBytes(of: pid, toByteOffset: tidAt - 4, as: Int32.self)
      record.storeBytes(of: tid, toByteOffset: tidAt, as: Int32.self)
      record.storeBytes(of: head.time, toByteOffset: timeAt, as: UInt64.self)
      record.storeBytes(of: UInt32(head.cpu), toByteOffset: cpuAt, as: UInt32.self)
    }
  }

  /// A thread was woken.
  func tell(_ wake: lull_kernel_waking_record) {
    append(waking) { [places, cpuInSample] record in
      record.storeBytes(of: wake.maker_pid, toByteOffset: Int(places.pid), as: Int32.self)
      record.storeBytes(of: wake.maker_tid, toByteOffset: Int(places.tid), as: Int32.self)
      record.storeBytes(of: wake.head.time, toByteOffset: Int(places.time), as: UInt64.self)
      record.storeBytes(of: UInt32(wake.head.cpu), toByteOffset: Int(cpuInSample), as: UInt32.self)
      let payload = record + Int(places.raw)
      // common_flags and common_pid.
      payload.storeBytes(
        of: UInt8(truncatingIfNeeded: wake.head.flags), toByteOffset: 2, as: UInt8.self)
      payload.storeBytes(of: wake.maker_tid, toByteOffset: 4, as: Int32.self)
      payload.storeBytes(of: wake.tid, toByteOffset: Self.wokenPlace, as: Int32.self)
    }
  }

  /// Where a thread waits, sends or writes; gives the record.
  @discardableResult
  func tell(_ stack: KernelStack, _ event: PreloadEvent) -> [UInt8] {
    let place = PreloadWriter.Place(pid: stack.pid, tid: stack.tid, time: stack.time)
    var payload: PreloadPayload
    switch event {
    case .scheduleSwitch:
      payload = PreloadPayload(event, pid: stack.tid)
      payload.add([], padded: 16)
      payload.add(stack.tid)
      payload.add(Int32(120))
      // TASK_INTERRUPTIBLE.
      payload.add(Int64(1))
      payload.add([], padded: 16)
      payload.add(Int32(0))
      payload.add(Int32(120))
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
    output += record
    return record
  }

  /// A call sent or received something, or so many did.
  func tell(
    _ transfer: lull_kernel_transfer_record, isReceive: Bool, standingFor count: UInt64 = 1
  ) {
    let event = isReceive ? PreloadEvent.receive : .send
    var payload = PreloadPayload(event, pid: transfer.tid)
    payload.add(transfer.socket)
    payload.add(transfer.family)
    payload.add(transfer.protocol)
    payload.add(transfer.result)
    payload.add(Int32(0))
    output += writer.sample(
      event, payload,
      .init(pid: transfer.pid, tid: transfer.tid, time: transfer.head.time), standingFor: count)
  }

  func tellLost(_ count: UInt64, pid: Int32, at time: UInt64) {
    output += writer.lost(count, .init(pid: pid, tid: pid, time: time))
  }
}
