import PerfData

/// Writes that a thread waits, sends or writes with a stack that was told before.
struct EarlierStackWriter {
  /// Of a server that is busy they come most often: each is a copy of one.
  private let template: [UInt8]
  private let places: SamplePlaces
  private let cpu: Int

  /// Takes the attribute from those of the recorder's own events.
  init?(_ event: SyntheticEvent, _ own: [EventAttribute]) {
    guard let attribute = own.first(where: { SyntheticEvent(attribute: $0) == event }),
      let id = attribute.ids.first
    else { return nil }
    template = RecordBuilder.sample(
      attribute: attribute, id: id, time: 0, pid: 0, tid: 0, cpu: 0,
      raw: EarlierStackEvent(stack: 0).encoded())
    places = SamplePlaces(attribute.sampleType)
    let offsets = SampleOffsets(samplesOf: SampleLayout(attribute.sampleType))
    cpu = 8 + (offsets[.cpu] ?? 0)
  }

  /// The wait that begins, or the call, has the stack that was told of its thread at that time; 0 stands for an unknown
  /// one.
  func tell(
    _ place: PreloadWriter.Place, cpu: UInt32 = 0, asAt time: UInt64, into output: inout RecordBytes
  ) {
    output.append(template) { record in
      record.storeBytes(of: place.pid, toByteOffset: Int(places.pid), as: Int32.self)
      record.storeBytes(of: place.tid, toByteOffset: Int(places.tid), as: Int32.self)
      record.storeBytes(of: place.time, toByteOffset: Int(places.time), as: UInt64.self)
      record.storeBytes(of: cpu, toByteOffset: self.cpu, as: UInt32.self)
      record.storeBytes(of: time, toByteOffset: Int(places.raw), as: UInt64.self)
    }
  }
}
