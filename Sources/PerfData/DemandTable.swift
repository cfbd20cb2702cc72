/// Demands by attribute, at a fixed place, with where the samples have what all have.
final class DemandTable {
  private struct Entry {
    var demand: SampleDemand
    var tid: Int
    var cpu: Int
    /// Shorter samples are for who can say so.
    var least: Int
  }

  private let base: UnsafeMutablePointer<Entry>
  private let count: Int
  private let bytes: UnsafeRawBufferPointer

  init(_ demands: [SampleDemand], _ decoder: EntryDecoder) {
    count = min(demands.count, decoder.layouts.count, OrderedRecord.mostAttributes)
    bytes = decoder.bytes
    base = .allocate(capacity: max(count, 1))
    for index in 0..<count {
      let layout = decoder.layouts[index]
      (base + index).initialize(
        to: Entry(
          demand: demands[index], tid: layout.tid, cpu: layout.cpu, least: layout.least))
    }
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  /// Writes what was asked for of a sample; false where nothing was. Notes its time.
  @inline(__always)
  func order(
    _ sample: RecordScanner.FoundSample, at time: UInt64, _ times: inout PassTimes,
    to target: UnsafeMutablePointer<OrderedRecord>
  ) -> Bool {
    guard sample.attribute < count else {
      times.note(sample.time)
      target.pointee = OrderedRecord(time: time, offset: sample.offset)
      return true
    }
    // Used where it lies, not copied out first.
    let entry = base + Int(sample.attribute)
    guard entry.pointee.demand.use != .ignore else { return false }
    times.note(sample.time)
    let (use, values) = entry.pointee.demand.outcome(of: sample, bytes)
    if use == .values, sample.size >= entry.pointee.least, sample.time != 0 {
      let body = sample.offset &+ 8
      let tid = entry.pointee.tid
      let cpu = entry.pointee.cpu
      target.pointee = OrderedRecord(
        time: time, values: values,
        thread: tid >= 0
          ? bytes.loadUnaligned(fromByteOffset: body &+ tid, as: UInt64.self) : .max,
        cpu: cpu >= 0 ? bytes.loadUnaligned(fromByteOffset: body &+ cpu, as: Int32.self) : -1,
        attribute: Int(sample.attribute))
      return true
    }
    guard use != .count else { return false }
    target.pointee = OrderedRecord(time: time, offset: sample.offset)
    return true
  }
}
