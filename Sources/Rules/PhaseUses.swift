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

  /// A phase as evidence.
  static func row(_ phase: Phase, _ summary: String, value: Double? = nil, unit: String? = nil)
    -> Evidence
  {
    Evidence(
      summary: "\(phase.name.rawValue) from \(Figures.seconds(phase.start)) for "
        + "\(Figures.seconds(phase.durationSeconds)): \(summary)",
      value: value, unit: unit, time: phase.start)
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

  /// The same without a background phase.
  static let exampleWithout = SignalSet(
    durationSeconds: 60, wakeups: WakeupSignal(), network: NetworkSignal(),
    memory: MemorySignal(peakFootprintBytes: 20_000_000), cpu: CPUSignal(),
    lifecycle: LifecycleSignal())
}
