/// Demands by attribute, at a fixed place, with where the samples have what all have.
final class DemandTable {
  private struct Entry {
    var demand: SampleDemand
    /// Bytes from the record's start; negative where samples have none.
    var time: Int
    var tid: Int
    var cpu: Int
    /// Shorter samples are for who can say so.
    var least: Int

    init(_ demand: SampleDemand, _ layout: RecordLayout) {
      self.demand = demand
      func place(_ place: Int) -> Int { place < 0 ? -1 : place + 8 }
      (time, tid, cpu) = (place(layout.time), place(layout.tid), place(layout.cpu))
      // What is ignored has no time that counts.
      if demand.use == .ignore { time = -1 }
      least = max(layout.least, demand.least)
    }
  }

  private let base: UnsafeMutablePointer<Entry>
  private let count: Int
  private let bytes: UnsafeRawBufferPointer
  /// Up to here so many bytes follow in the file that each integer that was asked for can be read as a whole word.
  private let lastPlain: Int

  /// Where there is no demand, samples are named.
  init(_ demands: [SampleDemand], _ decoder: EntryDecoder) {
    count = min(decoder.layouts.count, OrderedRecord.mostAttributes)
    bytes = decoder.bytes
    base = .allocate(capacity: max(count, 1))
    var reach = 0
    for index in 0..<count {
      let demand = index < demands.count ? demands[index] : SampleDemand(.name)
      (base + index).initialize(to: Entry(demand, decoder.layouts[index]))
      reach = max(reach, demand.reach)
    }
    lastPlain = bytes.count - reach
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  /// Writes what was asked for of a sample that has a time, all that was asked for, and no peculiarity: the time, and whether it
  /// was wanted; nil for any other, of which nothing counts that was written.
  ///
  /// Which event comes next cannot be foretold: what differs from event to event is reckoned without branches, where it can be.
  @inline(__always)
  func orderPlain(
    _ sample: RecordScanner.FoundSample, to target: UnsafeMutablePointer<OrderedRecord>
  ) -> (time: UInt64, isWanted: Int)? {
    guard sample.attribute < count, sample.offset <= lastPlain,
      let start = bytes.baseAddress.map({ $0 + sample.offset })
    else { return nil }
    // Used where it lies, not copied out first.
    let entry = base + Int(sample.attribute)
    guard sample.size >= entry.pointee.least, entry.pointee.time >= 0 else { return nil }
    let time = start.loadUnaligned(fromByteOffset: entry.pointee.time, as: UInt64.self)
    guard time != 0,
      let values = entry.pointee.demand.plainValues(of: start, sample.size)
    else { return nil }
    if entry.pointee.demand.isNamed(values) {
      target.pointee = OrderedRecord(time: time, offset: sample.offset)
      return (time, 1)
    }
    let tid = entry.pointee.tid
    let cpu = entry.pointee.cpu
    target.pointee = OrderedRecord(
      time: time, values: values,
      thread: tid >= 0 ? start.loadUnaligned(fromByteOffset: tid, as: UInt64.self) : .max,
      cpu: cpu >= 0 ? start.loadUnaligned(fromByteOffset: cpu, as: Int32.self) : -1,
      attribute: Int(sample.attribute))
    return (time, entry.pointee.demand.handsOut)
  }

  /// Writes what was asked for of any sample; false where nothing was. Notes its time, 0 where it has none.
  func order(
    _ sample: RecordScanner.FoundSample, time own: UInt64, at time: UInt64,
    _ times: inout PassTimes, to target: UnsafeMutablePointer<OrderedRecord>
  ) -> Bool {
    let demand = sample.attribute < count ? base[Int(sample.attribute)].demand : SampleDemand(.name)
    guard demand.use != .ignore else { return false }
    times.note(own)
    if let (_, isWanted) = orderPlain(sample, to: target) { return isWanted > 0 }
    // One without what was asked for is for who can say so.
    guard demand.use != .count || demand.looksAtPayload else { return false }
    target.pointee = OrderedRecord(time: time, offset: sample.offset)
    return true
  }
}
