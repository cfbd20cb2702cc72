import Quantities
import Signals

/// A program that waits for events must leave the CPU alone most of the time.
package enum CPUUseRule: Rule {
  package static let metadata = RuleMetadata(
    id: "cpu-use", title: "Use little of the CPU", category: .cpu, guide: [Guide.reducePower],
    signals: [.cpu], unit: "%",
    measuredAs:
      "median share of one core over windows of a second; the limit is compared with the highest share over 60 s",
    advice: "Profile the busy turns and cut the algorithm, not the corner: cache results, avoid "
      + "copies (withUnsafeBytes, Span), decode once. Look for loops that wait without sleeping. "
      + "Give work that nobody waits for a low priority: Task(priority: .background).",
    examples: [
      RuleExample(
        "a server with little to do", .pass,
        SignalSet(
          durationSeconds: 60, cpu: CPUSignal(totalSeconds: 1, medianShare: 0.01, p95Share: 0.1))),
      RuleExample(
        "an event loop that never rests", .fail,
        SignalSet(
          durationSeconds: 90,
          cpu: CPUSignal(
            totalSeconds: 88, medianShare: 0.98, p95Share: 1, shareOver60s: 0.98))),
      RuleExample(
        "a compiler", .notApplicable,
        SignalSet(
          durationSeconds: 30, mainThread: MainThreadSignal(hasEventLoop: false, turns: 1),
          cpu: CPUSignal(totalSeconds: 29, medianShare: 0.98, p95Share: 1))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let cpu = signals.cpu else { return .notMeasured(reason: "not recorded") }
    let value = cpu.medianShare * 100
    let joules = cpu.totalSeconds * signals.priors.wattsPerBusyCore
    var finding = RuleFinding(
      value: value, bounds: bounds(cpu, signals, value),
      displayValue: "\(Figures.brief(cpu.medianShare * 100)) % of a core in the median second, "
        + "\(Figures.brief(cpu.p95Share * 100)) % in the 95th (\(Figures.joules(joules)))",
      evidence: signals.threads.filter { $0.cpuSeconds > 0 }
        .sorted { ($0.cpuSeconds, $1.tid) > ($1.cpuSeconds, $0.tid) }.prefix(5).map {
          Evidence(
            summary: "thread \($0.name.isEmpty ? String($0.tid) : $0.name): "
              + "\(Figures.seconds($0.cpuSeconds)) of CPU time",
            value: $0.cpuSeconds, unit: "s", thread: $0.name)
        },
      savings: scale.saving(of: value, joules: joules))
    finding.limitValue = signals.durationSeconds >= 60 ? cpu.shareOver60s * 100 : nil
    finding.limitBounds = .exactly(cpu.shareOver60s * 100)
    return .measured(finding)
  }

  /// Of all CPU time, as spells that may each have lasted as long as one of the busiest seconds was busy.
  private static func bounds(_ cpu: CPUSignal, _ signals: SignalSet, _ value: Double) -> Bounds {
    let spell = max(cpu.p95Share * min(1, signals.durationSeconds), 0.001)
    let spells = Int((cpu.totalSeconds / spell).rounded(.up))
    let bounds = Exposure(signals).percent(
      EventSum(total: cpu.totalSeconds, events: spells, unseen: spell)
    ).bounds
    return Bounds(low: min(bounds.low, value), high: max(bounds.high, value))
  }
}
