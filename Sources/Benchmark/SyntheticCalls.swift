import PerfData

/// A trace of threads that make system calls, as `perf trace record` would have written it: each call's entry and exit,
/// in rounds.
struct SyntheticCalls {
  private static let threads: Int32 = 8
  private static let callsInRound = 5000
  /// read, write, futex, epoll_wait and getpid of x86-64.
  private static let numbers: [Int64] = [0, 1, 202, 232, 39]

  private let events = SyntheticEvents(
    system: "raw_syscalls", firstID: 400, command: ["perf", "trace", "record", "--", "bench"],
    [
      ("sys_enter", [.long("id"), .longs("args", 6)]),
      ("sys_exit", [.long("id"), .long("ret")]),
    ])

  /// Writes a trace of about `count` records.
  func write(to path: String, records count: Int) throws {
    var time: UInt64 = 1_000_000_000
    let writer = try events.writer(to: path, threads: Self.threads, time: time)
    var random = SyntheticEvents.Random()
    var written = 0
    while written < count {
      var rings: [[UInt8]] = [[], []]
      for _ in 0..<min(Self.callsInRound, max((count - written) / 2, 1)) {
        time += 1000 + random.next() % 1000
        let cpu = Int(random.next() % 2)
        let tid = 1000 + Int32(random.next() % UInt64(Self.threads / 2)) * 2 + Int32(cpu)
        let number = Self.numbers[Int(random.next() % UInt64(Self.numbers.count))]
        events.append(0, to: &rings[cpu], time: time, cpu: cpu, pid: 1000, tid: tid) {
          $0.put(number, at: 8)
          $0.put(UInt64(3), at: 16)
        }
        events.append(
          1, to: &rings[cpu], time: time + 100 + random.next() % 800, cpu: cpu, pid: 1000, tid: tid
        ) {
          $0.put(number, at: 8)
          $0.put(Int64(64), at: 16)
        }
        written += 2
      }
      try writer.append(rings[0])
      try writer.append(rings[1])
      try writer.appendFinishedRound()
    }
    try writer.finish(features: events.features)
  }
}
