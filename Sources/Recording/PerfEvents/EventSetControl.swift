import CPerfEvent
import Glibc
import PerfData

/// Switching, counting and closing events that are open.
extension EventSet {
  private static let mostAnchors = 256
  private static let refreshInterval: UInt64 = 100_000_000
  /// Each is a system call of a microsecond or so.
  private static let refreshedDescriptors = 1000

  /// Switches an event on or off in all threads, those that inherited it too.
  func set(_ index: Int, enabled: Bool) {
    events[index].isOn = enabled
    for descriptor in events[index].descriptors {
      _ = enabled ? lull_perf_enable(descriptor) : lull_perf_disable(descriptor)
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

  /// Keeps the probes in what a thread of a process has become by exec, by the process's id.
  ///
  /// The kernel puts a probe's breakpoints into a new program if the task of one of its events runs it. But threads
  /// that switch to each other directly swap their inherited events, which keep the task they were made for
  /// (perf_event_context_sched_out and __uprobe_perf_filter): of the thread that is left at an exec, the events may be
  /// those of threads that ended by it. A new event of the task, which is never on, puts them in.
  func keepProbes(in pid: Int32) {
    var room = Self.mostAnchors - events.reduce(0) { $0 + $1.anchors.count }
    for index in events.indices
    where events[index].spec.kind == .uprobe && !events[index].descriptors.isEmpty && room > 0 {
      guard let anchor = EventRequest.anchor(of: events[index].spec, in: pid) else { continue }
      events[index].anchors.append(anchor)
      room -= 1
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

  /// Ends events for good in all threads: one that is only switched off still costs something at each switch, and a
  /// probe at each call.
  ///
  /// With a probe's last event the kernel waits up to 0.1 s for all CPUs, while no thread can be given one: so the
  /// recorder keeps one of its own.
  func close(_ indices: some Sequence<Int>) {
    closing.close(giveUp(indices))
  }

  /// Switches events off and gives their descriptors; what keeps their probes stays.
  private func giveUp(_ indices: some Sequence<Int>) -> [Int32] {
    var given: [Int32] = []
    for index in indices where !events[index].descriptors.isEmpty {
      let spec = events[index].spec
      if spec.kind == .uprobe, events[index].keeper == nil {
        events[index].keeper = EventRequest.anchor(of: spec, in: 0)
      }
      events[index].lostBefore = count(index).lost
      set(index, enabled: false)
      given += events[index].descriptors + events[index].anchors
      retired += events[index].later.keys
      events[index].descriptors = []
      events[index].anchors = []
      events[index].later = [:]
    }
    return given
  }

  /// Gives all, in the order in which to close them: first all probes come out of the target, since their last events
  /// are the recorder's own. These come before the tracepoints, which the next recorder holds by then.
  private func giveUpAll() -> [Int32] {
    let probes = events.indices.filter { events[$0].spec.kind == .uprobe }
    let others = events.indices.filter { events[$0].spec.kind != .uprobe }
    let ofProbes = giveUp(probes) + probes.compactMap { events[$0].keeper }
    for index in probes { events[index].keeper = nil }
    return ofProbes + giveUp(others)
  }

  /// Leaves what is sliced to the groups of the CPUs; gives those of the threads' events, to be closed after these.
  func giveUpThreadGates() -> [Int32] { gates.giveUpThreads() }

  func closeGates(_ gates: [Int32]) { closing.close(gates) }

  /// Stops all events.
  func disable() {
    for index in events.indices { set(index, enabled: false) }
    gates.set(enabled: false)
  }

  /// Leaves all events to be closed, without their rings.
  func leave(to leftovers: Leftovers) {
    rings = []
    leftovers.add(giveUpAll())
    leftovers.add(closing.takeRest())
    leftovers.add(ringOwners)
    ringOwners = []
    leftovers.add(gates.giveUp())
  }

  /// Closes all; the rings with them.
  func close() {
    rings = []
    closing.close(giveUpAll())
    closing.finish()
    for descriptor in ringOwners + gates.giveUp() { Glibc.close(descriptor) }
    ringOwners = []
  }
}
