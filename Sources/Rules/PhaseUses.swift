import Quantities
import Signals

/// What the rules about phases have in common.
enum PhaseUses {
  static let noBackground =
    "no background phase was seen: mark one with `lull mark PID background`, LullMarks or "
    + "--mark-signal"
  static let noQuiet =
    "no inactive or background phase was seen: mark one with `lull mark PID background`, LullMarks "
    + "or --mark-signal"

  /// Background phases in which the program could run.
  static func background(_ signals: SignalSet) -> [Phase] {
    signals.phases.filter { $0.name == .background && !$0.isStopped && $0.durationSeconds > 0 }
  }

  /// Inactive and background phases in which the program could run.
  static func quiet(_ signals: SignalSet) -> [Phase] {
    signals.phases.filter { $0.name.isQuiet && !$0.isStopped && $0.durationSeconds > 0 }
  }

  /// Those in which the main thread had a turn for the change, the longest first.
  static func handled(_ phases: [Phase]) -> [(phase: Phase, seconds: Double)] {
    phases.compactMap { phase in phase.handlerSeconds.map { (phase, $0) } }
      .sorted { $0.seconds > $1.seconds }
  }

  /// What phases cost by the prices of energy, as the share of a core, in percent, whose running would cost as much.
  ///
  /// The prices are those of one sort of machine, for which the limits are: a rule is broken or not wherever it is
  /// recorded, and whatever `--machine` says.
  static func work(
    _ signals: SignalSet, _ scale: RuleScale, in phases: [Phase], noun: String
  ) -> RuleOutcome {
    let seconds = phases.reduce(0) { $0 + $1.durationSeconds }
    let cpu = phases.reduce(0) { $0 + $1.cpuSeconds }
    let wakeups = phases.reduce(0) { $0 + $1.wakeups }
    let sent = phases.reduce(0.0) { $0 + Double($1.bytesSent) + Double($1.bytesReceived) }
    let written = phases.reduce(0.0) { $0 + Double($1.bytesWritten) }
    let joules = phases.reduce(0) { $0 + self.joules($1, signals.priors) }
    // Each wakeup begins a spell of work.
    let standard = EnergyPriors()
    let coreSeconds =
      phases.reduce(0) { $0 + ($1.standardJoules ?? self.joules($1, standard)) }
      / standard.wattsPerBusyCore
    let rate = Exposure(seconds: seconds).percent(
      EventSum(total: coreSeconds, events: wakeups, unseen: 0.001))
    var finding = RuleFinding(
      rate: rate,
      displayValue:
        "\(Figures.seconds(cpu)) of CPU time, \(Figures.count(wakeups, "wakeup")), "
        + "\(Figures.bytes(sent)) over the network and \(Figures.bytes(written)) to disk in "
        + "\(Figures.seconds(seconds)) of \(noun): \(Figures.joules(joules)), as \(Figures.brief(rate.value)) % "
        + "of a core at a laptop's prices",
      evidence: phases.sorted { self.joules($0, signals.priors) > self.joules($1, signals.priors) }
        .prefix(5).map {
          row(
            $0,
            "\(Figures.seconds($0.cpuSeconds)) of CPU time, \($0.wakeups) wakeups, "
              + "\(Figures.bytes($0.bytesSent + $0.bytesReceived)) over the network, "
              + "\(Figures.bytes($0.bytesWritten)) to disk, \(Figures.joules(self.joules($0, signals.priors)))",
            value: self.joules($0, signals.priors), unit: "J")
        },
      savings: scale.saving(of: rate.value, joules: joules))
    finding.doubt = RuleFinding.tooShort(seconds, of: noun)
    let missing = [SignalKind.wakeups, .network, .disk].filter { signals.unavailable[$0] != nil }
    if !missing.isEmpty {
      guard rate.value > scale.target else {
        return .notMeasured(
          reason:
            "of what counts here \(missing.map(\.rawValue).joined(separator: ", ")) was not recorded"
        )
      }
      finding.displayValue += ", besides \(missing.map(\.rawValue).joined(separator: ", "))"
    }
    return .measured(finding)
  }

  private static func joules(_ phase: Phase, _ priors: EnergyPriors) -> Double {
    phase.energy?.totalJoules ?? phase.cpuSeconds * priors.wattsPerBusyCore
  }

  /// A phase as evidence.
  static func row(_ phase: Phase, _ summary: String, value: Double? = nil, unit: String? = nil)
    -> Evidence
  {
    Evidence(
      summary: "\(phase.name.rawValue) from \(Figures.seconds(phase.start)) for "
        + "\(Figures.seconds(phase.durationSeconds)): \(summary)",
      value: value, unit: unit, time: phase.start)
  }

  /// Modelled energy for an example.
  static func energy(
    cpuSeconds: Double, wakeups: Int, radioJoules: Double = 0
  ) -> EnergySignal {
    EnergyPriors().energy(
      cpuSeconds: cpuSeconds, wakeups: wakeups, disk: DiskWork(), radio: JouleRange(radioJoules))
  }

  /// A recording of a minute whose second half is in the background.
  static func example(_ change: (inout Phase) -> Void) -> SignalSet {
    var phase = Phase(name: .background, start: 30, durationSeconds: 30, how: "marked")
    change(&phase)
    return SignalSet(
      durationSeconds: 60, wakeups: WakeupSignal(), network: NetworkSignal(),
      memory: MemorySignal(peakFootprintBytes: 20_000_000), cpu: CPUSignal(),
      lifecycle: LifecycleSignal(), phases: [phase])
  }

  /// What is without a background phase, of a program with a main thread.
  static var appExampleWithout: SignalSet {
    var set = exampleWithout
    set.mainThread = MainThreadSignal(turns: 9)
    return set
  }

  /// The same without a background phase.
  static let exampleWithout = SignalSet(
    durationSeconds: 60, wakeups: WakeupSignal(), network: NetworkSignal(),
    memory: MemorySignal(peakFootprintBytes: 20_000_000), cpu: CPUSignal(),
    lifecycle: LifecycleSignal())
}
