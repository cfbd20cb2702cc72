import PerfData

/// The records that come most often: each is made once, and a copy differs in a few words. To make one anew from its
/// attribute takes several times as long.
struct RecordTemplates {
  /// What a call came to.
  struct Call {
    var number: UInt64
    var result: Int64
    /// As `EventPlan.argumentRegisters` names them.
    var registers: (UInt64, UInt64, UInt64, UInt64)
  }

  /// What went through a socket.
  struct Transfer {
    /// Stands for the kernel's address.
    var socket: UInt64
    var family: UInt16
    /// IPPROTO_TCP or _UDP.
    var transport: UInt16
    /// Bytes, or the error below 0.
    var result: Int32
    var flags: Int32 = 0
  }

  /// A sample, and where its words are, in bytes from its start.
  private struct Sample {
    let bytes: [UInt8]
    let places: SamplePlaces
    let cpu: Int
    let period: Int

    init(_ event: PreloadEvent, payload bytes: Int, registers: Int = 0, _ writer: PreloadWriter) {
      var payload = PreloadPayload(event, pid: 0)
      payload.add([], padded: bytes - payload.bytes.count)
      self.bytes = writer.sample(
        event, payload, .init(pid: 0, tid: 0, time: 0),
        registers: [UInt64](repeating: 0, count: registers))
      let fields = writer.attributes[event.rawValue].sampleType
      places = SamplePlaces(fields)
      let offsets = SampleOffsets(samplesOf: SampleLayout(fields))
      cpu = 8 + (offsets[.cpu] ?? 0)
      period = 8 + (offsets[.period] ?? 0)
    }

    /// Fills in what all have, and gives where the payload is.
    @inline(__always)
    func begin(
      _ record: UnsafeMutableRawPointer, _ place: PreloadWriter.Place, cpu: UInt32
    ) -> UnsafeMutableRawPointer {
      record.storeBytes(of: place.pid, toByteOffset: Int(places.pid), as: Int32.self)
      record.storeBytes(of: place.tid, toByteOffset: Int(places.tid), as: Int32.self)
      record.storeBytes(of: place.time, toByteOffset: Int(places.time), as: UInt64.self)
      record.storeBytes(of: cpu, toByteOffset: self.cpu, as: UInt32.self)
      let payload = record + Int(places.raw)
      // common_pid.
      payload.storeBytes(of: place.tid, toByteOffset: 4, as: Int32.self)
      return payload
    }
  }

  private let arrived: [UInt8]
  private let left: [UInt8]
  private let preempted: [UInt8]
  private let trailer = TrailerPlaces()
  private let cpuInTrailer: UInt64
  private let wake: Sample
  private let call: Sample
  private let spin: Sample
  private let send: Sample
  private let receive: Sample

  init(_ writer: PreloadWriter) {
    let nobody = PreloadWriter.Place(pid: 0, tid: 0, time: 0)
    arrived = writer.switch(.arrived, nobody)
    left = writer.switch(.left, nobody)
    preempted = writer.switch(.preempted, nobody)
    let ofTrailer = SampleOffsets(trailersOf: .base)
    cpuInTrailer = UInt64(ofTrailer.size - (ofTrailer[.cpu] ?? 0))
    wake = Sample(.waking, payload: 36, writer)
    call = Sample(.systemCallExit, payload: 24, registers: 4, writer)
    spin = Sample(.systemCallSpin, payload: 24, registers: 4, writer)
    send = Sample(.send, payload: 28, writer)
    receive = Sample(.receive, payload: 28, writer)
  }

  /// A thread got a CPU or left it.
  func tell(
    _ what: ContextSwitch, _ place: PreloadWriter.Place, cpu: UInt32 = 0,
    into output: inout RecordBytes
  ) {
    let template =
      switch what {
      case .arrived: arrived
      case .left: left
      case .preempted: preempted
      }
    let end = template.count
    output.append(template) { record in
      let tid = end - Int(trailer.tid)
      record.storeBytes(of: place.pid, toByteOffset: tid - 4, as: Int32.self)
      record.storeBytes(of: place.tid, toByteOffset: tid, as: Int32.self)
      record.storeBytes(of: place.time, toByteOffset: end - Int(trailer.time), as: UInt64.self)
      record.storeBytes(of: cpu, toByteOffset: end - Int(cpuInTrailer), as: UInt32.self)
    }
  }

  /// A thread was woken, from a place in a context (include/linux/trace_events.h).
  func tellWake(
    of tid: Int32, by place: PreloadWriter.Place, context: UInt8, cpu: UInt32 = 0,
    into output: inout RecordBytes
  ) {
    output.append(wake.bytes) { record in
      let payload = wake.begin(record, place, cpu: cpu)
      payload.storeBytes(of: context, toByteOffset: 2, as: UInt8.self)
      // Behind the name; then the default priority, for the one that is not known.
      payload.storeBytes(of: tid, toByteOffset: 24, as: Int32.self)
      payload.storeBytes(of: 120, toByteOffset: 28, as: Int32.self)
    }
  }

  /// A call ended, or so many alike did; `spins` where it came back at once with nothing.
  func tell(
    _ call: Call, _ place: PreloadWriter.Place, cpu: UInt32 = 0, standingFor count: UInt64 = 1,
    spins: Bool = false, into output: inout RecordBytes
  ) {
    let sample = spins ? spin : self.call
    output.append(sample.bytes) { record in
      let payload = sample.begin(record, place, cpu: cpu)
      record.storeBytes(of: count, toByteOffset: sample.period, as: UInt64.self)
      payload.storeBytes(of: call.number, toByteOffset: 8, as: UInt64.self)
      payload.storeBytes(of: call.result, toByteOffset: 16, as: Int64.self)
      // Behind 24 bytes of it, and 4 to fill up, and the word that says how wide registers are.
      let registers = payload + 36
      registers.storeBytes(of: call.registers.0, as: UInt64.self)
      registers.storeBytes(of: call.registers.1, toByteOffset: 8, as: UInt64.self)
      registers.storeBytes(of: call.registers.2, toByteOffset: 16, as: UInt64.self)
      registers.storeBytes(of: call.registers.3, toByteOffset: 24, as: UInt64.self)
    }
  }

  /// A call sent or received something, or so many did.
  func tell(
    _ transfer: Transfer, isReceive: Bool, _ place: PreloadWriter.Place, cpu: UInt32 = 0,
    standingFor count: UInt64 = 1, into output: inout RecordBytes
  ) {
    let sample = isReceive ? receive : send
    output.append(sample.bytes) { record in
      let payload = sample.begin(record, place, cpu: cpu)
      record.storeBytes(of: count, toByteOffset: sample.period, as: UInt64.self)
      payload.storeBytes(of: transfer.socket, toByteOffset: 8, as: UInt64.self)
      payload.storeBytes(of: transfer.family, toByteOffset: 16, as: UInt16.self)
      payload.storeBytes(of: transfer.transport, toByteOffset: 18, as: UInt16.self)
      payload.storeBytes(of: transfer.result, toByteOffset: 20, as: Int32.self)
      payload.storeBytes(of: transfer.flags, toByteOffset: 24, as: Int32.self)
    }
  }
}
