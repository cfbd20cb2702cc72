import Quantities

/// Which functions caused what was measured, one table a signal.
enum BlameRows {
  static func tables(_ blame: BlameSection) -> [TableModel] {
    let time = [ColumnModel.number("Itself"), .number("With callees")]
    return [
      table("blame-blocked", "Blame: blocked time", [.text("Waited for")] + time, blame.blocked) {
        [
          .text(TextReport.words($0.cause ?? "")), .seconds($0.selfSeconds),
          .seconds($0.inclusiveSeconds),
        ]
      },
      processor(blame, time),
      table(
        "blame-wakeups", "Blame: wakeups", [.number("Itself"), .number("With callees")],
        blame.wakeups
      ) {
        [
          .number($0.count, Figures.brief($0.count)),
          .number($0.inclusiveCount, Figures.brief($0.inclusiveCount)),
        ]
      },
      table(
        "blame-disk", "Blame: writes", volume("Writes") + [.number("Syncs")], blame.disk
      ) { row in
        let syncs = row.syncs ?? 0
        return volume(row) + [.number(syncs, syncs == 0 ? "" : Figures.brief(syncs))]
      },
      table("blame-reads", "Blame: reads of files", volume("Reads"), blame.reads ?? [], volume),
      table("blame-network", "Blame: sends", volume("Sends"), blame.network, volume),
    ]
  }

  /// Seconds, or shares of the samples' event.
  private static func processor(_ blame: BlameSection, _ time: [ColumnModel]) -> TableModel {
    guard let event = blame.cpuEvent else {
      let columns = time + [.number("Samples"), .text("Itself, at 95 %")]
      return table("blame-cpu", "Blame: CPU time", columns, blame.cpu) {
        [
          seconds($0.selfSeconds, $0), seconds($0.inclusiveSeconds, $0),
          .number(Double($0.samples ?? 0), Figures.grouped($0.samples ?? 0)),
          .text(
            $0.selfSecondsInterval?.map { Figures.seconds($0, digits: 2) }
              .joined(separator: " to ") ?? ""),
        ]
      }
    }
    let all = max(blame.cpu.reduce(0) { $0 + $1.count }, 1)
    return table("blame-cpu", "Blame: shares of \(event)", time, blame.cpu) {
      [
        .number($0.count, Figures.percent($0.count / all, digits: $0.digits)),
        .number($0.inclusiveCount, Figures.percent($0.inclusiveCount / all, digits: $0.digits)),
      ]
    }
  }

  private static func seconds(_ value: Double, _ row: BlameRowSection) -> CellModel {
    .number(value, Figures.seconds(value, digits: row.digits))
  }

  private static func volume(_ noun: String) -> [ColumnModel] {
    [.number("Bytes"), .number("With callees"), .number(noun)]
  }

  private static func volume(_ row: BlameRowSection) -> [CellModel] {
    [
      .number(row.bytes, Figures.bytes(row.bytes)),
      .number(row.inclusiveBytes, Figures.bytes(row.inclusiveBytes)),
      .number(row.count, row.count == 0 ? "" : Figures.brief(row.count)),
    ]
  }

  private static func table(
    _ id: String, _ title: String, _ columns: [ColumnModel], _ rows: [BlameRowSection],
    _ cells: (BlameRowSection) -> [CellModel]
  ) -> TableModel {
    TableModel(
      id: id, title: title, columns: [.text("Function"), .text("Place")] + columns,
      rows: rows.map { row in
        let frame = ReportFrame(
          function: row.function, module: row.module, file: row.file, line: row.line,
          isProgram: true)
        return [.code(row.function), .text(ReportTables.rawPlace(frame))] + cells(row)
      })
  }
}
