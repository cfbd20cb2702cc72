import Foundation
import Signals
import Testing

@testable import Rules

/// Random recordings of programs whose true rates are known: the true score lies within the bounds, and these shrink.
@Suite struct ScoreSimulationTests {
  /// A generator that gives the same numbers each time (SplitMix64).
  struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// What a program does: events a second and their mean size.
  struct Program {
    var hangs: Double
    var hangSeconds: Double
    var wakeups: Double
    var polls: Double
    var syncs: Double
  }

  /// Hangs are no longer than one that was not seen is taken to be, in the mean.
  static let programs = [
    Program(hangs: 0, hangSeconds: 0, wakeups: 0.5, polls: 0, syncs: 0.001),
    Program(hangs: 0.05, hangSeconds: 0.1, wakeups: 10, polls: 2, syncs: 0.02),
    Program(hangs: 0.2, hangSeconds: 0.15, wakeups: 60, polls: 9, syncs: 0.2),
    Program(hangs: 1, hangSeconds: 0.1, wakeups: 200, polls: 50, syncs: 5),
  ]

  /// Times of events within so many seconds: the gaps are exponential.
  private func events(
    _ rate: Double, _ seconds: Double, _ random: inout Seeded
  ) -> Int {
    guard rate > 0 else { return 0 }
    var (time, count) = (0.0, 0)
    while true {
      time -= log(1 - Double.random(in: 0..<1, using: &random)) / rate
      if time > seconds { return count }
      count += 1
    }
  }

  private func recording(
    _ program: Program, _ seconds: Double, _ random: inout Seeded
  ) -> SignalSet {
    // What a hang lasts beyond 100 ms is exponential, too: most are short, few long.
    let hangs = (0..<events(program.hangs, seconds, &random)).map { _ in
      Hang(
        start: 0,
        durationSeconds: 0.1 - log(1 - Double.random(in: 0..<1, using: &random))
          * program.hangSeconds)
    }
    let polls = events(program.polls, seconds, &random)
    let syncs = events(program.syncs, seconds, &random)
    return signals(
      seconds, hangs: hangs, wakeups: events(program.wakeups, seconds, &random), polls: polls,
      syncs: syncs)
  }

  private func signals(
    _ seconds: Double, hangs: [Hang], wakeups: Int, polls: Int, syncs: Int
  ) -> SignalSet {
    SignalSet(
      durationSeconds: seconds, mainThread: MainThreadSignal(turns: 1, hangs: hangs),
      wakeups: WakeupSignal(
        total: wakeups, idle: wakeups,
        timers: [
          TimerSignal(tid: 1, thread: "t", periodSeconds: 1, count: 9, expiredWithoutWork: polls)
        ]),
      disk: DiskSignal(writes: syncs, syncs: syncs))
  }

  private static let rules: [any Rule.Type] = [
    MainThreadHangsRule.self, IdleWakeupsRule.self, PollingTimersRule.self, SyncFrequencyRule.self,
  ]

  private func evaluate(_ signals: SignalSet) -> Evaluation {
    Evaluator.evaluate(signals, configuration: .standard, rules: Self.rules)
  }

  /// What the program scores when looked at for ten days.
  private func truth(_ program: Program) -> Evaluation {
    let seconds = 864_000.0
    let count = Int(program.hangs * seconds)
    return evaluate(
      signals(
        seconds,
        hangs: (0..<count).map { _ in Hang(start: 0, durationSeconds: 0.1 + program.hangSeconds) },
        wakeups: Int(program.wakeups * seconds), polls: Int(program.polls * seconds),
        syncs: Int(program.syncs * seconds)))
  }

  @Test(arguments: programs.indices, [0.5, 2, 12, 60])
  func `the true score lies within the bounds`(index: Int, seconds: Double) throws {
    let program = Self.programs[index]
    let whole = truth(program)
    let score = try #require(whole.overall)
    var random = Seeded(state: UInt64(index) &* 1000 &+ UInt64(seconds * 10))
    var (within, rules, judged) = (0, 0, 0)
    var missed: Evaluation?
    let runs = 200
    for _ in 0..<runs {
      let seen = evaluate(recording(program, seconds, &random))
      if let low = seen.low, let high = seen.high, low - 0.01 <= score, score <= high + 0.01 {
        within += 1
      } else {
        missed = seen
      }
      for (audit, truth) in zip(seen.audits, whole.audits) {
        // A subject that did not occur is not judged.
        guard let range = audit.range, let truly = truth.range?.value else { continue }
        judged += 1
        if range.low - 0.01 <= truly, truly <= range.high + 0.01 { rules += 1 }
      }
    }
    let words =
      missed.map {
        "\($0.low ?? -1) to \($0.high ?? -1), \($0.audits.map { "\($0.value ?? -1) \($0.range as Any)" })"
      } ?? ""
    #expect(
      within >= runs * 9 / 10, "\(within) of \(runs); \(score) is not within \(words)")
    #expect(rules >= judged * 9 / 10, "\(rules) of \(judged)")
  }

  @Test(arguments: programs.indices)
  func `the bounds shrink with time`(index: Int) throws {
    var random = Seeded(state: 7)
    var last = Double.infinity
    for seconds in [1.0, 10, 100, 1000] {
      var width = 0.0
      for _ in 0..<20 {
        let seen = evaluate(recording(Self.programs[index], seconds, &random))
        width += (seen.high ?? 100) - (seen.low ?? 0)
      }
      #expect(width / 20 <= last + 1, "\(seconds) s")
      last = width / 20
    }
    #expect(last < 20)
  }

  @Test func `nothing in a short time shows no rate`() throws {
    let seen = evaluate(signals(0.3, hangs: [], wakeups: 0, polls: 0, syncs: 0))
    #expect(seen.overall == nil)
    #expect(seen.note?.contains("too little to tell") == true, "\(seen.note ?? "")")
    let hangs = try #require(seen.audits.first { $0.id == "main-thread-hangs" })
    #expect(hangs.status == .notMeasured && hangs.range?.high == 100)
  }
}
