import CPreloadRing
import PerfData

/// Writes what was seen from outside as records of the kernel's events.
struct OutsideWriter {
  private var records: PreloadWriter
  private let stackEvent: EventAttribute
  let attributes: [EventAttribute]
  let stackBytes: Int

  /// The stack pointer and the instruction pointer: of a thread that is not stopped nobody is told others.
  #if arch(arm64)
    private static let registers: UInt64 = 1 << 31 | 1 << 32
  #else
    private static let registers: UInt64 = 1 << 7 | 1 << 8
  #endif

  /// `switchEvent` is the kernel's number of its event, where the trace describes that.
  init(stackBytes: UInt32, switchEvent: UInt64? = nil, isSecond: Bool = false) {
    // Who called in the end tells whose work a wait was.
    self.stackBytes = stackBytes == 0 ? 0 : max(Int(stackBytes), Int(lull_deep_stack_bytes))
    records = PreloadWriter(stackBytes: stackBytes, isSecond: isSecond)
    var event = records.attributes[PreloadEvent.scheduleSwitch.rawValue]
    event.sampleRegsUser = Self.registers
    if let switchEvent { event.config = switchEvent }
    stackEvent = event
    attributes = [records.attributes[PreloadEvent.sideBand.rawValue], event]
  }

  typealias Place = PreloadWriter.Place

  /// By which other records than samples are written.
  var sideBandID: UInt64 { attributes[0].ids.first ?? 0 }
  /// The kernel's functions that stacks name, with the addresses that stand for them.
  var functions: [String: UInt64] { records.functions }

  func `switch`(_ step: OutsideThread.Step, pid: Int32, tid: Int32) -> [UInt8] {
    let (what, time): (ContextSwitch, UInt64) =
      switch step {
      case .arrived(let time): (.arrived, time)
      case .preempted(let time): (.preempted, time)
      case .left(let time): (.left, time)
      }
    return records.switch(what, Place(pid: pid, tid: tid, time: time))
  }

  /// What a thread waits in, at a moment of the wait. Where tracepoints' fields have other ids than the thread's own,
  /// and that is not known yet, `kernelTid` is 0: the sample names the thread.
  mutating func wait(
    in function: String?, at call: OutsideCall, stack: [UInt8], _ place: Place,
    kernelTid: Int32? = nil
  ) -> [UInt8] {
    let payload = PreloadPayload(waiting: kernelTid ?? place.tid, type: stackEvent.config)
    let chain = records.callchain(
      function, programAt: call.instruction > 0 ? call.instruction : nil)
    return RecordBuilder.sample(
      attribute: stackEvent, id: stackEvent.ids.first ?? 0, time: place.time, pid: place.pid,
      tid: place.tid, cpu: 0, period: 1, callchain: chain, raw: payload.bytes,
      userRegisters: stack.isEmpty ? [] : [call.stackPointer, call.instruction], userStack: stack)
  }

  func comm(_ name: String, _ place: Place) -> [UInt8] { records.comm(name, place) }

  func fork(from parent: Int32, _ place: Place) -> [UInt8] {
    records.fork(from: (parent, parent), place)
  }

  func exit(_ place: Place, parent: Int32) -> [UInt8] { records.exit(place, parent: parent) }

  func mapping(_ mapping: MmapRecord, time: UInt64) -> [UInt8] {
    records.mapping(mapping, time: time)
  }
}
