import Quantities

/// Where threads waited, to tell where a call was made of which no stack was taken: who waits in it is in it.
struct WaitStacks {
  private struct Wait {
    var start: Timestamp
    var end: Timestamp
    var stack: Int
  }

  /// In order of time.
  private var waits: [Int32: [Wait]] = [:]

  /// Of the threads that are asked about.
  init(of threads: [ThreadModel], _ tids: Set<Int32>) {
    for thread in threads where tids.contains(thread.tid) {
      for interval in thread.intervals {
        guard case .blocked = interval.state, let stack = interval.stack else { continue }
        waits[thread.tid, default: []].append(
          Wait(start: interval.start, end: interval.end, stack: stack))
      }
    }
    // Of an id that was given anew there are two threads.
    for tid in waits.keys { waits[tid]?.sort { $0.start < $1.start } }
  }

  /// That of the longest wait of a thread that lies within a call.
  func stack(of tid: Int32, from start: Timestamp, to end: Timestamp) -> Int? {
    guard let own = waits[tid] else { return nil }
    return own[own.partitioningIndex { $0.start >= start }...].prefix { $0.start < end }
      .filter { $0.end <= end }.max { $0.end - $0.start < $1.end - $1.start }?.stack
  }
}
