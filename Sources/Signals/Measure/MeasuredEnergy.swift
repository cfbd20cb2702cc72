import TraceModel

/// What the machine's own meters gave, for all its processes together, and a process's share of it.
struct MeasuredEnergy {
  private let joules: Double
  private let name: String
  private let busySeconds: Double?

  /// Nil where no meter was recorded. Of several the nearest to the processor counts: each holds more than the one
  /// before, and so less of it is the process's.
  init?(_ subject: SubjectView) {
    let counters = subject.trace.counters.filter { ($0.unit ?? "").lowercased().hasPrefix("j") }
    func sum(_ isWanted: (String) -> Bool) -> (joules: Double, name: String)? {
      let wanted = counters.filter { isWanted($0.name) }
      guard !wanted.isEmpty else { return nil }
      return (
        wanted.reduce(0) { $0 + $1.value }, wanted.map(\.name).sorted().joined(separator: ", ")
      )
    }
    // A package holds its cores and what is around them; the memory is beside it.
    let found =
      sum { $0 == "energy-pkg" }
      ?? sum {
        $0.hasPrefix("powercap:package") && (!$0.contains("/") || $0.hasSuffix("/dram"))
      }
      ?? sum { $0.hasPrefix("energy-") }
      ?? sum { $0.hasPrefix("powercap:psys") }
      ?? sum { $0.hasPrefix("hwmon:") }
      ?? sum { $0.hasPrefix("battery:") }
    guard let found else { return nil }
    joules = found.joules
    name = found.name
    busySeconds = subject.trace.counters.first { $0.name == "machine-busy" }?.value
  }

  func fill(_ energy: inout EnergySignal, cpuSeconds: Double?) {
    energy.measuredJoules = joules
    energy.measuredBy = name
    guard let cpuSeconds, let busySeconds, busySeconds > 0 else { return }
    // Busy time is told in hundredths of a second.
    let share = min(1, cpuSeconds / max(busySeconds, cpuSeconds))
    energy.measuredShareJoules = joules * share
    energy.measuredShareBy =
      "the process's share of the time in which processors were busy, as Scaphandre and Kepler give it"
  }
}
