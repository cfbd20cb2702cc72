#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Demands by attribute, as plans at a fixed place.
final class PlanTable: @unchecked Sendable {
  // Unchecked because pointers are not Sendable: nothing is written after `init`.

  /// First the plan for samples of which nothing is known, which no sample is long enough for, then one for each
  /// attribute.
  let plans: UnsafeMutablePointer<SamplePlan>
  /// Attributes from here on have no plan of their own.
  private let count: Int
  private let demands: [SampleDemand]
  private let bytes: UnsafeRawBufferPointer
  /// From a sample's start on so many bytes must be in memory for each plan to read whole words.
  let reach: Int
  /// Which threads run is followed.
  let followsRuns: Bool
  /// There was no demand at all.
  let isEmpty: Bool

  /// Bytes from a sample's start to its id.
  let idPlace: Int
  let lowestID: UInt64
  let idCount: UInt64
  /// The places of the plans by id, and last that of samples of other ids. Where samples carry no id that one serves
  /// all.
  ///
  /// The kernel gives ids out in sequence, but to inherited events too, so those of a recording may be far apart: where
  /// there are none the table takes no memory, since nothing is written there.
  let planPlaces: UnsafeMutablePointer<UInt16>
  /// Samples of ids that are farther above the lowest are looked at one by one.
  private static let widestTable: UInt64 = 1 << 24

  /// Where there is no demand, samples are named.
  init(_ demands: [SampleDemand], _ decoder: EntryDecoder) {
    isEmpty = demands.isEmpty
    let count = min(decoder.layouts.count, OrderedRecord.mostAttributes)
    let demands = (0..<count).map { $0 < demands.count ? demands[$0] : SampleDemand(.name) }
    idPlace = decoder.lookup.idPlace
    plans = .allocate(capacity: count + 1)
    plans.initialize(to: SamplePlan())
    for (index, demand) in demands.enumerated() {
      (plans + index + 1).initialize(
        to: SamplePlan(demand, decoder.layouts[index], event: index, idPlace: idPlace))
    }
    func planPlace(_ attribute: Int32) -> UInt16 {
      attribute >= 0 && attribute < count ? UInt16(attribute) + 1 : 0
    }
    let ids = decoder.lookup.attributesByID
    let lowest = ids.keys.min() ?? 0
    // The kernel's: those of synthetic events are far above.
    let near = ids.filter { $0.key - lowest < Self.widestTable }
    let width = near.keys.max().map { Int($0 - lowest) + 1 } ?? 0
    lowestID = lowest
    if let places = calloc(width + 1, MemoryLayout<UInt16>.stride) {
      idCount = UInt64(width)
      planPlaces = places.bindMemory(to: UInt16.self, capacity: width + 1)
      for (id, attribute) in near { planPlaces[Int(id - lowest)] = planPlace(attribute) }
    } else {
      // Without room for the table all samples are looked at one by one.
      idCount = 0
      planPlaces = .allocate(capacity: 1)
      planPlaces.initialize(to: 0)
    }
    if ids.isEmpty { planPlaces[0] = planPlace(decoder.lookup.defaultAttribute) }
    self.count = count
    self.demands = demands
    bytes = decoder.bytes.pointer
    reach =
      UnsafeBufferPointer(start: plans, count: count + 1).map { Int($0.reach) }
      .reduce(idPlace + 8, max)
    followsRuns = demands.contains { $0.tells != .nothing || $0.use == .run }
  }

  deinit {
    plans.deinitialize(count: count + 1)
    plans.deallocate()
    free(planPlaces)
  }

  /// The size of what may be a sample of a known event; nil where something else is there.
  func sizeOfSample(_ data: RecordData, at offset: Int) -> Int? {
    guard data.range.contains(offset), data.range.upperBound - offset >= idPlace + 8,
      let start = data.bytes.baseAddress.map({ $0 + offset })
    else { return nil }
    let header = start.loadUnaligned(as: UInt64.self)
    let size = Int(header >> 48)
    let id = start.loadUnaligned(fromByteOffset: idPlace, as: UInt64.self)
    let plan = plans + Int(planPlaces[Int(min(id &- lowestID, idCount))])
    guard UInt32(truncatingIfNeeded: header) == RecordType.sample, size >= plan.pointee.least,
      size % 8 == 0
    else { return nil }
    return size
  }

  /// Whether a sample of which the plan says so is handed out by its place.
  @inline(never)
  func isNamed(_ values: PayloadValues, _ plan: UnsafePointer<SamplePlan>) -> Bool {
    plan.pointee.telling == .place
      || demands[UnsafePointer(plans).distance(to: plan) - 1].named?.contains(
        values.first, values.result) ?? false
  }

  /// Writes what was asked for of any sample; false where nothing was. Notes its time, 0 where it has none.
  func order(
    _ sample: (offset: Int, size: Int, attribute: Int32), time own: UInt64, at time: UInt64,
    _ times: inout RecordTimes, to target: UnsafeMutablePointer<OrderedRecord>
  ) -> Bool {
    let attribute = Int(sample.attribute)
    let demand = attribute < count ? demands[attribute] : SampleDemand(.name)
    guard demand.use != .ignore else { return false }
    times.note(own)
    let plan = plans + (attribute < count ? attribute + 1 : 0)
    guard let start = bytes.baseAddress.map({ $0 + sample.offset }),
      sample.offset <= bytes.count - reach, sample.size >= plan.pointee.least, own != 0,
      plan.pointee.isWhole(start, sample.size)
    else {
      // One without what was asked for is for who can say so.
      guard demand.use != .count || demand.looksAtPayload else { return false }
      target.pointee = OrderedRecord(time: time, offset: sample.offset)
      return true
    }
    let values = plan.pointee.values(start)
    if plan.pointee.telling != .values, isNamed(values, plan) {
      target.pointee = OrderedRecord(time: time, offset: sample.offset)
      return true
    }
    let cpu = plan.pointee.cpu(start)
    _ = target.pointee.write(
      start, plan, time: time, thread: plan.pointee.thread(start),
      cpu: Int16(exactly: cpu) == nil ? -1 : cpu)
    target.pointee.write(values)
    target.pointee.tell(plan.pointee.event, isShown: 0)
    return plan.pointee.handsOut > 0
  }
}
