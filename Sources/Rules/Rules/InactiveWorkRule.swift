import Signals

/// While it is interrupted a program is to do little.
package enum InactiveWorkRule: Rule {
  package static let metadata = RuleMetadata(
    id: "inactive-work", title: "Begin no work while inactive", category: .lifeCycle,
    guide: [Guide.interruptions10, Guide.interrupted2015, Guide.interruption], signals: [.cpu],
    unit: "%",
    measuredAs:
      "what background-work measures, in phases that were marked as inactive: CPU time, wakeups, disk operations and "
      + "traffic at their modelled energy, as the share of one core whose running would cost as much; bursts that had "
      + "begun before are not counted, since the guide lets requests under way go on",
    advice:
      "When the program is interrupted, pause what is played or drawn, suspend queues of work that can wait "
      + "(DispatchQueue.suspend(), OperationQueue.isSuspended, a paused AsyncSequence), and start no new tasks. "
      + "Requests that are under way may end.",
    examples: [
      RuleExample("3 ms in 30 s", .pass, example { $0.cpuSeconds = 0.003 }),
      RuleExample(
        "goes on as before", .fail,
        example {
          $0.cpuSeconds = 25
          $0.wakeups = 300
        }),
      RuleExample("never inactive", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = signals.phases.filter {
      $0.name == .inactive && !$0.isStopped && $0.durationSeconds > 0
    }
    guard !phases.isEmpty else {
      return .notApplicable(
        reason: "no inactive phase was seen: mark one with `lull mark PID inactive` or LullMarks")
    }
    return PhaseUses.work(signals, scale, in: phases, noun: "inactivity")
  }

  private static func example(_ change: (inout Phase) -> Void) -> SignalSet {
    PhaseUses.example {
      $0.name = .inactive
      change(&$0)
    }
  }
}
