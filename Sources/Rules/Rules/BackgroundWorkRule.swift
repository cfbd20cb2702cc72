import Signals

/// In the background a program is to do next to nothing.
package enum BackgroundWorkRule: Rule {
  package static let metadata = RuleMetadata(
    id: "background-work", title: "Do next to nothing in the background",
    category: .lifeCycle,
    guide: [Guide.responsible, Guide.responsibleMultitasking, Guide.responsible10],
    signals: [.cpu], unit: "%",
    measuredAs:
      "CPU time, wakeups, traffic and disk operations of background phases at their modelled energy, on a laptop "
      + "whatever the machine is, as the share of one core whose running would cost as much: four wakeups a second "
      + "that find their CPU idle are 1 %, a send a minute is 13 % on LTE",
    advice:
      "Cancel what nobody waits for when the background notification comes, drop timers, hold sends and saves "
      + "until the program is in use, and keep one thing: the transfer or the playing that the background is for. "
      + "Give it Task(priority: .background).",
    examples: [
      RuleExample(
        "3 ms in 30 s", .pass,
        PhaseUses.example {
          $0.cpuSeconds = 0.003
          $0.wakeups = 3
          $0.energy = PhaseUses.energy(cpuSeconds: 0.003, wakeups: 3)
        }),
      RuleExample("busy in the background", .fail, PhaseUses.example { $0.cpuSeconds = 20 }),
      RuleExample(
        "idle but for a request every ten seconds", .fail,
        PhaseUses.example {
          $0.cpuSeconds = 0.005
          $0.wakeups = 12
          $0.bytesSent = 3000
          $0.energy = PhaseUses.energy(cpuSeconds: 0.005, wakeups: 6, radioJoules: 36)
        }),
      RuleExample("never in the background", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = PhaseUses.background(signals)
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    return PhaseUses.work(signals, scale, in: phases, noun: "background")
  }
}
