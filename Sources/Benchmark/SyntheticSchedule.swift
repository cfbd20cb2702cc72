import PerfData

/// A trace of threads that wake each other, as `perf sched record` would have written it: switches, wakes and run times
/// of two CPUs, in rounds.
struct SyntheticSchedule {
  private static let threads: Int32 = 8
  private static let recordsInRound = 10_000

  private let events: SyntheticEvents

  init() {
    events = SyntheticEvents(
      system: "sched", firstID: 300, command: ["perf", "sched", "record", "--", "bench"],
      [
        (
          "sched_switch",
          [
            .name("prev_comm"), .int("prev_pid"), .int("prev_prio"), .long("prev_state"),
            .name("next_comm"), .int("next_pid"), .int("next_prio"),
          ]
        ),
        ("sched_waking", [.name("comm"), .int("pid"), .int("prio"), .int("target_cpu")]),
        ("sched_stat_runtime", [.name("comm"), .int("pid"), .long("runtime")]),
      ])
  }

  /// Writes a trace of about `count` records.
  func write(to path: String, records count: Int) throws {
    var time: UInt64 = 1_000_000_000
    let writer = try events.writer(to: path, threads: Self.threads, time: time)
    var random = SyntheticEvents.Random()
    var running: [Int32] = [0, 0]
    var written = 0
    while written < count {
      // Each CPU's ring is emptied in turn, so a round is two ascending runs.
      var rings: [[UInt8]] = [[], []]
      for _ in 0..<min(Self.recordsInRound, max(count - written, 4)) / 4 {
        time += 500 + random.next() % 4000
        let cpu = Int(random.next() % 2)
        let old = running[cpu]
        var new = 1000 + Int32(random.next() % UInt64(Self.threads))
        if new == running[1 - cpu] { new = 0 }
        guard new != old else { continue }
        if new != 0 { append(1, to: &rings[cpu], time: time, cpu: cpu, tid: old, [(24, new)]) }
        if old != 0 {
          append(2, to: &rings[cpu], time: time + 100, cpu: cpu, tid: old, [(24, old)])
        }
        append(
          0, to: &rings[cpu], time: time + 200, cpu: cpu, tid: old, [(24, old), (56, new)],
          state: random.next() % 4 == 0 ? 0 : 1)
        written += 1 + (new != 0 ? 1 : 0) + (old != 0 ? 1 : 0)
        running[cpu] = new
      }
      try writer.append(rings[0])
      try writer.append(rings[1])
      try writer.appendFinishedRound()
    }
    try writer.finish(features: events.features)
  }

  private func append(
    _ event: Int, to ring: inout [UInt8], time: UInt64, cpu: Int, tid: Int32,
    _ numbers: [(offset: Int, value: Int32)], state: UInt64 = 0
  ) {
    events.append(event, to: &ring, time: time, cpu: cpu, pid: tid == 0 ? 0 : 1000, tid: tid) {
      for number in numbers { $0.put(number.value, at: number.offset) }
      if event == 0 { $0.put(state, at: 32) }
    }
  }
}
