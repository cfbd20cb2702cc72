import CPerfEvent
import Dispatch
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
    /// Switched on, in a group that may be off.
    var isOn: Bool
    /// Why it could not be opened.
    var failure: String?
  }

  private(set) var events: [Opened]
  private(set) var rings: [PerfRing] = []
  /// Of each thread and CPU the leader of the group of its sliced events: while it is off, they are, and a switch of the
  /// thread passes them by.
  private var gates: [Int32] = []
  /// The same of each CPU for the events that stand in for those of the threads.
  private var gatesOfCPU: [Int32: Int32] = [:]
  private var areThreadsClosed = false
  /// Whether all sliced events can be switched together.
  private(set) var canSlice = true
  private static let mostAnchors = 256
  private let closing = DispatchQueue(label: "closing events")
  private let cpus: [Int32]
  private let ringBytes: Int
  private var requests: EventRequest

  private var lastRefresh: UInt64 = 0
  private static let refreshInterval: UInt64 = 100_000_000
  /// Each is a system call of a microsecond or so.
  private static let refreshedDescriptors = 1000

  /// All rings together take at most this much; one CPU's at most `largestRing`.
  ///
  /// 16 MiB hold half a second of 300,000 scheduler events a second of one CPU.
  private static let ringBudget = 512 << 20
  private static let largestRing = 16 << 20
  /// Room for a hundred records that are read at once.
  private static let smallRing = 16 << 10

  init(specs: [EventSpec], cpus: [Int32]) {
    events = specs.map { Opened(spec: $0, isOn: !$0.startsDisabled) }
    self.cpus = cpus
    var bytes = Self.largestRing
    while bytes * cpus.count > Self.ringBudget, bytes > 1 << 20 { bytes /= 2 }
    ringBytes = bytes
    requests = EventRequest(ringBytes: bytes)
  }

  deinit { close() }

  /// Opens the events of every CPU.
  func openSystem() throws(RecordingError) {
    if events.contains(where: { $0.spec.standsInFor != nil }) { openGatesOfCPUs() }
    for index in events.indices where events[index].spec.reach == .system {
      let spec = events[index].spec
      let isGrouped = spec.standsInFor != nil && spec.isSliced
      for cpu in cpus {
        let group = isGrouped ? gatesOfCPU[cpu] : nil
        if try !open(index, pid: -1, cpu: cpu, group: group ?? -1) { break }
      }
    }
  }

  private func openGatesOfCPUs() {
    var gate = EventSpec.gate
    gate.reach = .system
    gate.startsDisabled = true
    for cpu in cpus {
      let descriptor = requests.open(gate, pid: -1, cpu: cpu, group: -1).result
      if descriptor >= 0 { gatesOfCPU[cpu] = descriptor }
    }
  }

  /// Whether an event of each CPU is there for every one of the threads' that has one.
  var canStandIn: Bool {
    let standIns = events.filter { $0.spec.standsInFor != nil }
    return !standIns.isEmpty && gatesOfCPU.count == cpus.count
      && standIns.allSatisfy { $0.failure == nil }
  }

  /// Closes the groups of the threads' sliced events, which are closed themselves.
  func closeThreadGates() {
    let closed = gates
    gates = []
    areThreadsClosed = true
    closing.async { for gate in closed { Glibc.close(gate) } }
  }

  /// Opens the events of one thread; false when it has ended.
  ///
  /// The event that announces new threads comes last: a thread that was announced has all.
  func openThread(_ tid: Int32) throws(RecordingError) -> Bool {
    let order = events.indices.filter { events[$0].spec.reach == .task }
    var gateOfCPU: [Int32: Int32] = [:]
    if order.contains(where: { events[$0].spec.isSliced }) {
      for cpu in cpus {
        let gate = requests.open(.gate, pid: tid, cpu: cpu, group: -1).result
        guard gate >= 0 else {
          // The events themselves will say why; those that can be had for all that stay on.
          canSlice = canSlice && gate == -ESRCH
          continue
        }
        gateOfCPU[cpu] = gate
        gates.append(gate)
      }
    }
    for index in order.dropFirst() + order.prefix(1) where events[index].failure == nil {
      for cpu in cpus {
        let group = events[index].spec.isSliced ? gateOfCPU[cpu] : nil
        do {
          if try !open(index, pid: tid, cpu: cpu, group: group ?? -1) { break }
        } catch  where error.kind == .noSuchProcess { return false }
      }
    }
    return true
  }

  /// Keeps the probes in what a thread of a process has become by exec, by the process's id.
  ///
  /// The kernel puts a probe's breakpoints into a new program if the task of one of its events runs it. But threads that switch
  /// to each other directly swap their inherited events, which keep the task they were made for (perf_event_context_sched_out
  /// and __uprobe_perf_filter): of the thread that is left at an exec, the events may be those of threads that ended by it. A
  /// new event of the task, which is never on, puts them in.
  func keepProbes(in pid: Int32) {
    var room = Self.mostAnchors - events.reduce(0) { $0 + $1.anchors.count }
    for index in events.indices
    where events[index].spec.isProbe && !events[index].descriptors.isEmpty && room > 0 {
      guard let anchor = EventRequest.anchor(of: events[index].spec, in: pid) else { continue }
      events[index].anchors.append(anchor)
      room -= 1
    }
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
    if error == EMFILE || error == ENFILE {
      throw RecordingError(
        kind: .io,
        message: "too few file descriptors: each thread needs one for each event and CPU; raise"
          + " the limit (ulimit -n) or record with --scope process and fewer counters",
        errno: error)
    }
    fail(index, "\(events[index].spec.name): \(EventRequest.explain(error))")
    return false
  }

  private func fail(_ index: Int, _ reason: String) {
    for descriptor in events[index].descriptors { Glibc.close(descriptor) }
    events[index].descriptors = []
    events[index].ids = []
    events[index].failure = reason
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
    let joined = rings.contains {
      $0.cpu == cpu && $0.wakesAtOnce == wakes
        && lull_perf_set_output(descriptor, $0.descriptor) == 0
    }
    if !joined {
      var error: Int32 = 0
      guard
        let ring = PerfRing(
          descriptor: descriptor, cpu: cpu, bytes: wakes ? Self.smallRing : ringBytes,
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

  /// What can be written to the trace: an attribute for each event that is open.
  var attributes: [EventAttribute] {
    events.filter { !$0.ids.isEmpty }.map { opened in
      EventAttribute(
        type: opened.spec.type, config: opened.spec.config, sampleType: opened.spec.fields,
        readFormat: opened.countsLost ? EventRequest.formatLost : 0,
        sampleRegsUser: opened.spec.registers, sampleStackUser: opened.spec.stackBytes,
        flags: opened.spec.flags, samplePeriod: opened.spec.period, ids: opened.ids,
        name: opened.spec.name)
    }
  }

  /// The format texts of the open tracepoints, each once.
  var formats: [TracingData.Format] {
    var seen: Set<UInt64> = []
    return events.compactMap { opened in
      guard !opened.ids.isEmpty, let text = opened.spec.format,
        seen.insert(opened.spec.config).inserted
      else { return nil }
      return TracingData.Format(system: opened.spec.system, text: text)
    }
  }

  /// What could not be opened, with the reasons.
  var unavailable: [CaptureEvent.Unavailable] {
    events.compactMap { opened in
      // What only stands in for another is missed by nobody.
      guard opened.spec.standsInFor == nil else { return nil }
      return opened.failure.map { .init(signal: opened.spec.signal, reason: $0) }
    }
  }

  /// Switches an event on or off in all threads, those that inherited it too.
  func set(_ index: Int, enabled: Bool) {
    events[index].isOn = enabled
    for descriptor in events[index].descriptors {
      _ = enabled ? lull_perf_enable(descriptor) : lull_perf_disable(descriptor)
    }
  }

  /// Switches all sliced events of the target's threads, each to what it is set to by itself.
  func setGates(enabled: Bool) {
    for gate in areThreadsClosed ? Array(gatesOfCPU.values) : gates {
      _ = enabled ? lull_perf_enable(gate) : lull_perf_disable(gate)
    }
  }

  /// Lets each thread's next event of a source with a frequency be recorded.
  ///
  /// The kernel's period grows within a burst at once and falls slowly: what came after would go unseen.
  func refreshFrequencies(now: UInt64) {
    guard now &- lastRefresh >= Self.refreshInterval else { return }
    lastRefresh = now
    for opened in events where opened.spec.flags & EventSpec.Flag.frequency != 0 {
      guard opened.descriptors.count <= Self.refreshedDescriptors else { continue }
      for descriptor in opened.descriptors {
        _ = lull_perf_set_period(descriptor, opened.spec.period)
      }
    }
  }

  /// An event's exact count, and the records it lost where the kernel tells (Linux 6.0).
  func count(_ index: Int) -> (count: UInt64, lost: UInt64) {
    var total: (count: UInt64, lost: UInt64) = (0, events[index].lostBefore)
    for descriptor in events[index].descriptors {
      var count: UInt64 = 0
      var lost: UInt64 = 0
      if lull_perf_read(descriptor, &count, &lost, events[index].countsLost ? 1 : 0) == 0 {
        total.count &+= count
        total.lost += lost
      }
    }
    return total
  }

  /// Ends events for good in all threads: one that is only switched off still costs something at each switch, and a probe at
  /// each call.
  ///
  /// With a probe's last event the kernel waits up to 0.1 s for all CPUs: that is waited for elsewhere, and once all probes are
  /// out of the target, since their last events are the recorder's own.
  func close(_ indices: some Sequence<Int>) {
    var probes: [EventSpec] = []
    var ofProbes: [Int32] = []
    var others: [Int32] = []
    for index in indices where !events[index].descriptors.isEmpty {
      events[index].lostBefore = count(index).lost
      set(index, enabled: false)
      if events[index].spec.isProbe {
        probes.append(events[index].spec)
        ofProbes += events[index].descriptors + events[index].anchors
      } else {
        others += events[index].descriptors
      }
      events[index].descriptors = []
      events[index].anchors = []
    }
    closing.async { [probes, ofProbes, others] in
      let last = probes.compactMap { EventRequest.anchor(of: $0, in: 0) }
      for descriptor in ofProbes + others + last { Glibc.close(descriptor) }
    }
  }

  /// Stops all events.
  func disable() {
    for index in events.indices { set(index, enabled: false) }
    setGates(enabled: false)
  }

  /// Closes all; the rings with them.
  func close() {
    rings = []
    close(events.indices)
    closing.sync {}
    for descriptor in gates + gatesOfCPU.values { Glibc.close(descriptor) }
    gates = []
    gatesOfCPU = [:]
  }
}
