import Quantities
import Signals

/// In the background a program is to do next to nothing.
package enum BackgroundWorkRule: Rule {
  package static let metadata = RuleMetadata(
    id: "background-work", title: "Do next to nothing in the background",
    category: .lifeCycle,
    guide: [Guide.responsible, Guide.responsibleMultitasking, Guide.responsible10],
    signals: [.cpu], unit: "%",
    measuredAs: "share of one core used in background phases; wakeups and bytes are shown",
    advice: "Cancel what nobody waits for when the background notification comes, drop timers, and "
      + "keep one thing: the transfer or the playing that the background is for. Give it "
      + "Task(priority: .background).",
    examples: [
      RuleExample("3 ms in 30 s", .pass, PhaseUses.example { $0.cpuSeconds = 0.003 }),
      RuleExample("busy in the background", .fail, PhaseUses.example { $0.cpuSeconds = 20 }),
      RuleExample("never in the background", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = PhaseUses.background(signals)
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    let seconds = phases.reduce(0) { $0 + $1.durationSeconds }
    let cpu = phases.reduce(0) { $0 + $1.cpuSeconds }
    let wakeups = phases.reduce(0) { $0 + $1.wakeups }
    let idle = phases.reduce(0) { $0 + $1.idleWakeups }
    let bytes = phases.reduce(0.0) {
      $0 + Double($1.bytesSent) + Double($1.bytesReceived) + Double($1.bytesWritten)
    }
    // Each wakeup begins a spell of work.
    let rate = Exposure(seconds: seconds).percent(
      EventSum(total: cpu, events: wakeups, unseen: 0.001))
    return .measured(
      RuleFinding(
        rate: rate,
        displayValue:
          "\(Figures.seconds(cpu)) of CPU time, \(Figures.count(wakeups, "wakeup")) and "
          + "\(Figures.bytes(bytes)) moved in \(Figures.seconds(seconds)) of background",
        evidence: phases.sorted { $0.cpuSeconds > $1.cpuSeconds }.prefix(5).map {
          PhaseUses.row(
            $0,
            "\(Figures.seconds($0.cpuSeconds)) of CPU time, \($0.wakeups) wakeups, "
              + "\(Figures.bytes($0.bytesSent + $0.bytesReceived)) over the network, "
              + "\(Figures.bytes($0.bytesWritten)) to disk",
            value: $0.cpuSeconds, unit: "s")
        },
        savings: scale.saving(
          of: rate.value,
          joules: cpu * signals.priors.wattsPerBusyCore
            + signals.joules(ofIdleWakeups: idle))))
  }
}
