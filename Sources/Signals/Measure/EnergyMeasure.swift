import TraceModel

/// Models the energy of the recording, by consumer, thread, function, phase, host and file.
enum EnergyMeasure {
  private static let mostRows = 20

  static func measure(_ set: SignalSet, _ subject: SubjectView) -> EnergySignal {
    let radio = set.network?.radio.energyJoules ?? 0
    let models = set.network?.models.map(\.use.energyJoules) ?? []
    // A thread that woke another one may have made an idle CPU take it, which no recording tells.
    var energy = set.priors.energy(
      cpuSeconds: set.cpu?.totalSeconds ?? 0, wakeups: set.wakeups?.foundCPUIdle ?? 0,
      uncharged: (set.wakeups?.total ?? 0) - (set.wakeups?.foundCPUIdle ?? 0),
      disk: set.disk?.work ?? DiskWork(),
      radio: JouleRange(radio, low: models.min(), high: models.max()))
    energy.byThread = set.threads.map {
      ThreadEnergy(
        tid: $0.tid, name: $0.name, cpuJoules: $0.cpuSeconds * set.priors.wattsPerBusyCore,
        wakeupJoules: Double($0.idleWakeupsFoundCPUIdle) * set.priors.joulesPerWakeup)
    }.sorted { ($1.cpuJoules + $1.wakeupJoules, $0.tid) < ($0.cpuJoules + $0.wakeupJoules, $1.tid) }
    let whole = energy.parts
    energy.byFunction = .wholes(
      set.blame.energy.map { EnergyShare(name: $0.key, parts: $0.value) }, of: whole,
      most: mostRows)
    energy.byPhase = .wholes(
      set.phases.map {
        EnergyShare(name: $0.name.rawValue, parts: $0.energy?.parts ?? EnergyParts())
      }, of: whole, isSorted: true)
    energy.byHost = .wholes(hosts(set), of: whole, most: mostRows)
    energy.byFile = .wholes(
      set.disk?.files.map {
        EnergyShare(
          name: $0.path, parts: EnergyParts(disk: set.priors.energy(of: $0.work).value))
      } ?? [], of: whole, most: mostRows)
    MeasuredEnergy(subject)?.fill(&energy, cpuSeconds: set.cpu?.totalSeconds)
    return energy
  }

  /// The bursts' energy by host.
  private static func hosts(_ set: SignalSet) -> [EnergyShare] {
    var joules: [String: Double] = [:]
    for burst in set.network?.bursts ?? [] {
      for (remote, share) in zip(burst.remotes, burst.remoteShares) {
        joules[remote, default: 0] += burst.energyJoules * share
      }
    }
    return joules.map { EnergyShare(name: $0.key, parts: EnergyParts(radio: $0.value)) }
  }
}
