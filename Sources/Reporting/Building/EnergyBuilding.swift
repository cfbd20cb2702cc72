import Signals

/// Turns the energy and its prices into a section of a report.
enum EnergyBuilding {
  static func section(_ signal: EnergySignal, of signals: SignalSet) -> EnergySection {
    EnergySection(
      totalJoules: signal.totalJoules.finite, cpuJoules: signal.cpuJoules.finite,
      wakeupJoules: signal.wakeupJoules.finite, radioJoules: signal.radioJoules.finite,
      diskJoules: signal.diskJoules.finite, kind: signal.kind, low: signal.low?.finite,
      high: signal.high?.finite, ranges: signal.ranges.map(ranges),
      model: model(signals), measuredJoules: signal.measuredJoules?.finite,
      measuredBy: signal.measuredBy, measuredShareJoules: signal.measuredShareJoules?.finite,
      measuredShareBy: signal.measuredShareBy,
      byThread: signal.byThread.map {
        ThreadEnergySection(
          tid: $0.tid, name: $0.name, cpuJoules: $0.cpuJoules.finite,
          wakeupJoules: $0.wakeupJoules.finite)
      },
      byFunction: signal.byFunction.map {
        FunctionEnergySection(
          function: $0.name, cpuJoules: $0.parts.cpu.finite, radioJoules: $0.parts.radio.finite,
          wakeupJoules: $0.parts.wakeups.finite, diskJoules: $0.parts.disk.finite)
      }, byPhase: signal.byPhase.map(share), byHost: signal.byHost.map(share),
      byFile: signal.byFile.map(share))
  }

  private static func share(_ share: EnergyShare) -> EnergyShareSection {
    EnergyShareSection(
      name: share.name, joules: share.joules.finite, cpuJoules: share.parts.cpu.finite,
      wakeupJoules: share.parts.wakeups.finite, radioJoules: share.parts.radio.finite,
      diskJoules: share.parts.disk.finite)
  }

  private static func ranges(_ ranges: EnergyRanges) -> EnergyRangesSection {
    func range(_ range: JouleRange) -> JouleRangeSection {
      JouleRangeSection(low: range.low.finite, high: range.high.finite)
    }
    return EnergyRangesSection(
      cpu: range(ranges.cpu), wakeups: range(ranges.wakeups), radio: range(ranges.radio),
      disk: range(ranges.disk))
  }

  private static func model(_ signals: SignalSet) -> EnergyModelSection {
    let priors = signals.priors
    return EnergyModelSection(
      machine: priors.machine.rawValue, machineReason: priors.reason,
      storage: priors.storage.rawValue,
      radio: signals.network.flatMap { $0.bursts.isEmpty ? nil : $0.radio.profile },
      priors: priors.named.map {
        PriorSection(
          name: $0.name, unit: $0.unit, value: $0.prior.value.finite, low: $0.prior.low.finite,
          high: $0.prior.high.finite, source: $0.prior.source)
      })
  }
}
