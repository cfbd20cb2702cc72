import Quantities
import Signals

/// The footprint must not grow for ever.
package enum FootprintGrowthRule: Rule {
  package static let metadata = RuleMetadata(
    id: "footprint-growth", title: "Do not leak memory", category: .memory,
    guide: [Guide.reduceFootprint], signals: [.memory], unit: "MB/min",
    measuredAs:
      "robust slope (Theil–Sen) of the footprint between turns of the event loop (all readings where "
      + "there is no loop) with its 95 % interval, of a program that was seen starting over the later half; zero "
      + "when the interval holds zero. Warm-up is no growth: nothing is held against a program in the first half "
      + "minute after its start, nor while the later half grows less than half as fast as the earlier",
    advice: "Look for what is added and never removed: caches without a limit, arrays of events, "
      + "closures that hold self in a cycle ([weak self]), tasks and continuations that never "
      + "end. Compare with heaptrack or Valgrind's massif for the allocating stack.",
    examples: [
      RuleExample(
        "a footprint that wavers", .pass,
        SignalSet(
          durationSeconds: 60,
          memory: MemorySignal(
            peakFootprintBytes: 9_000_000, growthBytesPerMinute: 20_000,
            growthInterval: [-30_000, 50_000]))),
      RuleExample(
        "5 MB more each minute", .fail,
        SignalSet(
          durationSeconds: 120,
          memory: MemorySignal(
            peakFootprintBytes: 19_000_000, growthBytesPerMinute: 5_000_000,
            growthInterval: [4_900_000, 5_100_000]))),
      RuleExample("2 MB a minute in the first six seconds", .notMeasured, warming(5, 2.3e6, 2.3e6)),
      RuleExample(
        "a start that filled 300 MB a minute, and slows down", .notMeasured,
        warming(60, 3e8, 4e7)),
      RuleExample(
        "5 MB a minute, as fast as ever after two minutes", .fail, warming(120, 5e6, 5e6)),
      RuleExample(
        "too short to tell", .notMeasured,
        SignalSet(durationSeconds: 0.2, memory: MemorySignal(peakFootprintBytes: 9_000_000))),
      RuleExample(
        "a compiler that fills its tables", .notApplicable,
        SignalSet(
          durationSeconds: 10, mainThread: MainThreadSignal(hasEventLoop: false, turns: 1),
          memory: MemorySignal(
            peakFootprintBytes: 90_000_000, growthBytesPerMinute: 300_000_000,
            growthInterval: [200_000_000, 400_000_000]))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let memory = signals.memory else { return .notMeasured(reason: "not recorded") }
    let isTool = signals.mainThread?.knownEventLoop == false
    guard let slope = memory.growthBytesPerMinute, let interval = memory.growthInterval,
      interval.count == 2
    else {
      if isTool { return .notApplicable(reason: workInProgress) }
      let seconds = signals.durationSeconds
      return .notMeasured(
        reason: seconds < MemorySignal.warmUp
          ? "\(Figures.seconds(seconds)) are too short to tell growth from warming up"
          : "the recording has too few readings of the footprint to tell a slope")
    }
    let isGrowth = slope > 0 && interval[0] > 0
    let value = isGrowth ? slope / 1e6 : 0
    // In less than a minute it may be a start of something: had it grown no further, a minute would hold this.
    let shown = min(signals.durationSeconds, 60) / 60
    let isProven = isGrowth && !mayBeWarmUp(memory, slope)
    let bounds = "\(Figures.brief(interval[0] / 1e6)) to \(Figures.brief(interval[1] / 1e6))"
    var finding = RuleFinding(
      value: value,
      bounds: Bounds(
        low: isProven ? max(0, interval[0]) / 1e6 * shown : 0,
        high: max(value, interval[1] / 1e6)),
      displayValue: "\(Figures.brief(slope / 1e6)) MB per minute (\(bounds) at 95 %)"
        + (isGrowth && !isProven ? "; it may be warming up" : ""),
      savings: scale.saving(of: value))
    // In its first half minute a program may be warming up because of the time.
    if isGrowth, !isProven, memory.secondsSinceStart ?? 0 >= MemorySignal.warmUp {
      finding.doubt = "it may be warming up: the earlier half grew more than twice as fast"
    }
    return isTool ? .notApplicable(reason: workInProgress, finding: finding) : .measured(finding)
  }

  /// Caches, pools and lazily made things fill up once, and slower and slower.
  private static func mayBeWarmUp(_ memory: MemorySignal, _ slope: Double) -> Bool {
    guard let seconds = memory.secondsSinceStart else { return false }
    if seconds < MemorySignal.warmUp { return true }
    return memory.earlierGrowthBytesPerMinute.map { slope < $0 / 2 } ?? false
  }

  private static func warming(_ seconds: Double, _ earlier: Double, _ later: Double) -> SignalSet {
    var memory = MemorySignal(
      peakFootprintBytes: 90_000_000, growthBytesPerMinute: later,
      growthInterval: [0.8 * later, 1.2 * later])
    memory.earlierGrowthBytesPerMinute = earlier
    memory.secondsSinceStart = seconds
    return SignalSet(durationSeconds: seconds + 1, memory: memory)
  }

  private static let workInProgress =
    "without an event loop, growth is work in progress rather than a leak"
}
