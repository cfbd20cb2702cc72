import Foundation
import Signals
import Testing

@testable import Rules

/// A rule that measures the CPU seconds, with a limit.
private enum FixedRule: Rule {
  static let metadata = RuleMetadata(
    id: "fixed", title: "Fixed", category: .cpu,
    guide: [GuideCitation(document: "d", section: "s")], signals: [.cpu], unit: "s",
    measuredAs: "m", advice: "a", examples: [])
  static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let value = signals.cpu?.totalSeconds ?? 0
    return .measured(
      RuleFinding(
        fact: value, displayValue: "v", savings: scale.saving(of: value, joules: value)))
  }

  /// Scores 90 at 1 and 50 at 2, and fails above 5; a server's good figure is 4.
  static let configuration: ScoringConfiguration = {
    var layer = ScoringConfiguration.Layer(name: "paper", version: 7)
    var scoring = RuleScoring()
    scoring.p10 = 1
    scoring.median = 2
    scoring.limit = 5
    layer.general.rules["fixed"] = scoring
    var server = RuleScoring()
    server.p10 = 4
    server.median = 8
    server.limit = 100
    layer.general.rules["counting"] = scoring
    layer.profiles[.server, default: ScoringTable()].rules["fixed"] = server
    return ScoringConfiguration(layers: [layer])
  }()
}

private struct Broken: Error {}

private enum ThrowingRule: Rule {
  static let metadata = RuleMetadata(
    id: "throwing", title: "Throwing", category: .memory, guide: [], signals: [.cpu], unit: "s",
    measuredAs: "m", advice: "a", examples: [])
  static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    throw Broken()
  }
}

/// A rule that nothing breaks.
private enum SteadyRule: Rule {
  static let metadata = RuleMetadata(
    id: "steady", title: "Steady", category: .memory, guide: [], signals: [.cpu], unit: "s",
    measuredAs: "m", advice: "a", examples: [])
  static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    .measured(RuleFinding(fact: 0, displayValue: ""))
  }
}

/// A rule that counts wakeups by the second.
private enum CountingRule: Rule {
  static let metadata = RuleMetadata(
    id: "counting", title: "Counting", category: .cpu, guide: [], signals: [.wakeups],
    unit: "wakeups/s", measuredAs: "m", advice: "a", examples: [])
  static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let value = signals.wakeups?.perSecond ?? 0
    return value > 0
      ? .measured(RuleFinding(fact: value, displayValue: "v"))
      : .nothing(reason: "it slept")
  }
}

/// A rule of what is read now and then.
private enum ReadingRule: Rule {
  static let metadata = RuleMetadata(
    id: "reading", title: "Reading", category: .memory, guide: [], signals: [.memory], unit: "B",
    measuredAs: "m", advice: "a", examples: [])
  static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    .measured(RuleFinding(fact: 0, displayValue: ""))
  }
}

private enum NaNRule: Rule {
  static let metadata = RuleMetadata(
    id: "nan", title: "NaN", category: .memory, guide: [], signals: [.cpu], unit: "s",
    measuredAs: "m", advice: "a", examples: [])
  static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    .measured(RuleFinding(fact: .nan, displayValue: ""))
  }
}

@Suite struct EvaluatorTests {
  // SQLite's 123 syncs failed by 0.007 to 0.016 points as an app's, and were 49.5 as the tool's that they were, whose
  // run is all there is.
  @Test func `what is by the run of a tool is within the bounds of what may be one`() throws {
    func audit(waitsAreKnown: Bool) throws -> Audit {
      var signals = SignalSet(
        durationSeconds: 0.5,
        mainThread: MainThreadSignal(
          hasEventLoop: false, runningSeconds: 0.4, blockedSeconds: 0.1,
          blockedByCause: waitsAreKnown ? [.sync: 0.1] : [.unknown: 0.1]),
        disk: DiskSignal(writes: 408, bytesWritten: 409_600, syncs: 123, syncSeconds: 0.1))
      signals.isWholeRun = true
      if !waitsAreKnown { signals.unavailable[.mainThread] = "not known" }
      let evaluation = Evaluator.evaluate(
        signals, configuration: .standard, rules: [SyncFrequencyRule.self])
      return try #require(evaluation.audits.first)
    }
    let score = try #require(try audit(waitsAreKnown: true).score)
    let range = try #require(try audit(waitsAreKnown: false).range)
    #expect(abs(score - 49.5) < 0.1 && range.low < 1, "\(range)")
    #expect(range.low <= score && score <= range.high, "\(score) in \(range)")
  }

  @Test func `where two profiles fit the bounds hold what either comes to`() throws {
    func evaluation(waitsAreKnown: Bool) -> Evaluation {
      var signals = SignalSet(
        durationSeconds: 60,
        mainThread: MainThreadSignal(
          hasEventLoop: false, runningSeconds: 58, blockedSeconds: 2,
          blockedByCause: waitsAreKnown ? [.file: 2] : [.unknown: 2]))
      signals.cpu = CPUSignal(totalSeconds: 3)
      var configuration = FixedRule.configuration
      var tool = RuleScoring()
      tool.p10 = 4
      tool.median = 8
      tool.limit = 100
      configuration.layers[0].profiles[.tool, default: ScoringTable()].rules["fixed"] = tool
      tool.notFor = "a tool"
      configuration.layers[0].profiles[.tool]?.rules["steady"] = tool
      return Evaluator.evaluate(
        signals, configuration: configuration, rules: [FixedRule.self, SteadyRule.self])
    }
    let known = evaluation(waitsAreKnown: true)
    let unknown = evaluation(waitsAreKnown: false)
    #expect(known.profile == .tool && unknown.profile == .app)
    let (truth, audit) = (known.audits[0], unknown.audits[0])
    #expect(truth.status == .pass && audit.status == .notMeasured, "\(audit)")
    let (score, range) = (try #require(truth.score), try #require(audit.range))
    #expect(range.low < 50 && range.high >= score && range.low <= range.value, "\(range)")
    #expect(audit.reason?.contains("event loop is not known") == true)
    // Of a rule that may not count it is not known whether it passes.
    #expect(known.audits[1].status == .notApplicable && unknown.audits[1].status == .notMeasured)
    let (overall, low, high) = (
      try #require(known.overall), try #require(unknown.low), try #require(unknown.high)
    )
    #expect(low <= overall && overall <= high, "\(overall) in \(low) to \(high)")
  }

  private func audit(_ seconds: Double) throws -> Audit {
    let signals = SignalSet(durationSeconds: 60, cpu: CPUSignal(totalSeconds: seconds))
    let evaluation = Evaluator.evaluate(
      signals, configuration: FixedRule.configuration, rules: [FixedRule.self])
    return try #require(evaluation.audits.first)
  }

  @Test func `status by score and limit`() throws {
    #expect(try audit(0).status == .pass)
    #expect(try audit(1).status == .pass)
    #expect(try audit(1.01).status == .warn)
    #expect(try audit(2).status == .warn)
    #expect(try audit(2.01).status == .fail)
    #expect(try audit(6).status == .fail)
  }

  /// Nine tenths of the weight stand at 100, the rest at what so many CPU seconds come to.
  @Test(
    arguments: [
      (1.0, nil, nil), (1.5, 89, "89 at most, since fixed warns"),
      (3.0, 74, "74 at most, since fixed fails"), (6.0, 74, "74 at most, since fixed fails"),
    ] as [(Double, Double?, String?)])
  func `what keeps the score below its parts is told`(
    seconds: Double, most: Double?, words: String?
  ) throws {
    var configuration = FixedRule.configuration
    configuration.layers[0].general.rules["steady"] = configuration.layers[0].general.rules["fixed"]
    configuration.layers[0].general.categories = ["cpu": 0.1, "memory": 0.9]
    configuration.layers[0].formula = ScoringConfiguration.standard.scheme(for: .app).formula
    let evaluation = Evaluator.evaluate(
      SignalSet(durationSeconds: 60, cpu: CPUSignal(totalSeconds: seconds)),
      configuration: configuration, rules: [FixedRule.self, SteadyRule.self])
    #expect(evaluation.note == words)
    if let most {
      #expect(evaluation.overall == most)
    } else {
      #expect(evaluation.overall ?? 0 > 98)
    }
  }

  /// One rule of weight 1 is measured, two of another category are not.
  @Test(arguments: [(1.0, 0.5, false), (0.51, 1 / 1.51, false), (0.5, 2.0 / 3, true)])
  func `where less than two thirds of what counts was measured there is no score`(
    weightOfUnmeasured: Double, share: Double, isScored: Bool
  ) throws {
    var configuration = FixedRule.configuration
    configuration.layers[0].general.categories["memory"] = weightOfUnmeasured
    var formula = ScoreFormula()
    formula.leastMeasured = 2.0 / 3
    configuration.layers[0].formula = formula
    let evaluation = Evaluator.evaluate(
      SignalSet(durationSeconds: 60, cpu: CPUSignal(totalSeconds: 1)),
      configuration: configuration,
      rules: [FixedRule.self, ThrowingRule.self, NaNRule.self])
    #expect(abs(try #require(evaluation.measuredShare) - share) < 1e-12)
    #expect((evaluation.overall != nil) == isScored)
    let categories = evaluation.categories.map { ($0.id, $0.score != nil, $0.measuredShare) }
    #expect(categories.map(\.0) == ["cpu", "memory"])
    #expect(categories.map(\.1) == [true, false])
    #expect(categories.map(\.2) == [1, 0])
  }

  @Test func `what did not occur counts on neither side`() {
    let evaluation = Evaluator.evaluate(
      SignalSet(durationSeconds: 60), configuration: FixedRule.configuration, rules: [])
    #expect(evaluation.measuredShare == nil && evaluation.overall == nil)
  }

  @Test func `past a limit a rule fails whatever its curve says`() throws {
    var configuration = FixedRule.configuration
    configuration.layers[0].general.rules["fixed"]?.p10 = 100
    configuration.layers[0].general.rules["fixed"]?.median = 200
    let signals = SignalSet(durationSeconds: 60, cpu: CPUSignal(totalSeconds: 6))
    let evaluation = Evaluator.evaluate(
      signals, configuration: configuration, rules: [FixedRule.self])
    let audit = try #require(evaluation.audits.first)
    #expect(audit.status == .fail)
    #expect(try #require(audit.score) < 50)
    configuration.layers[0].general.rules["fixed"]?.limit = 10
    let relaxed = Evaluator.evaluate(
      signals, configuration: configuration, rules: [FixedRule.self])
    #expect(relaxed.audits.first?.status == .pass)
    #expect(relaxed.audits.first?.limit == 10)
  }

  @Test func `a saving is counted down to the good figure of the profile in force`() throws {
    var signals = SignalSet(durationSeconds: 120, cpu: CPUSignal(totalSeconds: 6))
    let app = Evaluator.evaluate(
      signals, configuration: FixedRule.configuration, rules: [FixedRule.self])
    #expect(app.profile == .app)
    // 6 s down to 1 s: five sixths of 6 J. In a day 720 times as much, over 12.68 Wh of 3600 J.
    let saving = try #require(app.audits.first?.savings)
    #expect(saving.value == 5 && abs((saving.joules ?? 0) - 5) < 1e-12)
    #expect(abs((saving.joulesPerDay ?? 0) - 3600) < 1e-9)
    #expect(abs((saving.batteryShare ?? 0) - 1 / 12.68) < 1e-12)
    signals.network = NetworkSignal(listeners: [ListenerSignal(local: "0.0.0.0:80")])
    let server = Evaluator.evaluate(
      signals, configuration: FixedRule.configuration, rules: [FixedRule.self])
    #expect(server.profile == .server)
    #expect(server.audits.first?.savings?.value == 2)
  }

  @Test func `a throw and a value that is no number are not measured`() {
    let signals = SignalSet(durationSeconds: 60, cpu: CPUSignal())
    let evaluation = Evaluator.evaluate(
      signals, configuration: .standard, rules: [ThrowingRule.self, NaNRule.self])
    #expect(evaluation.audits.map(\.status) == [.notMeasured, .notMeasured])
    #expect(evaluation.audits[0].reason?.contains("Broken") == true)
    #expect(evaluation.overall == nil)
    #expect(evaluation.categories.map(\.score) == [nil])
  }

  /// Of a minute, so much is not told; or so many of 100 records, where it is not known when they were lost.
  @Test(
    arguments: [
      (seconds: 0.5, lost: 50, isOpen: false), (0.7, 1, true), (nil, 0, false), (nil, 2, true),
    ] as [(Double?, UInt64, Bool)])
  func `nothing passes by what was not seen because it was lost`(
    seconds: Double?, lost: UInt64, isOpen: Bool
  ) throws {
    func audit(_ rule: any Rule.Type, _ change: (inout SignalSet) -> Void) throws -> Audit {
      var signals = SignalSet(durationSeconds: 60)
      signals.lost = LostRecords(count: lost, told: 100 - Int(lost), seconds: seconds)
      change(&signals)
      let evaluation = Evaluator.evaluate(
        signals, configuration: FixedRule.configuration, rules: [rule])
      return try #require(evaluation.audits.first)
    }
    func cpu(_ seconds: Double) -> (inout SignalSet) -> Void {
      { $0.cpu = CPUSignal(totalSeconds: seconds) }
    }
    func wakeups(_ perSecond: Double) -> (inout SignalSet) -> Void {
      { $0.wakeups = WakeupSignal(perSecond: perSecond) }
    }
    let passed = try audit(FixedRule.self, cpu(0.5))
    #expect(passed.status == (isOpen ? .notMeasured : .pass))
    #expect(passed.reason?.contains("lost") == (isOpen ? true : nil))
    // A lost end of a run makes it longer.
    #expect(try audit(FixedRule.self, cpu(3)).status == (isOpen ? .notMeasured : .fail))
    // What is missing can only be more.
    let counted = try audit(CountingRule.self, wakeups(3))
    #expect(counted.status == .fail && counted.score == counted.range?.high)
    #expect((counted.range?.low == 0) == isOpen)
    #expect(try audit(CountingRule.self, wakeups(0.5)).status == (isOpen ? .notMeasured : .pass))
    let nothing = try audit(CountingRule.self, wakeups(0))
    #expect(nothing.status == .notApplicable)
    #expect(nothing.reason == "it slept" || isOpen && nothing.reason?.contains("lost") == true)
    // Nothing is known to have been none where all was recorded.
    #expect(nothing.hadNothing == !isOpen)
    // Memory is read, whatever is lost in between.
    let memory = try audit(ReadingRule.self) { $0.memory = MemorySignal(peakFootprintBytes: 1) }
    #expect(memory.status == .pass)
  }

  @Test func `what did not occur is told from what has no value`() {
    let signals = SignalSet(durationSeconds: 60, wakeups: WakeupSignal(), disk: DiskSignal())
    let audits = Evaluator.evaluate(signals).audits
    func hadNothing(_ id: String) -> Bool? { audits.first { $0.id == id }?.hadNothing }
    for id in ["polling-timers", "sync-frequency", "write-frequency"] {
      #expect(hadNothing(id) == true, "\(id)")
    }
    // A share of no writes, and of what was not recorded.
    for id in ["unchanged-rewrites", "launch-time"] { #expect(hadNothing(id) == false, "\(id)") }
  }

  @Test func `nothing passes by a part, and what is too much in it already fails`() throws {
    func status(_ syncs: Int, writes: Int, missing: String?) throws -> AuditStatus {
      var disk = DiskSignal(writes: writes, bytesWritten: 4096, writeBursts: 1)
      disk.syncs = syncs
      disk.missing = missing
      var signals = SignalSet(durationSeconds: 60, disk: disk)
      signals.unavailable[.disk] = missing
      let audits = Evaluator.evaluate(signals).audits
      let audit = try #require(audits.first { $0.id == "sync-frequency" })
      if audit.status == .notMeasured { #expect(audit.reason == missing) }
      return audit.status
    }
    #expect(try status(0, writes: 0, missing: nil) == .notApplicable)
    #expect(try status(0, writes: 0, missing: "a mapping") == .notMeasured)
    #expect(try status(1, writes: 1, missing: nil) == .pass)
    #expect(try status(1, writes: 1, missing: "a mapping") == .notMeasured)
    #expect(try status(1000, writes: 1, missing: "a mapping") == .fail)
  }

  @Test func `without signals nothing passes`() {
    let evaluation = Evaluator.evaluate(SignalSet(durationSeconds: 60))
    for audit in evaluation.audits {
      let isListed = Catalogue.notObservable.contains { $0.metadata.id == audit.id }
      #expect(audit.status == (isListed ? .notObservable : .notMeasured), "\(audit.id)")
      #expect(audit.score == nil)
    }
    #expect(evaluation.overall == nil)
    #expect(evaluation.opportunities.isEmpty)
  }

  @Test(arguments: SignalKind.allCases)
  func `an unavailable signal is told with its reason`(kind: SignalKind) {
    var signals = Fixture.wellBehaved
    signals.unavailable[kind] = "no permission"
    for audit in Evaluator.evaluate(signals).audits {
      let needs = Catalogue.rule(audit.id)?.metadata.signals.contains(kind) == true
      #expect((audit.reason == "no permission") == needs, "\(audit.id)")
      if needs { #expect(audit.status == .notMeasured) }
    }
  }

  /// A rule in each of three categories, which weigh 1, 3 and 1.
  @Test func `categories and the overall score on paper`() throws {
    let layer = try ScoringFile.parse(
      """
      name = "paper"
      version = 7
      categories = { cpu = 3, memory = 1 }
      [formula]
      floor = 10
      [rules.termination-time]
      weight = 3
      p10 = 2
      median = 8
      [rules.peak-footprint]
      weight = 4
      p10 = 50
      median = 200
      """, path: "paper.toml")
    var configuration = FixedRule.configuration.adding(layer)
    configuration.layers[0].general.rules["fixed"]?.weight = 1
    // termination-time at its p10 scores 90, fixed at its median 50, peak-footprint at its median 50.
    let signals = SignalSet(
      durationSeconds: 60, memory: MemorySignal(peakFootprintBytes: 200_000_000),
      cpu: CPUSignal(totalSeconds: 2), lifecycle: LifecycleSignal(terminationSeconds: 2))
    let evaluation = Evaluator.evaluate(
      signals, configuration: configuration,
      rules: [TerminationTimeRule.self, FixedRule.self, PeakFootprintRule.self])
    #expect(evaluation.configurationVersion == "paper/7 over paper/7")
    #expect(evaluation.categories.map(\.id) == ["lifeCycle", "cpu", "memory"])
    #expect(abs(try #require(evaluation.categories[0].score) - 90) < 1e-9)
    #expect(abs(try #require(evaluation.categories[1].score) - 50) < 1e-9)
    // lifeCycle weighs 1 where nothing is said: 90^(1/5) · 50^(4/5) = 56.2373.
    #expect(abs(try #require(evaluation.overall) - 56.2373) < 1e-3)
    #expect(evaluation.low == evaluation.overall && evaluation.high == evaluation.overall)
  }

  @Test func `opportunities are sorted by joules, then seconds`() {
    func audit(_ id: String, _ status: AuditStatus, _ savings: Savings?) -> Audit {
      Audit(
        id: id, title: id, category: "cpu", status: status, unit: "s", displayValue: "",
        savings: savings)
    }
    let opportunities = Evaluator.opportunities([
      audit("slow", .fail, Savings(seconds: 3)),
      audit("small", .warn, Savings(joules: 1, seconds: 9)),
      audit("passed", .pass, Savings(joules: 100)),
      audit("big", .fail, Savings(joules: 5)),
      audit("slower", .fail, Savings(seconds: 4)),
      audit("unknown", .fail, Savings(value: 4)),
    ])
    #expect(opportunities.map(\.audit) == ["big", "small", "slower", "slow"])
  }

  @Test func `a rule of weight zero is shown and does not count`() throws {
    var configuration = ScoringConfiguration.standard
    configuration.layers[0].general.rules["cpu-use"]?.weight = 0
    let signals = SignalSet(
      durationSeconds: 60, cpu: CPUSignal(totalSeconds: 60, medianShare: 1, shareOver60s: 1))
    let evaluation = Evaluator.evaluate(signals, configuration: configuration)
    #expect(evaluation.audits.first { $0.id == "cpu-use" }?.status == .fail)
    #expect(evaluation.overall == nil)
  }

  /// Radio rules where the other ends of some traffic are not known.
  private func radio(
    known period: Double?, unknown other: Double, _ rule: any Rule.Type
  ) throws -> Audit {
    let seconds = 3600.0
    var signals = RadioTails.example(every: period ?? 2 * seconds, seconds: seconds)
    if period == nil { signals.network = NetworkSignal() }
    let all = try #require(RadioTails.example(every: other, seconds: seconds).network)
    signals.network?.peerless = PeerlessTraffic(
      bytesSent: 5_000_000, bytesReceived: 0, sockets: 2, bursts: all.bursts, radio: all.radio,
      coalesced: all.coalesced, withoutPolls: all.withoutPolls)
    return try #require(
      Evaluator.evaluate(signals, configuration: .standard, rules: [rule]).audits.first)
  }

  @Test(
    arguments: [
      RadioDutyCycleRule.self, TailEnergyRule.self, BurstCoalescingRule.self,
    ] as [any Rule.Type])
  func `nothing fails, and nothing passes, by traffic whose other end is not known`(
    rule: any Rule.Type
  ) throws {
    // A burst each five minutes passes, one each five seconds fails.
    #expect(try radio(known: 300, unknown: 300, rule).status == .pass)
    let doubtful = try radio(known: 300, unknown: 5, rule)
    #expect(doubtful.status == .notMeasured)
    #expect(doubtful.reason?.contains("left the machine is not known") == true)
    #expect(doubtful.secondsWanted == nil)
    #expect(try radio(known: nil, unknown: 5, rule).status == .notMeasured)
    // A single burst is none to judge by, wherever it went.
    let single = try radio(known: nil, unknown: 3000, rule)
    #expect(single.status != .pass && single.status != .fail)
    #expect(single.reason?.contains("nothing passed") != true, "\(single)")
    // What is known fails by itself.
    #expect(try radio(known: 5, unknown: 4, rule).status == .fail)
  }

  @Test func `what is too little is told: the time, or what there was in it`() throws {
    let one = RadioTails.example(every: 4000, seconds: 5800)
    var signals = RadioTails.example(every: 50, seconds: 60)
    for rule in [TailEnergyRule.self, BurstCoalescingRule.self] as [any Rule.Type] {
      let audit = try #require(
        Evaluator.evaluate(signals, configuration: .standard, rules: [rule]).audits.first)
      #expect(audit.status == .notMeasured)
      #expect(audit.reason?.hasPrefix("1 burst is too little to tell") == true, "\(audit)")
    }
    signals = one
    let evaluation = Evaluator.evaluate(
      signals, configuration: .standard, rules: [TailEnergyRule.self])
    #expect(evaluation.note?.contains("min are too little") != true, "\(evaluation.note ?? "")")
  }

  @Test func `what is held is shown where there is no verdict`() throws {
    var signals = SignalSet(durationSeconds: 60, disk: DiskSignal())
    signals.held = [
      HeldSignal(isLock: false, name: "idle:sleep", start: 10, end: 40),
      HeldSignal(isLock: false, name: "shutdown", start: 0),
      HeldSignal(name: "/home/me/idle", start: 0),
    ]
    signals.accessories = [AccessoryUse(name: "/dev/snd/pcmC0D0p", seconds: 58, start: 1)]
    func audit(_ rule: any Rule.Type) throws -> Audit {
      try #require(
        Evaluator.evaluate(signals, configuration: .standard, rules: [rule]).audits.first)
    }
    #expect(try audit(IdleTimerDisabledRule.self).evidence.map(\.value) == [30])
    let accessory = try audit(AccessorySightingsRule.self)
    #expect(accessory.value == 58 && accessory.evidence.map(\.path) == ["/dev/snd/pcmC0D0p"])
    #expect(accessory.evidence.map(\.summary) == ["/dev/snd/pcmC0D0p: 58.0 s"])
    signals.phases = [Phase(name: .background, start: 30, durationSeconds: 20, how: "marked")]
    #expect(
      try audit(AccessorySightingsRule.self).evidence.map(\.summary) == [
        "/dev/snd/pcmC0D0p: 58.0 s, 20.0 s of it in the background"
      ])
  }
}
