import Testing

@testable import Recording

@Suite struct OutsideThreadTests {
  private typealias Step = OutsideThread.Step

  /// What a thread does, one thing after another, in nanoseconds.
  private enum Deed {
    case runs(UInt64)
    case waits(UInt64)
    case queues(UInt64)
  }

  private struct Truth {
    var deeds: [Deed]

    /// What /proc says at a moment, and whether the thread waits then.
    func look(at time: UInt64, tick: UInt64 = 4_000_000) -> (OutsideReading, waits: Bool) {
      var reading = OutsideReading(time: time, processor: 0, queued: 0, arrivals: 1)
      var at: UInt64 = 0
      for (index, deed) in deeds.enumerated() {
        let length =
          switch deed {
          case .runs(let length), .waits(let length), .queues(let length): length
          }
        let passed = min(time - at, length)
        let isNow = time < at + length || index == deeds.count - 1
        switch deed {
        case .runs:
          if index > 0, passed > 0 || isNow { reading.arrivals += 1 }
          // While it is on a CPU its time is of the last tick.
          reading.processor +=
            isNow ? (at + passed) / tick * tick > at ? (at + passed) / tick * tick - at : 0 : passed
          if isNow { return (reading, false) }
        case .waits: if isNow { return (reading, true) }
        case .queues:
          // It is counted once the thread has got its CPU.
          if isNow { return (reading, false) }
          reading.queued += length
        }
        at += length
      }
      return (reading, true)
    }

    /// How many waits have begun by then.
    func waits(by time: UInt64) -> UInt64 {
      var at: UInt64 = 0
      var count: UInt64 = 0
      for deed in deeds where at <= time {
        switch deed {
        case .runs(let length), .queues(let length): at += length
        case .waits(let length):
          count += 1
          at += length
        }
      }
      return count
    }
  }

  /// What is told of looks at such times: time on a CPU, waiting and queued, how many waits, and the ends of those of
  /// 50 ms and more.
  private func told(
    _ deeds: [Deed], looks: some Sequence<UInt64>, isCounted: Bool = true
  ) -> (
    run: UInt64, waited: UInt64, queued: UInt64, count: Int, waits: [(from: UInt64, to: UInt64)]
  ) {
    let truth = Truth(deeds: deeds)
    var thread = OutsideThread(
      OutsideReading(time: 0, processor: 0, queued: 0, arrivals: 1), isOn: true,
      waits: isCounted ? 0 : nil)
    var steps: [Step] = [.arrived(0)]
    var last: (arrivals: UInt64, waits: Bool) = (1, false)
    var end: UInt64 = 0
    for time in looks {
      let (reading, waits) = truth.look(at: time)
      if waits, last.waits, reading.arrivals == last.arrivals {
        thread.waits(until: time)
      } else {
        let count = { isCounted ? truth.waits(by: time) : nil }
        steps +=
          waits
          ? thread.waits(reading, waits: count) : thread.runs(reading, waits: count)
      }
      last = (reading.arrivals, waits)
      end = time
    }
    steps += thread.finish()
    var sums = (run: UInt64(0), waited: UInt64(0), queued: UInt64(0))
    var found: [(from: UInt64, to: UInt64)] = []
    var count = 0
    var at: UInt64 = 0
    var state = "runs"
    for step in steps + [.arrived(end)] {
      let (time, next) =
        switch step {
        case .arrived(let time): (time, "runs")
        case .preempted(let time): (time, "queues")
        case .left(let time): (time, "waits")
        }
      #expect(time >= at, "\(steps)")
      switch state {
      case "runs": sums.run += time - at
      case "waits":
        sums.waited += time - at
        count += 1
        if time - at >= 50_000_000 { found.append((at, time)) }
      default: sums.queued += time - at
      }
      (at, state) = (time, next)
    }
    return (sums.run, sums.waited, sums.queued, count, found)
  }

  private static let looks = stride(from: UInt64(1_300_000), to: 2_000_000_000, by: 4_000_000)

  @Test func `a wait that lasts is told to half the distance of two looks`() throws {
    let (run, waited, _, _, waits) = told(
      [
        .runs(1_000_000), .waits(400_000_000), .runs(70_000), .waits(300_000_000), .runs(50_000),
        .waits(2_000_000_000),
      ], looks: Self.looks)
    try #require(waits.count == 3)
    for (wait, truth) in zip(waits, [(1_000_000, 401_000_000), (401_070_000, 701_070_000)]) {
      #expect(abs(Int(wait.from) - truth.0) <= 2_100_000, "\(wait)")
      #expect(abs(Int(wait.to) - truth.1) <= 2_100_000, "\(wait)")
    }
    #expect(abs(Int(run) - 1_120_000) < 1000 && waited > 1_990_000_000)
  }

  @Test(arguments: [30, 80, 300] as [UInt64])
  func `how long it computed is told as it was`(milliseconds: UInt64) throws {
    let length = milliseconds * 1_000_000
    let (run, _, queued, _, waits) = told(
      [
        .runs(100_000), .waits(207_000_000), .runs(length), .queues(3_000_000), .runs(length),
        .waits(3_000_000_000),
      ], looks: Self.looks)
    #expect(abs(Int(run) - Int(2 * length + 100_000)) < 4_100_000, "\(run)")
    #expect(queued == 3_000_000)
    try #require(waits.count == 2)
    #expect(abs(Int(waits[1].from - waits[0].to) - Int(2 * length + 3_000_000)) <= 4_100_000)
  }

  // One that could run and has no CPU looks as one that runs.
  @Test(arguments: [1, 4, 60] as [UInt64])
  func `a thread among many more than there are CPUs computes no longer than it did`(
    milliseconds: UInt64
  ) {
    let turn = [Deed.runs(milliseconds * 1_000_000), .queues(milliseconds * 30_000_000)]
    let deeds = Array([[Deed]](repeating: turn, count: 64).joined())
    let (run, waited, queued, _, _) = told(
      deeds, looks: stride(from: 1_300_000, to: 1_900_000_000, by: 20_000_000))
    let truth = 1_900 / 31
    #expect(run / 1_000_000 <= UInt64(truth) + milliseconds + 10, "\(run)")
    #expect(run / 1_000_000 + milliseconds + 10 >= UInt64(truth), "\(run)")
    #expect(queued + waited + run <= 1_900_000_000 && queued > waited, "\(queued) \(waited)")
  }

  @Test func `a thread that has ended used no more than is left of its process's time`() {
    func ended(used: UInt64?, runs: Bool) -> (time: UInt64, used: UInt64, steps: Int) {
      var thread = OutsideThread(
        OutsideReading(time: 0, processor: 0, queued: 0, arrivals: 1), isOn: true, waits: 0)
      if !runs {
        _ = thread.waits(
          OutsideReading(time: 1_000_000, processor: 500_000, queued: 0, arrivals: 1))
      }
      let end = thread.ends(before: 201_000_000, used: used)
      return (end.time, end.used, end.steps.count)
    }
    #expect(ended(used: 3_000_000, runs: true) == (3_000_000, 3_000_000, 0))
    #expect(ended(used: nil, runs: true) == (100_500_000, 100_500_000, 0))
    // It was given a CPU once more.
    #expect(ended(used: 3_000_000, runs: false) == (101_000_000, 3_000_000, 1))
    #expect(ended(used: nil, runs: false) == (101_000_000, 0, 0))
  }

  // The kernel counts a running thread's time at its ticks: what was not counted yet was told as a wait, which cut a
  // turn in two.
  @Test(arguments: [1, 2, 40] as [UInt64])
  func `a thread that loses its CPU while it computes has not waited`(often: UInt64) throws {
    let (run, _, _, count, waits) = told(
      [
        .runs(100_000), .waits(209_100_000), .runs(20_000_000),
      ] + (0..<often).flatMap { _ in [.queues(10_000), .runs(280_000_000 / often)] }
        + [.waits(3_000_000_000)], looks: Self.looks, isCounted: often > 2)
    #expect(count == 2 && waits.count == 2)
    #expect(abs(Int(run) - 300_100_000) < 4_100_000, "\(run)")
  }

  @Test func `of waits too short to be seen the sums are told`() {
    // 2 000 turns of 40 µs with waits of 460 µs.
    let deeds = (0..<2000).flatMap { _ in [Deed.runs(40_000), .waits(460_000)] }
    let (run, waited, _, _, _) = told(
      deeds, looks: stride(from: UInt64(1_300_000), to: 999_000_000, by: 4_000_000))
    #expect(abs(Int(run) - 80_000_000) < 1_000_000, "\(run)")
    #expect(abs(Int(waited) - 918_000_000) < 4_000_000, "\(waited)")
  }

  // On a busy machine threads were found late: of one that ran then half the time since the look before was told as
  // time on a CPU.
  @Test func `a thread that is found running is as old as what it used`() {
    func start(_ used: UInt64, _ arrivals: UInt64, isRunning: Bool) -> UInt64 {
      let first = OutsideReading(
        time: 1_000_000_000, processor: used, queued: 2_000_000, arrivals: arrivals)
      return OutsideThread.beginning(of: first, isRunning: isRunning, notBefore: 900_000_000).time
    }
    #expect(start(3_000_000, 1, isRunning: true) == 995_000_000)
    #expect(start(3_000_000, 0, isRunning: true) == 995_000_000)
    // It has waited, or does: half of what is not known of is before it began.
    #expect(start(3_000_000, 1, isRunning: false) == 947_500_000)
    #expect(start(3_000_000, 2, isRunning: true) == 947_500_000)
    #expect(start(300_000_000, 1, isRunning: true) == 900_000_000)
  }

  @Test(arguments: [
    ("running", OutsideState.running),
    ("-1 0x0 0x0", .ended),
    (
      "-1 0x7ffc10 0x55d0",
      .waiting(OutsideCall(number: -1, stackPointer: 0x7ffc10, instruction: 0x55d0))
    ),
    (
      "202 0x7f01 0x80 0x2 0x0 0x0 0xffffffff 0x7ffe20 0x7f0abc",
      .waiting(
        OutsideCall(
          number: 202, first: 0x7f01, second: 0x80, stackPointer: 0x7ffe20, instruction: 0x7f0abc))
    ),
  ])
  func `what a thread is in is read`(text: String, state: OutsideState) {
    Array((text + "\n").utf8).withUnsafeBytes { #expect(OutsideFiles.parse($0) == state) }
  }

  @Test func `waits were for storage if each had a call and a page`() throws {
    func storage(_ reads: Int, _ writes: Int, _ fetched: Int, _ stored: Int) throws
      -> OutsideStorage
    {
      let text = """
        rchar: 9000000
        wchar: 7
        syscr: \(reads)
        syscw: \(writes)
        read_bytes: \(fetched)
        write_bytes: \(stored)
        cancelled_write_bytes: 4096
        """
      return try #require(OutsideStorage(Array(text.utf8)))
    }
    let before = try storage(10, 5, 40_960, 4_096)
    #expect(try storage(20, 5, 40_960 + 10 * 4_096, 4_096).explains(10, since: before))
    #expect(try storage(15, 10, 40_960 + 5 * 4_096, 6 * 4_096).explains(10, since: before))
    // An eventfd is read too, of which nothing lies in storage.
    #expect(try !storage(30, 5, 40_960 + 9 * 4_096, 4_096).explains(10, since: before))
    // One call may bring much, while the thread waits for something else.
    #expect(try !storage(12, 5, 4_096_000, 4_096).explains(10, since: before))
    #expect(try !storage(20, 5, 4_096_000, 4_096).explains(0, since: before))
    #expect(OutsideStorage(Array("rchar: 1\nsyscr: 2\n".utf8)) == nil)
  }
}
