import PerfData

/// Writes that a thread waits with a stack that was told before.
struct WaitWriter {
  private let attribute: EventAttribute
  private let id: UInt64

  /// Takes the attribute from those of the recorder's own events.
  init?(_ own: [EventAttribute]) {
    guard let attribute = own.first(where: { SyntheticEvent(attribute: $0) == .wait }),
      let id = attribute.ids.first
    else { return nil }
    (self.attribute, self.id) = (attribute, id)
  }

  /// The wait that begins has the stack that was told of its thread at that time; 0 stands for an unknown one.
  func waits(_ place: PreloadWriter.Place, cpu: Int32 = 0, asAt time: UInt64) -> [UInt8] {
    RecordBuilder.sample(
      attribute: attribute, id: id, time: place.time, pid: place.pid, tid: place.tid, cpu: cpu,
      raw: WaitEvent(stack: time).encoded())
  }
}
