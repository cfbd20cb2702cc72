import CProcessor

/// Reads samples that follow each other, and of which nothing is peculiar: most of a large trace is read here.
///
/// What a record needs stays in registers, and what differs between records is reckoned without branches, where it can
/// be.
struct SampleLoop {
  /// What was read: samples of ascending time.
  struct Run {
    var count = 0
    /// Of these so many are wanted.
    var wanted = 0
    /// So many of those were written: what was known already is left out. And so many were only named.
    var kept = 0
    var named = 0
    /// The times of the first and of the last one.
    var first: UInt64 = 0
    var last: UInt64 = 0
    var ending = Ending.other
  }

  /// What comes after those that were read.
  enum Ending {
    /// As many are wanted as there was room for.
    case full
    /// One that is older than the last.
    case older
    /// One that begins beyond where it was to, or reaches beyond the end.
    case cut
    case other
  }

  let planTable: PlanTable
  let running = RunningThreads()

  init(_ planTable: PlanTable) { self.planTable = planTable }

  /// Reads from an offset on, which moves past what was read, what begins before another one; samples older than
  /// `least` are something else.
  @inline(never)
  func read(
    _ data: RecordData, _ offset: inout Int, before limit: Int, least: UInt64,
    to target: UnsafeMutablePointer<OrderedRecord>, room: Int
  ) -> Run {
    let (plans, planPlaces) = (planTable.plans, planTable.planPlaces)
    let (idPlace, lowestID) = (planTable.idPlace, planTable.lowestID)
    let idCount = planTable.idCount
    let followsRuns = planTable.followsRuns
    guard let base = data.bytes.baseAddress else { return Run() }
    let end = base + data.range.upperBound
    let lastPlain = base + (data.bytes.count - planTable.reach)
    let lastHeader = min(end - 8, lastPlain, base + (limit - 1))
    var start = base + offset
    var output = target
    var (count, wanted, named) = (0, 0, 0)
    var first: UInt64 = 0
    let least = max(least, 1)
    var last = least
    var ending = Ending.other
    while true {
      guard wanted < room else {
        ending = .full
        break
      }
      lull_prefetch(start + RecordData.lookahead)
      guard start <= lastHeader else {
        if start <= lastPlain || start > end - 8 { ending = .cut }
        break
      }
      let header = start.loadUnaligned(as: UInt64.self)
      let size = Int(header >> 48)
      guard start + size <= end else {
        ending = .cut
        break
      }
      guard UInt32(truncatingIfNeeded: header) == RecordType.sample else { break }
      let id = start.loadUnaligned(fromByteOffset: idPlace, as: UInt64.self)
      let place = Int(truncatingIfNeeded: min(id &- lowestID, idCount))
      let plan = plans + Int(planPlaces[place])
      guard size >= plan.pointee.leastPlain, plan.pointee.isWhole(start, size) else { break }
      let time = plan.pointee.time(start)
      guard time >= last else {
        if time >= least { ending = .older }
        break
      }
      let cpu = plan.pointee.cpu(start)
      guard RunningThreads.holds(cpu) else { break }
      let thread = plan.pointee.thread(start)
      let tid = Int32(truncatingIfNeeded: thread >> 32)
      if plan.pointee.mayBeShown, running.isKnown(tid, on: cpu) {
        wanted &+= 1
      } else {
        let second = output.pointee.write(start, plan, time: time, thread: thread, cpu: cpu)
        if plan.pointee.telling != .values, planTable.isNamed(output.pointee.values, plan) {
          output.pointee = OrderedRecord(time: time, offset: start - base)
          output += 1
          wanted &+= 1
          named &+= 1
          if followsRuns { running.forget(cpu) }
        } else {
          output.pointee.tell(
            plan.pointee.event,
            isShown: followsRuns ? running.note(tid, on: cpu, plan, next: second) : 0)
          wanted &+= Int(plan.pointee.handsOut)
          output += Int(plan.pointee.handsOut)
        }
      }
      if count == 0 { first = time }
      count &+= 1
      last = time
      start += size
    }
    offset = start - base
    return Run(
      count: count, wanted: wanted, kept: output - target, named: named, first: first, last: last,
      ending: ending)
  }
}
