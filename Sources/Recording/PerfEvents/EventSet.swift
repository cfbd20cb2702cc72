import CPerfEvent
import Glibc
import PerfData

/// The open events of a recording, with the rings they write to.
final class EventSet {
  /// An event as it is open: one descriptor for each CPU, of each thread.
  struct Opened {
    var spec: EventSpec
    var descriptors: [Int32] = []
    var ids: [UInt64] = []
    var countsLost = false
    /// Records lost until it was closed.
    var lostBefore: UInt64 = 0
    /// Events that count nothing, each of which keeps its probe in a program.
    var anchors: [Int32] = []
    /// One of the recorder's own, by which a probe outlives its events; nil where it has those.
    var keeper: Int32?
    /// Of the descriptors those that were opened after it had been closed, by the kernel's ids: see `EventSetLater`.
    var later: [UInt64: Int32] = [:]
    /// Switched on, in a group that may be off.
    var isOn: Bool
    /// Why it could not be opened.
    var failure: String?
  }

  var events: [Opened]
  var rings: [PerfRing] = []
  var gates = EventGates()
  let closing = Closer("closing events")
  let cpus: [Int32]
  private let ringBytes: Int
  var requests: EventRequest
  /// Of events that were given up, those whose rings others write to.
  var ringOwners: [Int32] = []

  var lastRefresh: UInt64 = 0

  /// For ids of events that were opened later those by which the trace knows them.
  var standIns: [UInt64: UInt64] = [:]
  /// Those of them that nothing is written by any longer, but what the rings may still hold.
  var retired: [UInt64] = []

  init(specs: [EventSpec], cpus: [Int32], ringBytes most: Int = .max) {
    events = specs.map { Opened(spec: $0, isOn: !$0.startsDisabled) }
    self.cpus = cpus
    // Where there is no room the kernel is to say so.
    ringBytes = min(most, RingShare.bytes(cpus: cpus.count) ?? RingShare.smallest)
    requests = EventRequest(ringBytes: ringBytes)
  }

  deinit { close() }

  /// Opens the events of every CPU.
  func openSystem() throws(RecordingError) {
    if events.contains(where: { $0.spec.replaced != nil }) { gates.openCPUs(cpus, &requests) }
    for index in events.indices where events[index].spec.visibility != .target {
      let spec = events[index].spec
      let isGrouped = spec.replaced != nil && spec.cost.isSliced
      for cpu in cpus {
        let group = isGrouped ? gates.ofCPUs[cpu] : nil
        if try !open(index, pid: -1, cpu: cpu, group: group ?? -1) { break }
      }
    }
  }

  /// Whether a CPU-wide event is there for every one of the threads' that has one.
  /// Events of the CPUs are to take the place of the threads' at once: there are too few descriptors for these.
  var isForTakeover = false

  var canBeTakenOver: Bool {
    let wide = events.filter { $0.spec.replaced != nil }
    return !wide.isEmpty && gates.ofCPUs.count == cpus.count
      && wide.allSatisfy { $0.failure == nil }
  }

  /// Whether threads are told of by events of the CPUs alone.
  var areOfCPUs: Bool {
    events.contains { $0.spec.flags & EventSpec.Flag.task != 0 && $0.spec.visibility != .target }
      && !events.contains {
        $0.spec.flags & EventSpec.Flag.task != 0 && $0.spec.visibility == .target
      }
  }

  /// Opens the events of one thread; false when it has ended.
  ///
  /// The event that announces new threads comes last: a thread that was announced has all.
  func openThread(_ tid: Int32) throws(RecordingError) -> Bool {
    let order = events.indices.filter { events[$0].spec.visibility == .target }
    let isAnySliced = order.contains { events[$0].spec.cost.isSliced }
    let gateOfCPU = isAnySliced ? gates.openThread(tid, cpus, &requests) : [:]
    for index in order.dropFirst() + order.prefix(1) where events[index].failure == nil {
      for cpu in cpus {
        let group = events[index].spec.cost.isSliced ? gateOfCPU[cpu] : nil
        do {
          if try !open(index, pid: tid, cpu: cpu, group: group ?? -1) { break }
        } catch  where error.kind == .noSuchProcess { return false }
      }
    }
    return true
  }

  /// How many descriptors the events of a thread take.
  var descriptorsOfThread: Int {
    let own = events.lazy.filter { $0.spec.visibility == .target }
    // One more groups those that are switched together.
    return (own.count + (own.contains { $0.spec.cost.isSliced } ? 1 : 0)) * cpus.count
  }

  /// Opens one event; false when it cannot be had at all and was given up.
  private func open(
    _ index: Int, pid: Int32, cpu: Int32, group: Int32 = -1
  ) throws(RecordingError) -> Bool {
    let (result, event) = requests.open(events[index].spec, pid: pid, cpu: cpu, group: group)
    guard result >= 0 else { return try refuse(index, error: -result, pid: pid) }
    events[index].spec.flags = event.flags
    events[index].countsLost = event.read_format != 0
    return try adopt(result, index: index, pid: pid, cpu: cpu)
  }

  private func refuse(_ index: Int, error: Int32, pid: Int32) throws(RecordingError) -> Bool {
    if error == ESRCH, pid > 0 {
      throw RecordingError(kind: .noSuchProcess, message: "thread \(pid) has ended", errno: error)
    }
    if error == EMFILE || error == ENFILE { throw tooFewDescriptors(error) }
    fail(index, "\(events[index].spec.name): \(EventRequest.explain(error))")
    return false
  }

  func tooFewDescriptors(_ error: Int32 = EMFILE) -> RecordingError {
    RecordingError(
      kind: .io,
      message:
        "too few file descriptors: each thread needs \(descriptorsOfThread), one for each event and CPU;"
        + " raise the hard limit (`ulimit -Hn` shows it; root may record any number of threads)",
      errno: error)
  }

  private func fail(_ index: Int, _ reason: String) {
    for descriptor in events[index].descriptors {
      let ring = rings.firstIndex { $0.descriptor == descriptor }
      if let ring, rings[ring].isShared {
        // Others write to it, and it is by this descriptor that they are waited for.
        _ = lull_perf_disable(descriptor)
        ringOwners.append(descriptor)
      } else {
        if let ring { rings.remove(at: ring) }
        Glibc.close(descriptor)
      }
    }
    events[index].descriptors = []
    events[index].ids = []
    events[index].failure = reason
  }

  /// Opens each event in the recorder itself, where it is never on: those of programs that are found later write to its
  /// rings, and stand in the trace under its ids.
  func openModels() throws(RecordingError) {
    for index in events.indices {
      var spec = events[index].spec
      // It is not inherited by what the recorder starts.
      spec.visibility = .machine(by: .maker)
      spec.flags = spec.flags & ~EventSpec.Flag.inheritThread | EventSpec.Flag.disabled
      for cpu in cpus {
        let (result, event) = requests.open(spec, pid: 0, cpu: cpu, group: -1)
        guard result >= 0 else {
          fail(index, "\(spec.name): \(EventRequest.explain(-result))")
          break
        }
        events[index].spec.flags |= event.flags & ~EventSpec.Flag.disabled
        events[index].countsLost = event.read_format != 0
        if try !adopt(result, index: index, pid: 0, cpu: cpu) { break }
      }
    }
  }

  private func adopt(
    _ descriptor: Int32, index: Int, pid: Int32, cpu: Int32
  ) throws(RecordingError) -> Bool {
    var id: UInt64 = 0
    var result = lull_perf_id(descriptor, &id)
    if result == 0, let filter = events[index].spec.filter {
      result = lull_perf_set_filter(descriptor, filter)
    }
    guard result == 0 else {
      Glibc.close(descriptor)
      fail(index, "\(events[index].spec.name): \(EventRequest.explain(-result))")
      return false
    }
    let wakes = events[index].spec.wakesAtOnce
    let joined = rings.first {
      $0.cpu == cpu && $0.wakesAtOnce == wakes
        && lull_perf_set_output(descriptor, $0.descriptor) == 0
    }
    joined?.isShared = true
    if joined == nil {
      var error: Int32 = 0
      guard
        let ring = PerfRing(
          descriptor: descriptor, cpu: cpu, bytes: wakes ? RingShare.small : ringBytes,
          wakesAtOnce: wakes, error: &error)
      else {
        Glibc.close(descriptor)
        fail(index, "\(events[index].spec.name): no ring buffer: \(EventRequest.explain(error))")
        return false
      }
      rings.append(ring)
    }
    events[index].descriptors.append(descriptor)
    events[index].ids.append(id)
    return true
  }
}
