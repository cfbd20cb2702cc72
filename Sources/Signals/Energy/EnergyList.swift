import Quantities

/// The priors as a table: what, its value and bounds, where they come from.
package enum EnergyList {
  /// The lines; of one sort of machine, or of all.
  package static func text(
    _ tables: EnergyTables, machine: MachineClass? = nil
  ) throws(RadioProfileError) -> String {
    var lines: [String] = []
    for machine in machine.map({ [$0] }) ?? MachineClass.allCases {
      let priors = EnergyPriors(
        tables, machine: machine, reason: "", isKnown: true, storage: tables.storage,
        idleStates: nil)
      lines.append("\(machine.rawValue) (files on \(priors.storage.rawValue))")
      for (name, unit, prior) in priors.named.prefix(2) {
        lines += Self.lines(name, unit, prior)
      }
      lines.append("")
    }
    for storage in StorageKind.allCases {
      let priors = EnergyPriors(
        tables, machine: .laptop, reason: "", isKnown: true, storage: storage, idleStates: nil)
      lines.append("storage \(storage.rawValue)")
      for (name, unit, prior) in priors.named.dropFirst(2) {
        lines += Self.lines(name, unit, prior)
      }
      lines.append("")
    }
    lines.append("radio (one packet alone: promotion and the whole tail)")
    for profile in try RadioProfileFile.builtIn() {
      let promotion = profile.promotion.map { $0.seconds * $0.milliwatts / 1000 } ?? 0
      lines.append(
        "  \(profile.name): \(Figures.joules(promotion + profile.fullTailJoules)), tail of "
          + Figures.seconds(profile.tailSeconds))
      lines.append("    \(profile.source)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ name: String, _ unit: String, _ prior: Prior) -> [String] {
    func figure(_ value: Double) -> String {
      if unit == "J", value > 0, value < 1e-6 { return "\(Figures.brief(value * 1e9)) nJ" }
      if unit == "J", value > 0, value < 1e-3 { return "\(Figures.brief(value * 1e6)) µJ" }
      return unit == "J" ? Figures.joules(value) : "\(Figures.brief(value)) \(unit)"
    }
    let bounds =
      prior.low < prior.high ? " (\(figure(prior.low)) to \(figure(prior.high)))" : ""
    return ["  \(name): \(figure(prior.value))\(bounds)", "    \(prior.source)"]
  }
}
