import Quantities
import Signals

/// What others wait for is to be let go of before the program is suspended.
package enum SuspendedLocksRule: Rule {
  /// How long after the mark the handler may still be at it.
  static let graceSeconds = 5.0

  package static let metadata = RuleMetadata(
    id: "suspended-locks", title: "Hold no lock on a file while suspended", category: .lifeCycle,
    guide: [Guide.responsible, Guide.responsibleMultitasking, Guide.responsible10],
    signals: [.lifecycle], unit: "locks",
    measuredAs:
      "files on which an exclusive lock of fcntl or flock (/proc/locks, five looks a second) was held "
      + "while the "
      + "process was stopped or its control group frozen, or 5 s after a background phase began (at the end of a "
      + "shorter one); shared locks are shown and not counted",
    advice:
      "End transactions and unlock before the background handler returns: commit or roll back, close the store "
      + "(GRDB: observesSuspensionNotifications, or DatabaseQueue.close()), and LOCK_UN what flock holds. iOS ends "
      + "programs that are suspended with a lock on a shared file (0xdead10cc).",
    examples: [
      RuleExample("unlocked in time", .pass, example(until: 31)),
      RuleExample("a transaction that is left open", .fail, example(until: nil)),
      RuleExample("a shared lock", .pass, example(until: nil, isExclusive: false)),
      RuleExample("no locks", .notApplicable, example(until: 31, isLock: false)),
      RuleExample("not looked for", .notMeasured, PhaseUses.example { _ in }),
      RuleExample("never suspended", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = signals.phases.filter { $0.name == .background && $0.durationSeconds > 0 }
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    guard let held = signals.held else {
      return .notMeasured(reason: "the recording does not tell which locks were held")
    }
    let locks = held.filter(\.isLock)
    guard !locks.isEmpty else { return .nothing(reason: "no file was locked for long") }
    let kept = locks.compactMap { lock -> (lock: HeldSignal, phase: Phase)? in
      phases.first { isHeld(lock, in: $0) }.map { (lock, $0) }
    }
    let exclusive = Set(kept.filter(\.lock.isExclusive).map(\.lock.name))
    return .measured(
      RuleFinding(
        fact: Double(exclusive.count),
        displayValue: exclusive.isEmpty
          ? "no exclusive lock was held while suspended"
          : "\(Figures.count(exclusive.count, "file")) locked while suspended",
        evidence: kept.prefix(8).map { lock, phase in
          Evidence(
            summary:
              "\(lock.name): \(lock.isExclusive ? "an exclusive" : "a shared") lock, held since "
              + "\(Figures.seconds(lock.start)), in the background from \(Figures.seconds(phase.start)) on",
            time: phase.start, path: lock.name)
        }, savings: scale.saving(of: Double(exclusive.count))))
  }

  private static func isHeld(_ lock: HeldSignal, in phase: Phase) -> Bool {
    let end = lock.end ?? .infinity
    // A stopped program lets go of nothing, however late it was looked at.
    if phase.isStopped { return lock.start <= phase.end && end > phase.start }
    let time = min(phase.start + graceSeconds, phase.end)
    return lock.start <= time && end > time
  }

  private static func example(
    until end: Double?, isExclusive: Bool = true, isLock: Bool = true
  ) -> SignalSet {
    var set = PhaseUses.example { _ in }
    set.held = [
      HeldSignal(
        isLock: isLock, name: "/data/store.sqlite", isExclusive: isExclusive, start: 12, end: end)
    ]
    return set
  }
}
