import Quantities

/// The tables of the energy: by function, phase, host and file, each of whose rows add up to the whole.
enum EnergyRows {
  static func tables(_ energy: EnergySection) -> [TableModel] {
    [
      table(
        "energy-functions", "Energy by function", "Function",
        energy.byFunction.map {
          Row(
            name: $0.function,
            parts: [$0.cpuJoules, $0.wakeupJoules ?? 0, $0.radioJoules, $0.diskJoules ?? 0])
        }, energy),
      table("energy-phases", "Energy by phase", "Phase", energy.byPhase.map(Row.init), energy),
      table("energy-hosts", "Energy by host", "Host", energy.byHost.map(Row.init), energy),
      table("energy-files", "Energy by file", "File", energy.byFile.map(Row.init), energy),
    ]
  }

  private struct Row {
    var name: String?
    var parts: [Double]

    init(name: String?, parts: [Double]) {
      self.name = name
      self.parts = parts
    }

    init(_ share: EnergyShareSection) {
      name = share.name
      parts = [share.cpuJoules, share.wakeupJoules, share.radioJoules, share.diskJoules]
    }
  }

  private static func table(
    _ id: String, _ title: String, _ what: String, _ rows: [Row], _ energy: EnergySection
  ) -> TableModel {
    // What is all in the row of the rest says nothing.
    let isTelling = rows.contains { $0.name != nil }
    return TableModel(
      id: id, title: title,
      columns: [
        .text(what), .number("Energy"), .number("CPU"), .number("Wakeups"), .number("Radio"),
        .number("Disk"),
      ],
      rows: isTelling
        ? rows.map { row in
          [row.name.map(CellModel.code) ?? .text("everything else")]
            + [row.parts.reduce(0, +)].map(CellModel.joules) + row.parts.map(CellModel.joules)
        } : [],
      note: "By the prices of "
        + PageText.shown(energy.model.map { "a \($0.machine)" } ?? "the model") + ".")
  }
}
