import Quantities
import Signals

/// While the main thread waits for events, the rest is to be quiet too.
package enum IdleCPUUseRule: Rule {
  /// Shorter idle times say nothing.
  static let shortestSeconds = 1.0

  package static let metadata = RuleMetadata(
    id: "idle-cpu-use", title: "Use no CPU while idle", category: .cpu,
    guide: [Guide.reducePower], signals: [.cpu, .mainThread], unit: "%",
    measuredAs: "share of one core used by all threads in whole seconds in which the main thread "
      + "never left its event wait and nothing passed an internet socket; fewer than ten such "
      + "seconds count as ten",
    advice:
      "Look at the threads in the evidence: what do they do when nobody asked? Stop them, let "
      + "them wait for an event, or run their work when the program is in use anyway.",
    examples: [
      RuleExample("asleep", .pass, example(cpu: 0.01)),
      RuleExample("a thread that spins", .fail, example(cpu: 45)),
      RuleExample(
        "a compiler", .notApplicable,
        SignalSet(
          durationSeconds: 30, mainThread: MainThreadSignal(hasEventLoop: false), cpu: CPUSignal()
        )),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let hasEventLoop = signals.mainThread?.knownEventLoop else {
      return .notMeasured(reason: "whether the main thread was idle is not known")
    }
    guard hasEventLoop else { return .notApplicable(reason: MainThreadWaits.noEventLoop) }
    guard let idle = signals.cpu?.idleSeconds, let cpu = signals.cpu?.idleCPUSeconds,
      idle >= shortestSeconds
    else {
      return .notApplicable(reason: "the program was never idle for a whole second")
    }
    // Its CPU time may have come in one spell for each second that was idle.
    let rate = Exposure(seconds: idle).percent(
      EventSum(total: cpu, events: Int(idle), unseen: 0.001))
    var finding = RuleFinding(
      rate: rate,
      displayValue: "\(Figures.seconds(cpu)) of CPU time in \(Figures.seconds(idle)) of idleness",
      evidence: signals.threads.filter { $0.role != .main && $0.cpuSeconds > 0 }
        .sorted { ($0.cpuSeconds, $1.tid) > ($1.cpuSeconds, $0.tid) }.prefix(5).map {
          Evidence(
            summary: "thread \($0.name.isEmpty ? String($0.tid) : $0.name): "
              + "\(Figures.seconds($0.cpuSeconds)) of CPU time in all",
            value: $0.cpuSeconds, unit: "s", thread: $0.name)
        },
      savings: scale.saving(of: rate.value, joules: cpu * signals.priors.wattsPerBusyCore))
    finding.doubt = RuleFinding.tooShort(idle, of: "idleness")
    return .measured(finding)
  }

  private static func example(cpu: Double) -> SignalSet {
    SignalSet(
      durationSeconds: 60, mainThread: MainThreadSignal(turns: 4),
      cpu: CPUSignal(totalSeconds: cpu, idleSeconds: 55, idleCPUSeconds: cpu))
  }
}
