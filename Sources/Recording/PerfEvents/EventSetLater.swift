import CPerfEvent
import Glibc
import PerfData

/// Opening events again that were closed in all threads, in those of one program.
///
/// They have other ids than those that stand in the trace since its beginning, which the drain puts in their place.
extension EventSet {
  /// A process of so many events would take too long.
  private static let mostLater = 2000

  /// Opens closed events of the target in each thread of a process, which they are inherited from as ever.
  ///
  /// It takes the kernel up to a millisecond for each, and a program that has just begun makes its threads meanwhile.
  ///
  /// - Returns: The ids that the kernel gave them; none where the process has ended.
  func reopen(_ indices: [Int], in pid: Int32) -> [UInt64] {
    let wanted = indices.flatMap { index in cpus.map { (index: index, cpu: $0) } }
    var ids: [UInt64] = []
    // For each of its threads since when it has each of them.
    var had: [Int32: [UInt64]] = [:]
    var waiting = ProcessProbe.threadIDs(pid: pid).map {
      PerfRing.Beginning(pid: pid, tid: $0, parent: 0, time: 0)
    }
    while !waiting.isEmpty, (had.count + waiting.count) * wanted.count <= Self.mostLater {
      for thread in waiting {
        had[thread.tid] = wanted.enumerated().map { place, event in
          if let since = had[thread.parent]?[place], since < thread.time { return thread.time }
          if let id = reopen(event.index, in: thread.tid, on: event.cpu) { ids.append(id) }
          return SystemInfo.monotonicNanoseconds()
        }
      }
      waiting = rings.flatMap { $0.beginnings() }.filter { $0.pid == pid && had[$0.tid] == nil }
        .sorted { $0.time < $1.time }
    }
    return ids
  }

  private func reopen(_ index: Int, in tid: Int32, on cpu: Int32) -> UInt64? {
    guard let known = events[index].ids.first,
      let ring = rings.first(where: { $0.cpu == cpu && !$0.wakesAtOnce })
    else { return nil }
    let descriptor = requests.open(events[index].spec, pid: tid, cpu: cpu, group: -1).result
    guard descriptor >= 0 else { return nil }
    var id: UInt64 = 0
    guard lull_perf_set_output(descriptor, ring.descriptor) == 0, lull_perf_id(descriptor, &id) == 0
    else {
      Glibc.close(descriptor)
      return nil
    }
    events[index].descriptors.append(descriptor)
    events[index].later[id] = descriptor
    standIns[id] = known
    return id
  }

  /// Closes what was opened again, by the kernel's ids, as far as it is still open.
  func closeLater(_ ids: [UInt64]) {
    var closed: Set<Int32> = []
    for index in events.indices where !events[index].later.isEmpty {
      for id in ids {
        guard let descriptor = events[index].later.removeValue(forKey: id) else { continue }
        _ = lull_perf_disable(descriptor)
        var (count, lost): (UInt64, UInt64) = (0, 0)
        if events[index].countsLost, lull_perf_read(descriptor, &count, &lost, 1) == 0 {
          events[index].lostBefore += lost
        }
        retired.append(id)
        closed.insert(descriptor)
      }
      events[index].descriptors.removeAll { closed.contains($0) }
    }
    closing.close(closed)
  }
}

extension EventSet {
  /// The ids that nothing is written by from here on.
  func takeRetired() -> [UInt64] {
    defer { retired = [] }
    return retired
  }
}
