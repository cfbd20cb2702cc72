import Quantities
import Signals

/// The footprint must not grow for ever.
package enum FootprintGrowthRule: Rule {
  package static let metadata = RuleMetadata(
    id: "footprint-growth", title: "Do not leak memory", category: .memory,
    guide: [Guide.reduceFootprint], signals: [.memory], unit: "MB/min",
    measuredAs:
      "robust slope (Theil–Sen) of the footprint between turns of the event loop (all readings where "
      + "there is no loop) with its 95 % interval; zero when the "
      + "interval holds zero; a recording shorter than a minute may show a start, so that it is "
      + "at least what it grew by",
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
      return isTool
        ? .notApplicable(reason: workInProgress)
        : .notMeasured(reason: "the recording has too few samples to tell a slope")
    }
    let isLeak = slope > 0 && interval[0] > 0
    let value = isLeak ? slope / 1e6 : 0
    // A recording of less than a minute may show a start: had it grown no further, a minute would hold this.
    let shown = min(signals.durationSeconds, 60) / 60
    let bounds = "\(Figures.brief(interval[0] / 1e6)) to \(Figures.brief(interval[1] / 1e6))"
    let finding = RuleFinding(
      value: value,
      bounds: Bounds(
        low: isLeak ? max(0, interval[0]) / 1e6 * shown : 0,
        high: max(value, interval[1] / 1e6)),
      displayValue: "\(Figures.brief(slope / 1e6)) MB per minute (\(bounds) at 95 %)",
      savings: scale.saving(of: value))
    return isTool ? .notApplicable(reason: workInProgress, finding: finding) : .measured(finding)
  }

  private static let workInProgress =
    "without an event loop, growth is work in progress rather than a leak"
}
