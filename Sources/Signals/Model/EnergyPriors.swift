/// Energy prices of events for which no counter gives the energy.
///
/// The defaults are powertop's priors (DESIGN section 5); a configuration may replace each.
package struct EnergyPriors: Sendable, Hashable, Codable {
  /// Watts of one busy core.
  package var wattsPerBusyCore: Double
  /// Joules of one wakeup that makes its CPU leave idle; others find the CPU awake.
  package var joulesPerWakeup: Double
  /// Joules of one disk operation.
  package var joulesPerDiskOperation: Double

  /// Makes priors; each defaults to powertop's figure.
  package init(
    wattsPerBusyCore: Double = 1.56, joulesPerWakeup: Double = 0.00395,
    joulesPerDiskOperation: Double = 0.002
  ) {
    self.wattsPerBusyCore = wattsPerBusyCore
    self.joulesPerWakeup = joulesPerWakeup
    self.joulesPerDiskOperation = joulesPerDiskOperation
  }

  /// Energy of the given amounts: CPU, wakeups that found their CPU idle, disk operations and radio.
  package func energy(
    cpuSeconds: Double, wakeups: Int, diskOperations: Int, radioJoules: Double
  ) -> EnergySignal {
    let cpu = cpuSeconds * wattsPerBusyCore
    let wakeup = Double(wakeups) * joulesPerWakeup
    let disk = Double(diskOperations) * joulesPerDiskOperation
    return EnergySignal(
      totalJoules: cpu + wakeup + disk + radioJoules, cpuJoules: cpu, wakeupJoules: wakeup,
      radioJoules: radioJoules, diskJoules: disk, kind: "modelled")
  }
}
