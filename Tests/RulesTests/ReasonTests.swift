import Signals
import Testing

@testable import Rules

/// What is told where there is no verdict is why there is none.
@Suite struct ReasonTests {
  private func audit(_ signals: SignalSet, _ rule: any Rule.Type) throws -> Audit {
    try #require(
      Evaluator.evaluate(signals, configuration: .standard, rules: [rule]).audits.first)
  }

  private func background(_ seconds: Double, _ change: (inout Phase) -> Void) -> SignalSet {
    var set = PhaseUses.example { _ in }
    set.durationSeconds = 600
    set.disk = DiskSignal()
    var phase = Phase(name: .background, start: 30, durationSeconds: seconds, how: "marked")
    change(&phase)
    set.phases = [phase]
    return set
  }

  @Test func `of time that is a part of the recording that part is named`() throws {
    let busy = background(2) {
      $0.cpuSeconds = 0.03
      $0.wakeups = 3
      $0.timerWakeups = 3
    }
    let work = try audit(busy, BackgroundWorkRule.self)
    #expect(work.status == .notMeasured && work.secondsWanted == nil)
    #expect(work.reason?.hasPrefix("2 s of background are too little to tell: ") == true, "\(work)")
    let timers = try audit(busy, InactiveTimersRule.self)
    #expect(
      timers.reason?.hasPrefix("2 s of inactivity or background are too little to tell: ") == true,
      "\(timers)")
    var inactive = busy
    inactive.phases[0].name = .inactive
    inactive.phases[0].cpuSeconds = 0.2
    let little = try audit(inactive, InactiveWorkRule.self)
    #expect(
      little.reason?.hasPrefix("2 s of inactivity are too little to tell: ") == true, "\(little)")
    var idle = Fixture.wellBehaved
    idle.durationSeconds = 600
    idle.cpu = CPUSignal(totalSeconds: 300, idleSeconds: 2, idleCPUSeconds: 0.02)
    #expect(
      try audit(idle, IdleCPUUseRule.self).reason?
        .hasPrefix("2 s of idleness are too little to tell: ") == true)
  }

  @Test func `of a start the part of its minute that was seen is named`() throws {
    let start = SignalSet(
      durationSeconds: 0.05, memory: MemorySignal(peakFootprintBytes: 9_000_000, majorFaults: 12))
    let faults = try audit(start, MajorFaultsRule.self)
    #expect(faults.status == .notMeasured && faults.secondsWanted == nil && faults.value == 12)
    #expect(
      faults.reason?.hasPrefix("50.0 ms of its first minute are too little to tell: ") == true,
      "\(faults)")
  }

  @Test func `of few spells of writes their number is named`() throws {
    var set = SignalSet(durationSeconds: 600, disk: DiskSignal(writes: 9, bytesWritten: 9000))
    set.writeLocality = WriteLocality(spells: 2, touchedBlocks: 6, neededBlocks: 2)
    let few = try audit(set, WriteLocalityRule.self)
    #expect(few.status == .notMeasured && few.secondsWanted == nil)
    #expect(few.reason?.hasPrefix("2 spells of writes are too little to tell: ") == true, "\(few)")
    set.writeLocality?.spells = 1
    let one = try audit(set, WriteLocalityRule.self)
    #expect(one.reason?.hasPrefix("1 spell of writes is too little to tell: ") == true, "\(one)")
  }

  /// The readings say 45 MB and the kernel 300, in which files are.
  @Test func `of a peak between two readings the most that it may have been is named`() throws {
    let set = SignalSet(
      durationSeconds: 600,
      memory: MemorySignal(peakFootprintBytes: 45_000_000, peakResidentBytes: 300_000_000))
    let peak = try audit(set, PeakFootprintRule.self)
    #expect(peak.status == .notMeasured && peak.secondsWanted == nil)
    #expect(
      peak.reason?.hasPrefix("between two readings it may have been up to 300 MB, ") == true,
      "\(peak)")
  }

  @Test func `of growth after the first half minute warming up is named, before it the time`()
    throws
  {
    func growth(_ seconds: Double) throws -> Audit {
      var memory = MemorySignal(
        peakFootprintBytes: 90_000_000, growthBytesPerMinute: 4e7, growthInterval: [3e7, 5e7])
      memory.earlierGrowthBytesPerMinute = 3e8
      memory.secondsSinceStart = seconds
      return try audit(
        SignalSet(durationSeconds: seconds, memory: memory), FootprintGrowthRule.self)
    }
    #expect(try growth(90).reason?.hasPrefix("it may be warming up: ") == true)
    #expect(try growth(20).reason?.hasPrefix("20.0 s are too little to tell: ") == true)
  }

  /// Of a tool's syncs one of a hundred was recorded: more time would tell no more of them.
  @Test func `of a whole run of which some was recorded that is named`() throws {
    var run = SignalSet(
      durationSeconds: 60, mainThread: MainThreadSignal(hasEventLoop: false, turns: 1),
      disk: DiskSignal(writes: 300, bytesWritten: 9_000_000, syncs: 12))
    run.isWholeRun = true
    #expect(try audit(run, SyncFrequencyRule.self).status == .pass)
    run.disk?.syncs = 30
    run.disk?.syncsRecorded = 1
    let sampled = try audit(run, SyncFrequencyRule.self)
    #expect(sampled.status == .notMeasured && sampled.secondsWanted == nil)
    #expect(
      sampled.reason?.hasPrefix("of what it did some only was recorded: ") == true, "\(sampled)")
    // What of a program that goes on was recorded is more after a longer time.
    run.isWholeRun = false
    run.mainThread = MainThreadSignal(turns: 9)
    run.disk?.syncs = 4
    let part = try audit(run, SyncFrequencyRule.self)
    #expect(part.reason?.hasPrefix("60.0 s are too little to tell: ") == true, "\(part)")
  }

  @Test func `work of a queue that may be the main one makes no verdict but is named`() throws {
    var set = SignalSet(durationSeconds: 60, mainThread: MainThreadSignal(turns: 9))
    let rules: [any Rule.Type] = [
      MainThreadHangsRule.self, MainThreadSleepsRule.self, MainThreadComputationRule.self,
    ]
    for rule in rules {
      let known = try audit(set, rule)
      #expect(known.status == .pass || known.status == .notApplicable, "\(known)")
    }
    set.mainThread?.untold.blockedByCause = [.sleep: 3]
    set.mainThread?.untold.runningSeconds = 3
    for rule in rules {
      let untold = try audit(set, rule)
      #expect(untold.status == .notMeasured && untold.secondsWanted == nil, "\(untold)")
      #expect(untold.reason?.contains("of work of serial queues") == true, "\(untold)")
    }
    // Too little to be a hang.
    set.mainThread?.untold.blockedByCause = [.sleep: 0.02]
    set.mainThread?.untold.runningSeconds = 0
    #expect(try audit(set, MainThreadHangsRule.self).status == .pass)
  }

  // Polls of 0.5 s beside 0.2 ms of waits for the network left a pass: what they were for is not known.
  @Test(arguments: [10.0, 60, 600])
  func `what polls were for that nothing tells leaves waits for the network open`(seconds: Double)
    throws
  {
    let signals = SignalSet(
      durationSeconds: seconds,
      mainThread: MainThreadSignal(turns: 50, blockedByCause: [.network: 0.0002, .other: 3]))
    let audit = try #require(
      Evaluator.evaluate(signals).audits.first { $0.id == "main-thread-network-waits" })
    #expect(audit.status != .pass && audit.status != .notApplicable, "\(audit)")
    #expect(audit.reason?.contains("waited 3 s in calls such as poll() is not known") == true)
  }

  // 253 ms of computing of which it was not known whether it was the main queue's left a pass by 3 ms: it scored 51
  // with them, and no bound of chance that is above 50 unmakes a pass.
  @Test func `nothing passes that would not with what may be the main queue's`() throws {
    var main = MainThreadSignal(
      turns: 9, blockedByCause: [.lock: 0.001], computingSeconds50ms: 0.003)
    main.untold.runningSeconds = 0.253
    main.untold.blockedByCause = [.lock: 0.02]
    let set = SignalSet(durationSeconds: 4.8, mainThread: main)
    let rules: [any Rule.Type] = [MainThreadComputationRule.self, MainThreadLockWaitsRule.self]
    for rule in rules {
      let untold = try audit(set, rule)
      #expect(untold.status == .notMeasured && untold.secondsWanted == nil, "\(untold)")
      #expect(
        untold.reason?.hasPrefix("of 273 ms of work of serial queues it is not known") == true,
        "\(untold)")
    }
  }

  @Test func `a peak that may have been higher passes by what bounds it alone`() throws {
    var memory = MemorySignal(
      peakFootprintBytes: 15_000_000, endFootprintBytes: 15_000_000, peakResidentBytes: 21_000_000)
    memory.peakIsLeast = true
    memory.unreadSecondsAtEnd = 0.003
    func audit() throws -> Audit {
      try self.audit(
        SignalSet(durationSeconds: 0.04, memory: memory), PeakFootprintRule.self)
    }
    let bounded = try audit()
    #expect(bounded.status == .pass)
    #expect(
      bounded.displayValue
        == "at least 15.0 MB at the peak, 15.0 MB 3 ms before its end", "\(bounded)")
    memory.peakResidentBytes = 350_000_000
    let open = try audit()
    #expect(open.status == .notMeasured && open.reason?.contains("kernel's peak") == true)
    (memory.isPeakBounded, memory.peakResidentBytes) = (false, 0)
    let unread = try audit()
    #expect(unread.status == .notMeasured, "\(unread)")
    #expect(unread.reason?.hasPrefix("it was last read 3 ms before its end") == true)
    memory.peakFootprintBytes = 2_000_000_000
    memory.leastPeakFootprintBytes = 2_000_000_000
    #expect(try audit().status == .fail)
  }

  @Test func `that no file call blocked says nothing where the others were not seen`() throws {
    var set = SignalSet(durationSeconds: 60, mainThread: MainThreadSignal(turns: 9))
    #expect(try audit(set, MainThreadFileAccessRule.self).status == .notApplicable)
    set.unavailable[.disk] = "system calls are not seen"
    let unseen = try audit(set, MainThreadFileAccessRule.self)
    #expect(unseen.status == .notMeasured, "\(unseen)")
    #expect(unseen.reason == "file calls that did not block were not recorded")
  }

  @Test func `files opened at launch are no number where opens were not seen`() throws {
    var set = SignalSet(
      durationSeconds: 10,
      lifecycle: LifecycleSignal(
        launchSeconds: 0.1, launch: LaunchSignal(seconds: 0.1, bytesRead: 40_000)))
    #expect(try audit(set, LaunchFileLoadingRule.self).displayValue.contains("0 files opened"))
    set.unavailable[.disk] = "system calls are not seen"
    let unseen = try audit(set, LaunchFileLoadingRule.self)
    #expect(unseen.status == .pass, "\(unseen)")
    #expect(
      unseen.displayValue
        == "40.0 kB read before the first event; which files it opened was not seen", "\(unseen)")
  }

  @Test func `of waits of which nobody knows what came of them that is named`() throws {
    var set = SignalSet(
      durationSeconds: 60,
      wakeups: WakeupSignal(
        total: 900, timers: [TimerSignal(tid: 1, thread: "t", periodSeconds: 0.1, count: 600)]))
    #expect(try audit(set, PollingTimersRule.self).status == .pass)
    set.wakeups?.timers[0].expiredUntold = 600
    let untold = try audit(set, PollingTimersRule.self)
    #expect(untold.status == .notMeasured && untold.secondsWanted == nil)
    #expect(
      untold.reason?.hasPrefix("whether anything came of 600 timed waits cannot be told: ")
        == true, "\(untold)")
    set.durationSeconds = 0.5
    set.wakeups?.timers[0].expiredUntold = 1
    let short = try audit(set, PollingTimersRule.self)
    #expect(short.reason?.hasPrefix("500 ms are too little to tell: ") == true, "\(short)")
  }

  // That no timer was found was said of a program of whose wakeups the kernel had told one of twenty.
  @Test(arguments: [PollingTimersRule.self, WakeupCoalescingRule.self] as [any Rule.Type])
  func `there are no timers only where the kernel told what woke`(rule: any Rule.Type) throws {
    var set = SignalSet(
      durationSeconds: 60,
      wakeups: WakeupSignal(
        total: 900, idle: 900, coalescing: CoalescingSignal(timerWakeups: 0, remaining: 0)))
    #expect(try audit(set, rule).status == .notApplicable)
    set.wakeups?.untold = 90
    #expect(try audit(set, rule).status == .notApplicable)
    set.wakeups?.untold = 855
    let untold = try audit(set, rule)
    #expect(untold.status == .notMeasured)
    #expect(untold.reason?.contains("of 855 of 900 wakeups") == true, "\(untold)")
  }

  @Test(
    arguments: [
      RadioDutyCycleRule.self, TailEnergyRule.self, BurstCoalescingRule.self,
      ConnectionCloseCostRule.self, RadioChoiceRule.self,
    ] as [any Rule.Type])
  func `what went over loopback is not said to be nothing`(rule: any Rule.Type) throws {
    var set = SignalSet(
      durationSeconds: 60, network: NetworkSignal(sends: 3, bytesSent: 900, bytesReceived: 40))
    let loopback = try audit(set, rule)
    #expect(loopback.status == .notApplicable)
    #expect(loopback.reason?.hasPrefix("nothing left the machine: ") == true)
    set.network = NetworkSignal()
    #expect(try audit(set, rule).reason == "nothing passed an internet socket")
  }

  /// As a recorder tells it that looks at sockets from outside.
  @Test func `of sockets whose calls were not counted nothing is said not to have been`() throws {
    var set = PhaseUses.example { _ in }
    for rule in [KeepAliveIntervalRule.self, RetryStormsRule.self, ChattyProtocolRule.self]
      as [any Rule.Type]
    {
      #expect(try audit(set, rule).status == .notApplicable)
      set.network?.countsCalls = false
      let untold = try audit(set, rule)
      #expect(untold.status == .notMeasured && untold.reason?.contains("carried is known") == true)
      set.network?.countsCalls = true
    }
  }

  /// Of what a program did before it was attached to nothing is known.
  @Test func `what is first written in a recording may have been saved before it`() throws {
    var set = SignalSet(durationSeconds: 60, disk: DiskSignal(writes: 9, bytesWritten: 90_000))
    set.lateSaves = LateSaves(bytes: 90_000, lateBytes: 90_000, files: 9)
    #expect(try audit(set, LateSavesRule.self).status == .fail)
    set.isSeenStarting = false
    let attached = try audit(set, LateSavesRule.self)
    #expect(attached.status == .notMeasured)
    #expect(
      attached.reason?.hasPrefix("what was saved before the recording began is not known: ")
        == true)
    set.lateSaves?.lateBytes = 0
    #expect(try audit(set, LateSavesRule.self).status == .pass)
  }

  @Test func `temporary files from before the recording may have been left`() throws {
    func left(_ count: Int, isSeenStarting: Bool) throws -> Audit {
      var set = SignalSet(durationSeconds: 60, disk: DiskSignal(writes: 40))
      set.isSeenStarting = isSeenStarting
      set.temporaryFiles = TemporaryFiles(
        made: 40, left: (0..<count).map { .init(path: "/tmp/\($0)", bytes: 1) })
      return try audit(set, TemporaryFilesRule.self)
    }
    #expect(try left(0, isSeenStarting: true).status == .pass)
    #expect(try left(0, isSeenStarting: false).status == .notMeasured)
    #expect(try left(40, isSeenStarting: false).status == .fail)
  }

  @Test func `a cache is no temporary file of which the end was not recorded`() throws {
    let cached = SignalSet(
      durationSeconds: 60,
      disk: DiskFiles.example(FileUse(path: "/home/me/.cache/a", writes: 1, bytesWritten: 9)).disk)
    #expect(try audit(cached, TemporaryFilesRule.self).status == .notApplicable)
  }

  @Test func `a launch that was not seen is not said to have been in use`() throws {
    var set = PhaseUses.example { _ in }
    #expect(
      try audit(set, BackgroundLaunchRule.self).reason
        == "the program was not marked as launched in the background")
    set.isSeenStarting = false
    #expect(
      try audit(set, BackgroundLaunchRule.self).reason == "the launch was before the recording")
  }

  @Test func `a launch in the background is told with all that it took`() throws {
    var set = PhaseUses.example { _ in }
    set.backgroundLaunch = BackgroundLaunch(
      seconds: 1.5, cpuSeconds: 0.25, bytes: 20_000, footprintBytes: 12_000_000)
    let launch = try audit(set, BackgroundLaunchRule.self)
    #expect(launch.status == .notApplicable && launch.score == nil && launch.weight == 0)
    #expect(launch.value == 0.25 && launch.unit == "s")
    #expect(
      launch.displayValue == "250 ms of CPU time and 20.0 kB moved in 1.5 s, 12.0 MB in memory",
      "\(launch)")
    set.backgroundLaunch?.footprintBytes = nil
    #expect(try audit(set, BackgroundLaunchRule.self).displayValue.hasSuffix("in 1.5 s"))
  }
}
