import TraceModel

/// Models the energy of the recording, by consumer, thread and function.
enum EnergyMeasure {
  private static let mostFunctions = 20

  static func measure(_ set: SignalSet, _ subject: SubjectView) -> EnergySignal {
    let radio = set.network?.radio.energyJoules ?? 0
    var energy = set.priors.energy(
      cpuSeconds: set.cpu?.totalSeconds ?? 0, wakeups: set.wakeups?.foundCPUIdle ?? 0,
      diskOperations: (set.disk?.writeBursts ?? 0) + (set.disk?.syncs ?? 0), radioJoules: radio)
    // The radio profiles are models that there are several of; and a thread that woke another one may have made an
    // idle CPU take it, which no recording tells.
    let untold = Double((set.wakeups?.total ?? 0) - (set.wakeups?.foundCPUIdle ?? 0))
    let radios = (set.network?.alternatives.map(\.energyJoules) ?? []) + [radio]
    energy.low = energy.totalJoules - radio + (radios.min() ?? radio)
    energy.high =
      energy.totalJoules - radio + (radios.max() ?? radio) + untold * set.priors.joulesPerWakeup
    energy.byThread = set.threads.map {
      ThreadEnergy(
        tid: $0.tid, name: $0.name, cpuJoules: $0.cpuSeconds * set.priors.wattsPerBusyCore,
        wakeupJoules: Double($0.idleWakeupsFoundCPUIdle) * set.priors.joulesPerWakeup)
    }.sorted { ($1.cpuJoules + $1.wakeupJoules, $0.tid) < ($0.cpuJoules + $0.wakeupJoules, $1.tid) }
    energy.byFunction = functions(set, subject, cpuJoules: energy.cpuJoules)
    if let counter = measured(subject) {
      energy.measuredJoules = counter.joules
      energy.measuredBy = counter.name
    }
    return energy
  }

  /// The CPU energy by samples, and the radio's by what began each burst.
  private static func functions(_ set: SignalSet, _ subject: SubjectView, cpuJoules: Double)
    -> [FunctionEnergy]
  {
    var rows: [String: FunctionEnergy] = [:]
    var counts: [Int: Int] = [:]
    var total = 0
    for sample in subject.trace.processorSamples where sample.pid == subject.pid {
      total += 1
      if let stack = sample.stack { counts[stack, default: 0] += 1 }
    }
    // Counts are added, not joules, whose sum would depend on the order.
    var samples: [String: Int] = [:]
    for (stack, count) in counts {
      if let function = subject.frames(stack).blamed?.function {
        samples[function, default: 0] += count
      }
    }
    for (function, count) in samples {
      rows[function] = FunctionEnergy(
        function: function, cpuJoules: cpuJoules * Double(count) / Double(max(total, 1)))
    }
    for burst in set.network?.bursts ?? [] {
      guard let function = burst.stack.blamed?.function else { continue }
      rows[function, default: FunctionEnergy(function: function)].radioJoules +=
        burst.energyJoules
    }
    return Array(
      rows.values.sorted { ($1.joules, $0.function) < ($0.joules, $1.function) }
        .prefix(mostFunctions))
  }

  /// What the machine's own counter of energy gave, for all its processes together.
  private static func measured(_ subject: SubjectView) -> (name: String, joules: Double)? {
    let readings = subject.trace.counters.filter {
      $0.name.hasPrefix("energy-") && ($0.unit ?? "").lowercased().hasPrefix("j")
    }
    guard let last = readings.last else { return nil }
    return (last.name, last.value)
  }
}
