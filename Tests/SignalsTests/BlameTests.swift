import PerfData
import Quantities
import TestSupport
import Testing

@testable import Signals
@testable import TraceModel

/// Tables and flame graphs of a trace whose every figure is known.
@Suite struct `Blame` {
  /// One thread that waits twice for a lock in `load()` and once in `store()`, and writes and sends.
  private static func trace() -> Trace {
    var stacks = StackTable()
    func frame(_ function: String, line: Int, isProgram: Bool = true) -> Int32 {
      stacks.intern(
        Frame(
          function: function, module: isProgram ? "/app" : "/lib/libc.so.6", moduleOffset: 0,
          file: isProgram ? "/src/App.swift" : nil, line: isProgram ? line : nil, isKernel: false,
          isProgram: isProgram))
    }
    let (innermost, main) = (frame("lock", line: 0, isProgram: false), frame("main", line: 1))
    let (load, loadLater) = (frame("load()", line: 10), frame("load()", line: 12))
    let store = frame("store()", line: 20)
    let gap = stacks.intern(.gap)
    let first = stacks.intern(stack: [innermost, load, main])
    let second = stacks.intern(stack: [innermost, loadLater, main])
    let third = stacks.intern(stack: [innermost, store, gap])
    func time(_ milliseconds: UInt64) -> Timestamp {
      Timestamp(nanoseconds: milliseconds * 1_000_000)
    }
    func wait(_ from: UInt64, _ to: UInt64, _ stack: Int?) -> ThreadInterval {
      ThreadInterval(start: time(from), end: time(to), state: .blocked(.lock), stack: stack)
    }
    let intervals = [
      ThreadInterval(start: time(0), end: time(100), state: .running),
      wait(100, 200, first), ThreadInterval(start: time(200), end: time(210), state: .running),
      wait(210, 510, second), ThreadInterval(start: time(510), end: time(520), state: .running),
      wait(520, 570, third), wait(570, 580, nil),
    ]
    let subject = ProcessModel(
      pid: 7, parentPid: 1, name: "app", executable: "/app", commandLine: [], isSwift: true,
      start: time(0), threadCount: 1, children: [])
    func write(_ at: UInt64, _ bytes: UInt64, _ stack: Int?) -> FileOperation {
      FileOperation(
        time: time(at), pid: 7, tid: 7, kind: .write, path: "/data", target: .regular,
        bytes: bytes, weight: 1, stack: stack)
    }
    func wakeup(_ at: UInt64) -> Wakeup {
      Wakeup(
        time: time(at), tid: 7, pid: 7, waker: 1, wakerPid: 1, context: .task, waited: .lock,
        cpuWasIdle: false)
    }
    return Trace(
      metadata: TraceMetadata(
        path: "", durationSeconds: 0.58, cpuCount: 1, lostEvents: 0, lostSamples: 0, throttled: 0,
        truncated: false, unknownRecords: 0, undecodable: [:]),
      start: time(0), end: time(580),
      tables: Tables(
        processes: [subject],
        threads: [
          ThreadModel(tid: 7, pid: 7, name: "a;b\n", start: time(0), intervals: .init(intervals))
        ],
        wakeups: [wakeup(200), wakeup(510), wakeup(570)],
        fileOperations: [
          write(10, 100, first), write(20, 100, nil), write(30, 300, third), write(40, 400, first),
          write(50, 60, nil),
        ],
        processorSamples: [
          ProcessorSample(time: time(20), pid: 7, tid: 7, stack: first),
          ProcessorSample(time: time(40), pid: 7, tid: 7, stack: third),
          ProcessorSample(time: time(60), pid: 8, tid: 8, stack: third),
        ]),
      stacks: stacks,
      subject: subject)
  }

  private static func near(_ value: Double?, _ expected: Double) -> Bool {
    value.map { abs($0 - expected) < 1e-9 } ?? false
  }

  private func tables() -> BlameTables {
    BlameMeasure(SubjectView(Self.trace()), priors: EnergyPriors()).tables(network: nil)
  }

  @Test func `blocked time is charged to the program's function, at the line that cost most`()
    throws
  {
    let rows = tables().blocked
    let load = try #require(rows.first { $0.function == "load()" })
    #expect(Self.near(load.selfSeconds, 0.4) && Self.near(load.inclusiveSeconds, 0.4))
    #expect(load.count == 2 && load.cause == .lock && load.line == 12)
    let main = try #require(rows.first { $0.function == "main" })
    #expect(main.selfSeconds == 0 && Self.near(main.inclusiveSeconds, 0.4))
    #expect(
      rows.first { $0.function == "[no stack]" }.map { Self.near($0.selfSeconds, 0.01) } == true)
    #expect(!rows.contains { $0.function == "lock" })
    #expect(Self.near(rows.reduce(0) { $0 + $1.selfSeconds }, 0.46))
    #expect(Self.near(tables().gapShare["blocked"], 1.0 / 3))
  }

  @Test func `CPU samples share the CPU time that the scheduler told`() throws {
    let rows = tables().cpu
    #expect(Self.near(rows.first { $0.function == "load()" }?.selfSeconds, 0.06))
    #expect(Self.near(rows.first { $0.function == "store()" }?.selfSeconds, 0.06))
    #expect(Self.near(rows.reduce(0) { $0 + $1.joules }, 0.12 * 1.56))
  }

  // What the kernel did for the program was charged to what the program did by itself.
  @Test func `what the kernel does has no samples of a clock that leaves it out`() throws {
    var trace = Self.trace()
    trace.processorEvent = ProcessorEvent(
      EventAttribute(
        type: 1, config: 0, sampleType: .base, flags: 1 << 5, samplePeriod: 10_000_000, ids: [],
        name: "cpu-clock"))
    let rows = BlameMeasure(SubjectView(trace), priors: EnergyPriors()).tables(network: nil).cpu
    #expect(Self.near(rows.first { $0.function == "load()" }?.selfSeconds, 0.01))
    #expect(Self.near(rows.first { $0.function == "store()" }?.selfSeconds, 0.01))
    let rest = try #require(rows.first { $0.function == "[no stack]" })
    #expect(Self.near(rest.selfSeconds, 0.1) && rest.samples == 0 && rest.untakenSamples == 10)
    #expect(Self.near(rows.reduce(0) { $0 + $1.joules }, 0.12 * 1.56))
  }

  @Test func `wakeups are charged to where the thread had waited`() {
    let rows = tables().wakeups
    #expect(rows.first { $0.function == "load()" }?.count == 2)
    #expect(rows.first { $0.function == "store()" }?.count == 1)
  }

  @Test func `writes without a stack are shared out among those of the same file`() throws {
    let rows = tables().disk
    let load = try #require(rows.first { $0.function == "load()" })
    let store = try #require(rows.first { $0.function == "store()" })
    // Of two writes of 160 bytes two thirds and one third, in whole writes: one each.
    #expect(load.bytes == 580 && load.count == 3)
    #expect(store.bytes == 380 && store.count == 2)
    // One group of writes, and 960 bytes.
    #expect(Self.near(rows.reduce(0) { $0 + $1.joules }, 0.002 + 960 * 4.7e-9))
  }

  // Half of a `pread` was charged to the function that had called `read`, and shown as a whole one.
  @Test func `a call without a stack is shared out among those of the same number`() throws {
    var sums = BlameSums()
    func add(_ call: Int32, _ bytes: Double, stack: Int?) {
      let operation = FileOperation(
        time: Timestamp(nanoseconds: 1), pid: 7, tid: 7, kind: .read, path: "/lib",
        target: .regular,
        bytes: UInt64(bytes), weight: 1, call: call)
      sums.add(BlameSample(stack: stack, tid: 7, bytes: bytes), of: .init(operation))
    }
    add(0, 832, stack: 1)
    add(17, 784, stack: 2)
    add(17, 784, stack: nil)
    add(19, 5, stack: nil)
    let found = sums.spread()
    func all(_ stack: Int?) -> [Double] {
      let own = found.filter { $0.stack == stack }
      return [own.reduce(0) { $0 + $1.count }, own.reduce(0) { $0 + $1.bytes }]
    }
    #expect(all(1) == [2, 837] && all(2) == [2, 1568] && all(nil) == [0, 0])
  }

  @Test(
    arguments: [
      (5, [1, 1, 1], [2, 2, 1]), (2, [2, 1], [1, 1]), (1, [1, 1], [1, 0]), (0, [1, 1], [0, 0]),
      (7, [0.1, 0.2, 0.7], [1, 1, 5]),
    ] as [(Double, [Double], [Double])])
  func `shares of a whole number are whole and add up`(
    total: Double, weights: [Double], shares: [Double]
  ) {
    #expect(WholeShares.of(total, by: weights) == shares)
  }

  // Twenty writes and twenty syncs were told as forty calls that had written.
  @Test func `syncs are told as syncs, and not among the writes`() throws {
    var trace = Self.trace()
    let stack = trace.fileOperations.first { $0.stack != nil }?.stack
    trace.tables.fileOperations.append(
      FileOperation(
        time: Timestamp(nanoseconds: 60_000_000), pid: 7, tid: 7, kind: .sync, path: "/data",
        target: .regular, bytes: 0, weight: 3, stack: stack))
    let rows = BlameMeasure(SubjectView(trace), priors: EnergyPriors()).tables(network: nil).disk
    let load = try #require(rows.first { $0.function == "load()" })
    #expect(load.count == 3 && load.syncs == 3 && load.untimed == 3)
  }

  @Test func `folded stacks go from the outermost function in and add up`() {
    let lines = FoldedStacks.lines(Self.trace(), .offcpu)
    #expect(
      lines == [
        "a:b ;[lock];[gap];store();lock 50000", "a:b ;[lock];[no stack] 10000",
        "a:b ;[lock];main;load();lock 400000",
      ])
    #expect(FoldedStacks.lines(Self.trace(), .sends).isEmpty)
    let written = FoldedStacks.lines(Self.trace(), .writes)
      .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(written.reduce(0, +) == 960)
  }
}
