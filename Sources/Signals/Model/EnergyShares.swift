/// An energy by what it was spent on, in joules.
package struct EnergyParts: Sendable, Equatable {
  /// Busy cores.
  package var cpu: Double
  /// Wakeups.
  package var wakeups: Double
  /// The radio.
  package var radio: Double
  /// The disk.
  package var disk: Double

  /// Makes the value; what is left out is zero.
  package init(cpu: Double = 0, wakeups: Double = 0, radio: Double = 0, disk: Double = 0) {
    self.cpu = cpu
    self.wakeups = wakeups
    self.radio = radio
    self.disk = disk
  }

  /// The sum.
  package var joules: Double { cpu + wakeups + radio + disk }

  package static func + (first: EnergyParts, second: EnergyParts) -> EnergyParts {
    EnergyParts(
      cpu: first.cpu + second.cpu, wakeups: first.wakeups + second.wakeups,
      radio: first.radio + second.radio, disk: first.disk + second.disk)
  }

  package static func - (first: EnergyParts, second: EnergyParts) -> EnergyParts {
    EnergyParts(
      cpu: first.cpu - second.cpu, wakeups: first.wakeups - second.wakeups,
      radio: first.radio - second.radio, disk: first.disk - second.disk)
  }
}

/// What one function, phase, host or file had of an energy.
package struct EnergyShare: Sendable, Equatable {
  /// Its name; nil for what is known of none.
  package var name: String?
  /// What it had.
  package var parts: EnergyParts

  /// The sum.
  package var joules: Double { parts.joules }
}

extension [EnergyShare] {
  /// Rows that add up to a whole: the costliest, and one for what they leave of it.
  static func wholes(
    _ rows: some Sequence<EnergyShare>, of whole: EnergyParts, most: Int = .max,
    isSorted: Bool = false
  ) -> [EnergyShare] {
    var kept = rows.filter { $0.joules > 0 }
    if !isSorted {
      kept.sort { ($1.joules, $0.name ?? "") < ($0.joules, $1.name ?? "") }
      kept = Array(kept.prefix(most))
    }
    let left = whole - kept.reduce(EnergyParts()) { $0 + $1.parts }
    // What two ways of adding up differ by is no energy.
    let least = 1e-12 * Swift.max(1, whole.joules)
    func told(_ joules: Double) -> Double { joules.magnitude > least ? joules : 0 }
    let rest = EnergyParts(
      cpu: told(left.cpu), wakeups: told(left.wakeups), radio: told(left.radio),
      disk: told(left.disk))
    if rest != EnergyParts() { kept.append(EnergyShare(name: nil, parts: rest)) }
    return kept
  }
}

/// Modelled energy of one thread.
package struct ThreadEnergy: Sendable, Equatable {
  /// Kernel thread id.
  package var tid: Int
  /// Thread name.
  package var name: String = ""
  /// Its running time.
  package var cpuJoules: Double = 0
  /// Its wakeups.
  package var wakeupJoules: Double = 0
}
