import PerfData

/// Writes what programs told of themselves as records of the kernel's events.
struct PreloadWriter {
  let attributes: [EventAttribute]
  private let sideBandID: UInt64
  /// The kernel's functions that calls are in, as if they were at these addresses.
  private(set) var functions: [String: UInt64] = [:]

  /// Ids that neither the kernel nor the recorder's own events have.
  private let firstID: UInt64
  /// Where the kernel's functions seem to be.
  private let firstFunction: UInt64

  /// Of two sources in one trace the second has ids, and addresses of functions, of its own.
  init(stackBytes: UInt32, sampleInterval: UInt64 = 0, isSecond: Bool = false) {
    let firstID: UInt64 = 0x4c55_4c4c << 32 + (isSecond ? 1500 : 1000)
    self.firstID = firstID
    firstFunction = isSecond ? 0xffff_ffff_9000_0000 : 0xffff_ffff_8000_0000
    attributes = PreloadEvent.allCases.map {
      $0.attribute(
        id: firstID + UInt64($0.rawValue), stackBytes: stackBytes,
        sampleInterval: sampleInterval)
    }
    sideBandID = firstID
  }

  /// Where a sample belongs.
  struct Place {
    var pid: Int32
    var tid: Int32
    var time: UInt64
  }

  func sample(
    _ event: PreloadEvent, _ payload: PreloadPayload, _ place: Place, standingFor count: UInt64 = 1,
    callchain: [UInt64] = [], registers: [UInt64] = [], stack: [UInt8] = []
  ) -> [UInt8] {
    RecordBuilder.sample(
      attribute: attributes[event.rawValue], id: firstID + UInt64(event.rawValue),
      time: place.time, pid: place.pid, tid: place.tid, cpu: 0, period: count, callchain: callchain,
      raw: payload.bytes, userRegisters: registers, userStack: stack)
  }

  /// A sample of running code.
  func processorSample(
    _ stack: PreloadStacks.Stack, _ place: Place
  ) -> [UInt8] {
    let event = PreloadEvent.processorSample
    let address = stack.registers[PreloadSource.instruction]
    return RecordBuilder.sample(
      attribute: attributes[event.rawValue], id: firstID + UInt64(event.rawValue),
      time: place.time, pid: place.pid, tid: place.tid, cpu: 0, ip: address,
      callchain: Self.userChain(address), userRegisters: stack.registers, userStack: stack.bytes)
  }

  func `switch`(_ what: ContextSwitch, _ place: Place) -> [UInt8] {
    RecordBuilder.contextSwitch(
      what, pid: place.pid, tid: place.tid, time: place.time, id: sideBandID)
  }

  func comm(_ name: String, isExec: Bool = false, _ place: Place) -> [UInt8] {
    RecordBuilder.comm(
      pid: place.pid, tid: place.tid, name: name, isExec: isExec, time: place.time, id: sideBandID)
  }

  func fork(from parent: (pid: Int32, tid: Int32), _ place: Place) -> [UInt8] {
    RecordBuilder.fork(
      pid: place.pid, parentPid: parent.pid, tid: place.tid, parentTid: parent.tid,
      time: place.time, id: sideBandID)
  }

  func exit(_ place: Place, parent: Int32) -> [UInt8] {
    RecordBuilder.exit(
      pid: place.pid, parentPid: parent, tid: place.tid, parentTid: parent, time: place.time,
      id: sideBandID)
  }

  func mapping(_ mapping: MmapRecord, time: UInt64) -> [UInt8] {
    RecordBuilder.mmap2(mapping, time: time, id: sideBandID)
  }

  func lost(_ count: UInt64, _ place: Place) -> [UInt8] {
    RecordBuilder.lost(
      records: count, time: place.time, pid: place.pid, tid: place.tid, id: sideBandID)
  }

  /// The chain of a call in a function of the kernel, made from where the program's registers are.
  mutating func callchain(_ function: String?, programAt address: UInt64?) -> [UInt64] {
    var chain: [UInt64] = []
    if let function {
      let known = functions[function] ?? firstFunction + UInt64(functions.count + 1) << 8
      functions[function] = known
      // PERF_CONTEXT_KERNEL.
      chain = [UInt64(bitPattern: -128), known]
    }
    if let address { chain += Self.userChain(address) }
    return chain
  }

  private static func userChain(_ address: UInt64) -> [UInt64] {
    // PERF_CONTEXT_USER.
    [UInt64(bitPattern: -512), address]
  }
}
