import Signals
import Testing
import TraceModel

@testable import Rules

@Suite struct SelectivityTests {
  private func notPassing(_ signals: SignalSet) -> Set<String> {
    Set(
      Evaluator.evaluate(signals).audits
        .filter { $0.status == .warn || $0.status == .fail }.map(\.id))
  }

  private func failing(_ signals: SignalSet) -> Set<String> {
    Set(Evaluator.evaluate(signals).audits.filter { $0.status == .fail }.map(\.id))
  }

  @Test func `a well-behaved program scores at least 95`() throws {
    let evaluation = Evaluator.evaluate(Fixture.wellBehaved)
    #expect(try #require(evaluation.overall) >= 95)
    #expect(try #require(evaluation.high) >= 95)
    #expect(notPassing(Fixture.wellBehaved) == [])
  }

  @Test(arguments: [
    (WaitCause.network, "main-thread-network-waits"), (.file, "main-thread-file-access"),
    (.sync, "main-thread-file-access"), (.lock, "main-thread-lock-waits"),
    (.sleep, "main-thread-sleeps"),
  ])
  func `a wait of one cause fails its rule and the hangs only`(cause: WaitCause, rule: String) {
    var signals = Fixture.wellBehaved
    signals.mainThread?.blockedByCause = [cause: 1.5]
    signals.mainThread?.blockings = [Blocking(cause: cause, seconds: 1.5, count: 5)]
    signals.mainThread?.hangs = (0..<5).map {
      Hang(
        start: Double($0), durationSeconds: 0.3, severity: .hang, blockedByCause: [cause: 0.3])
    }
    #expect(notPassing(signals) == [rule, "main-thread-hangs"])
  }

  /// After `dispatchMain()` nobody's events wait for the thread that began the program.
  @Test func `nothing is held against a main thread that is parked`() {
    var signals = Fixture.wellBehaved
    let causes: [WaitCause] = [.network, .file, .lock, .sleep]
    for cause in causes { signals.mainThread?.blockedByCause[cause] = 1 }
    signals.mainThread?.blockings = causes.map { Blocking(cause: $0, seconds: 1, count: 5) }
    signals.mainThread?.computingSeconds50ms = 4
    signals.mainThread?.hangs = (0..<5).map {
      Hang(start: Double($0), durationSeconds: 0.8, runningSeconds: 0.8)
    }
    signals.mainThread?.fileAccess = FileAccess(calls: 9000, bytes: 900_000_000)
    #expect(failing(signals).count == 6)
    signals.mainThread?.isParked = true
    #expect(notPassing(signals) == [])
    for audit in Evaluator.evaluate(signals).audits where audit.id.hasPrefix("main-thread-") {
      #expect(audit.status == .notApplicable && audit.reason == MainThreadWaits.parked, "\(audit)")
    }
  }

  @Test func `a synchronous wait too short to hang fails its rule alone`() {
    var signals = Fixture.wellBehaved
    signals.mainThread?.blockedByCause = [.network: 0.4]
    #expect(failing(signals) == ["main-thread-network-waits"])
  }

  // `top -b` sleeps for 150 ms before its first event: that was held against its event loop, without a place.
  @Test(arguments: [WaitCause.network, .file, .lock, .sleep])
  func `waits of the launch are the launch's, but for those that there may never be`(
    cause: WaitCause
  ) {
    var signals = Fixture.wellBehaved
    signals.mainThread?.blockedByCause[cause] = 0.9
    signals.mainThread?.launchBlockedByCause[cause] = 0.9
    #expect(notPassing(signals) == (cause == .network ? ["main-thread-network-waits"] : []))
    // 0.8 s of ten are 4.8 s a minute.
    signals.mainThread?.launchBlockedByCause[cause] = cause == .network ? 0 : 0.1
    let values = Evaluator.evaluate(signals).audits.compactMap(\.value)
    #expect(values.contains { abs($0 - (cause == .network ? 5400 : 4800)) < 1 }, "\(values)")
  }

  @Test func `one hang in a short recording is not read as one each two seconds`() {
    var signals = Fixture.wellBehaved
    signals.durationSeconds = 2
    signals.mainThread?.hangs = [Hang(start: 1, durationSeconds: 0.15)]
    #expect(notPassing(signals) == [])
  }

  @Test func `computing on the main thread`() {
    var signals = Fixture.wellBehaved
    signals.mainThread?.computingSeconds50ms = 1.5
    signals.mainThread?.hangs = (0..<5).map {
      Hang(start: Double($0), durationSeconds: 0.3, runningSeconds: 0.3)
    }
    signals.cpu = CPUSignal(totalSeconds: 1.6, medianShare: 0.16, p95Share: 0.4)
    #expect(notPassing(signals) == ["main-thread-computation", "main-thread-hangs"])
  }

  @Test func `a tool is not blamed for owning its thread`() throws {
    var signals = SignalSet(
      durationSeconds: 0.4,
      mainThread: MainThreadSignal(
        hasEventLoop: false, turns: 1, runningSeconds: 0.38, blockedByCause: [.file: 0.02],
        computingSeconds50ms: 0.38),
      wakeups: WakeupSignal(total: 12, idle: 2), network: NetworkSignal(),
      disk: DiskSignal(
        writes: 300, bytesWritten: 600_000, smallWrites: 300, writeBursts: 1,
        files: (0..<300).map {
          FileUse(path: "f\($0).swift", writes: 1, bytesWritten: 2000, smallWrites: 1)
        }),
      memory: MemorySignal(
        peakFootprintBytes: 30_000_000, growthBytesPerMinute: 3e9, growthInterval: [1e9, 5e9]),
      cpu: CPUSignal(totalSeconds: 0.39, medianShare: 0.98, p95Share: 0.98),
      lifecycle: LifecycleSignal(launchSeconds: 0.4), churn: ThreadChurnSignal(),
      spins: SpinSignal())
    signals.isWholeRun = true
    #expect(notPassing(signals) == [])
    #expect(try #require(Evaluator.evaluate(signals).overall) >= 95)
  }

  @Test func `findings of bad programs name the offender`() throws {
    var signals = Fixture.wellBehaved
    let stack = [
      StackFrame(function: "recv", module: "libc.so.6"),
      StackFrame(
        function: "Fetcher.load()", module: "app", file: "Fetcher.swift", line: 12,
        isProgram: true),
    ]
    signals.mainThread?.blockedByCause = [.network: 2]
    signals.mainThread?.blockings = [
      Blocking(cause: .network, seconds: 2, count: 4, stack: stack)
    ]
    let evaluation = Evaluator.evaluate(signals)
    let audit = try #require(
      evaluation.audits.first { $0.id == "main-thread-network-waits" })
    #expect(audit.status == .fail)
    #expect(audit.evidence.first?.function == "Fetcher.load()")
    #expect(audit.evidence.first?.summary == "2 s in 4 waits (network) in Fetcher.load()")
    #expect(audit.displayValue == "2 s blocked in 4 waits")
    // 2 s in 10 s are 2000 ms a minute, all above the limit of none.
    #expect(audit.savings?.seconds == 2)
    #expect(evaluation.opportunities.first?.audit == "main-thread-network-waits")
  }

  @Test func `a place at which several threads wait is in the evidence once`() throws {
    func frame(_ line: Int) -> StackFrame {
      StackFrame(function: "block()", module: "/app", file: "/src/App.swift", line: line)
    }
    func thread(_ tid: Int, _ seconds: Double, _ count: Int) -> CriticalThread {
      let lock = Blocking(cause: .lock, seconds: 0.01, count: 1, stack: [frame(9)])
      return CriticalThread(
        tid: tid, name: "pool", role: .cooperativePool, turns: 9, blockedSeconds: seconds + 0.01,
        blockedByCause: [.sleep: seconds, .lock: 0.01],
        blockings: [
          Blocking(cause: .sleep, seconds: seconds, count: count, stack: [frame(tid)]), lock,
        ])
    }
    var signals = Fixture.wellBehaved
    signals.criticalThreads = [thread(4, 2, 5), thread(5, 3, 7)]
    let audit = try #require(
      Evaluator.evaluate(signals).audits.first { $0.id == "cooperative-pool-blocking" })
    #expect(
      audit.evidence.map(\.summary) == [
        "5 s in 12 waits (sleep) on 2 threads in block()",
        "20.0 ms in 2 waits (lock) on 2 threads in block()",
      ])
    // The stack of those that took longest.
    #expect(audit.evidence.first?.stack?.first?.line == 5)
  }

  @Test func `the limit of idle wakeups holds from five minutes on`() throws {
    var signals = Fixture.wellBehaved
    signals.wakeups = WakeupSignal(total: 60000, idle: 48000)
    signals.durationSeconds = 310
    signals.priors = EnergyPriors(.laptop)
    #expect(failing(signals).contains("idle-wakeups"))
    let audit = try #require(
      Evaluator.evaluate(signals).audits.first { $0.id == "idle-wakeups" })
    #expect(abs((audit.savings?.joules ?? 0) - (48000 - 15 * 310) * 200e-6 * 1.56) < 1e-9)
  }

  /// A program that reads 200 MB past the page cache: 237 of its 241 idle wakeups end waits for the disk.
  @Test func `waits for the disk are no idle wakeups, and the advice is for the cause`() throws {
    func audit(_ causes: [WakeupCause: Int]) throws -> Audit {
      var signals = Fixture.wellBehaved
      let count = causes.values.reduce(0, +)
      signals.wakeups = WakeupSignal(total: count + 50, idle: count, idleByCause: causes)
      return try #require(Evaluator.evaluate(signals).audits.first { $0.id == "idle-wakeups" })
    }
    let reader = try audit([.disk: 237, .timer: 4])
    #expect(abs((reader.value ?? -1) - 0.4) < 1e-12 && reader.status == .pass)
    let polled = try audit([.disk: 237, .timer: 6000])
    #expect(polled.status == .fail && polled.advice.hasPrefix("Timers:"))
    #expect(polled.evidence.first?.summary == "6,000 idle wakeups by timers")
    let flooded = try audit([.network: 6000, .timer: 20])
    #expect(flooded.advice.hasPrefix("Network:"))

    // By thread it counts the same.
    var signals = Fixture.wellBehaved
    signals.threads = [
      ThreadSignal(tid: 7, name: "reader", idleWakeups: 237),
      ThreadSignal(tid: 8, name: "timers", idleWakeups: 104),
    ]
    signals.wakeups = WakeupSignal(
      total: 400, idle: 341, idleByCause: [.disk: 241, .timer: 100], diskByThread: [7: 237, 8: 4])
    let found = try #require(Evaluator.evaluate(signals).audits.first { $0.id == "idle-wakeups" })
    let threads = found.evidence.filter { $0.thread != nil }
    #expect(threads.map(\.summary) == ["thread timers: 100 idle wakeups"], "\(found.evidence)")
  }

  /// What one rule recommends must not cost more by another.
  @Test(arguments: [5_000_000, 20_000_000, 80_000_000, 400_000_000] as [UInt64])
  func `data costs less in a cache than where it is backed up, and least in memory`(bytes: UInt64) {
    func loss(_ path: String?) -> Double {
      var signals = Fixture.wellBehaved
      signals.durationSeconds = 60
      signals.disk?.writeBursts = 20
      if let path {
        signals.disk?.files.append(
          FileUse(
            path: path, writes: 20, bytesWritten: bytes, rewrites: 9,
            rewrittenBytes: bytes / 10 * 9))
      }
      return Evaluator.evaluate(signals).audits.filter {
        ["cache-writes", "backup-churn"].contains($0.id)
      }.reduce(0) { $0 + $1.weight * (100 - ($1.range?.value ?? 100)) }
    }
    let cached = loss("/home/me/.cache/app/map.bin")
    #expect(loss("/home/me/Documents/map.bin") > cached && cached > 0 && loss(nil) == 0)
  }

  /// One file read in 400 ms, which a cold cache would have made 900: the time that it was blocked is proven.
  @Test func `what blocked the main thread stays proven beside what its calls would cost`() throws {
    var signals = Fixture.wellBehaved
    signals.mainThread?.blockedByCause = [.file: 0.4]
    signals.mainThread?.blockings = [Blocking(cause: .file, seconds: 0.4, count: 40)]
    signals.mainThread?.fileAccess = FileAccess(
      calls: 1000, bytes: 200_000_000,
      files: [FileAccess.File(path: "/data/big", calls: 1000, bytes: 200_000_000)])
    let audit = try #require(
      Evaluator.evaluate(signals).audits.first { $0.id == "main-thread-file-access" })
    // 0.1 ms a call and 4 ms a MB in 10 s.
    #expect(abs((audit.value ?? 0) - (100 + 800) * 6) < 1e-9 && audit.status == .fail)
  }

  @Test func `the limit of the CPU is compared with the busiest minute`() {
    var signals = Fixture.wellBehaved
    signals.durationSeconds = 600
    signals.cpu = CPUSignal(totalSeconds: 70, medianShare: 0.01, shareOver60s: 0.9)
    #expect(failing(signals) == ["cpu-use"])
    signals.cpu?.shareOver60s = 0.7
    #expect(failing(signals) == [])
  }
}
