import Quantities
import Signals

/// The tables of a page; a table without rows is left out.
enum ReportTables {
  static func tables(_ report: Report) -> [TableModel] {
    let signals = report.signals
    var tables = [hangs(signals)] + BlameRows.tables(report.blame)
    tables += [
      intervals("tests", "Tests", report.intervals.filter(\.isTest)),
      intervals("intervals", "Intervals", report.intervals.filter { !$0.isTest }),
      threads(report), queues(signals), timers(signals),
    ]
    tables += CallRows.tables(report)
    if let network = signals.network { tables += [bursts(network), connections(network)] }
    if let disk = signals.disk { tables.append(files(disk)) }
    if let energy = signals.energy { tables += EnergyRows.tables(energy) }
    if report.processes.count > 1 { tables.append(processes(report)) }
    return tables.filter { !$0.rows.isEmpty }
  }

  private static func hangs(_ signals: SignalsSection) -> TableModel {
    let hangs = signals.mainThread?.hasEventLoop == true ? signals.mainThread?.hangs ?? [] : []
    return TableModel(
      id: "hangs", title: "Hangs of the main thread",
      columns: [
        .number("At"), .number("Length"), .text("Severity"), .text("Blame"), .text("Place"),
        .number("Running"), .text("Blocked by"),
      ],
      rows: hangs.sorted { ($1.durationSeconds, $0.start) < ($0.durationSeconds, $1.start) }
        .map { hang in
          let frame = hang.stack.blamed
          return [
            .moment(hang.start), .seconds(hang.durationSeconds), .text(hang.severity),
            .code(hang.blamedFunction ?? frame?.function ?? "unknown"),
            .text(frame.map(rawPlace) ?? ""), .seconds(hang.runningSeconds),
            .text(TextReport.causes(hang.blockedByCause, Figures.seconds)),
          ]
        })
  }

  /// Those that used most CPU time first, as in the text.
  private static func intervals(
    _ id: String, _ title: String, _ intervals: [IntervalSection]
  ) -> TableModel {
    let areTests = id == "tests"
    return TableModel(
      id: id, title: title,
      columns: [
        .text("Name"), .text(areTests ? "Outcome" : "Thread"), .number("At"), .number("Length"),
        .number("CPU"), .number("Wakeups"), .number("Written"), .number("Sent"),
        .number("Received"),
      ],
      rows: intervals.sorted {
        ($0.cpuSeconds, $0.durationSeconds) > ($1.cpuSeconds, $1.durationSeconds)
      }.map { interval in
        [
          .code(interval.name + (interval.isOpen ? " (its end was not seen)" : "")),
          .text(areTests ? interval.outcome ?? "not known" : interval.thread),
          .moment(interval.start), .seconds(interval.durationSeconds),
          .seconds(interval.cpuSeconds), .count(interval.wakeups),
          .bytes(interval.bytesWritten), .bytes(interval.bytesSent),
          .bytes(interval.bytesReceived),
        ]
      })
  }

  private static func threads(_ report: Report) -> TableModel {
    let signals = report.signals
    let rows = Dictionary(
      ThreadRow.rows(of: report, by: .cpu).map { ($0.tid, $0) }, uniquingKeysWith: { $1 })
    return TableModel(
      id: "threads", title: "Threads",
      columns: [
        .text("Name"), .number("Thread"), .text("Role"), .number("CPU"), .number("Blocked"),
        .number("Wakeups"), .number("By interrupts"), .number("Turns/s"), .number("Busy"),
        .number("Turn p50"), .number("Turn p99"),
      ],
      rows: signals.threads.map { thread in
        let row = rows[thread.tid]
        return [
          .code(thread.name), .number(Double(thread.tid), String(thread.tid)),
          .text(thread.role), .seconds(thread.cpuSeconds), .seconds(thread.blockedSeconds),
          .count(thread.wakeups), .count(thread.idleWakeups),
          row?.turnsPerSecond.map { .number($0, Figures.brief($0)) } ?? .none,
          row?.utilisation.map { .number($0, Figures.percent($0)) } ?? .none,
          row?.turnMedianSeconds.map(CellModel.seconds) ?? .none,
          row?.turnP99Seconds.map(CellModel.seconds) ?? .none,
        ]
      })
  }

  private static func queues(_ signals: SignalsSection) -> TableModel {
    TableModel(
      id: "queues", title: "Serial queues",
      columns: [
        .text("Label"), .number("Blocked"), .number("Longest"), .text("Blocked by"),
        .text("Most of it in"), .number("CPU"),
      ],
      rows: (signals.serialQueues ?? []).map { queue in
        [
          .code(queue.label ?? "not known"), .seconds(queue.blockedSeconds),
          .seconds(queue.longestSeconds),
          .text(TextReport.causes(queue.blockedByCause, Figures.seconds)),
          .code(queue.blockings.first?.stack.blamed?.function ?? ""),
          queue.cpuSeconds.map(CellModel.seconds) ?? .none,
        ]
      })
  }

  private static func timers(_ signals: SignalsSection) -> TableModel {
    TableModel(
      id: "timers", title: "Timers",
      columns: [
        .text("Set by"), .text("Place"), .text("Thread"), .number("Period"), .number("Jitter"),
        .number("Expired"), .number("Without work"),
      ],
      rows: (signals.wakeups?.timers ?? []).map { timer in
        let frame = timer.stack.blamed
        return [
          .code(frame?.function ?? "unknown"), .text(frame.map(rawPlace) ?? ""),
          .text(timer.thread), .seconds(timer.periodSeconds), .seconds(timer.jitterSeconds),
          .count(timer.count), .count(timer.expiredWithoutWork),
        ]
      })
  }

  private static func bursts(_ network: NetworkSection) -> TableModel {
    TableModel(
      id: "bursts", title: "Network bursts",
      columns: [
        .number("At"), .text("Hosts"), .text("Kind"), .number("Length"), .number("Sent"),
        .number("Received"), .number("Energy"), .number("In tails"),
      ],
      rows: network.bursts.sorted {
        ($1.energyJoules, $0.start) < ($0.energyJoules, $1.start)
      }.map { burst in
        [
          .moment(burst.start), .code(burst.remotes.joined(separator: ", ")),
          .text(TextReport.words(burst.class)), .seconds(burst.durationSeconds),
          .bytes(burst.bytesSent), .bytes(burst.bytesReceived), .joules(burst.energyJoules),
          .joules(burst.tailEnergyJoules),
        ]
      },
      note:
        "Energy of a modelled radio, \(PageText.shown(network.radio.profile))\(afterEnd(network.radio))."
    )
  }

  private static func afterEnd(_ radio: RadioSection) -> String {
    guard let joules = radio.joulesAfterEnd, let seconds = radio.secondsAfterEnd, joules > 0 else {
      return ""
    }
    return
      "; \(Figures.joules(joules)) of it in the \(Figures.seconds(seconds)) after the recording, "
      + "until that is idle"
  }

  private static func connections(_ network: NetworkSection) -> TableModel {
    TableModel(
      id: "connections", title: "Connections",
      columns: [
        .text("Remote"), .text("Local"), .text("Protocol"), .number("Opened"),
        .number("Closed"), .number("Sent"), .number("Received"),
      ],
      rows: network.connections.map { connection in
        [
          .code(connection.remote), .code(connection.local), .text(connection.protocol),
          connection.opened.map(CellModel.moment) ?? .none,
          connection.closed.map(CellModel.moment) ?? .none, .bytes(connection.bytesSent),
          .bytes(connection.bytesReceived),
        ]
      })
  }

  private static func files(_ disk: DiskSection) -> TableModel {
    let least = disk.smallReadsMeasured == true ? "" : ", at least"
    return TableModel(
      id: "files", title: "Files written and read",
      columns: [
        .text("Path"), .number("Written"), .number("Writes"), .number("Syncs"),
        .number("Rewrites"), .number("Rewritten"), .number("Read\(least)"),
        .number("Reads\(least)"),
      ],
      rows: disk.files.map { file in
        [
          .code(file.path), .bytes(file.bytesWritten), .count(file.writes), .count(file.syncs),
          .count(file.rewrites), .bytes(file.rewrittenBytes),
          file.bytesRead.map(CellModel.bytes) ?? .none, file.reads.map(CellModel.count) ?? .none,
        ]
      } + otherFiles(disk))
  }

  /// What is not told by file, in a row.
  private static func otherFiles(_ disk: DiskSection) -> [[CellModel]] {
    disk.otherReads.map { others in
      [
        .text(otherFiles(others, disk)), .none, .none, .none, .none, .none, .bytes(others.bytes),
        .count(others.reads),
      ]
    }.map { [$0] } ?? []
  }

  private static func otherFiles(_ others: OtherReadsSection, _ disk: DiskSection) -> String {
    if disk.smallReadsMeasured != true {
      return "\(Figures.count(others.files, "other file")) opened, pipes and terminals"
    }
    let noFiles = OtherReadsSection.noFiles
    return others.files == 0
      ? noFiles.prefix(1).uppercased() + noFiles.dropFirst()
      : "\(Figures.count(others.files, "other file")), \(noFiles)"
  }

  private static func processes(_ report: Report) -> TableModel {
    TableModel(
      id: "processes", title: "Processes",
      columns: [
        .text("Name"), .number("Process"), .number("CPU"), .number("Wakeups"),
        .number("Written"), .number("Sent"), .number("Received"), .number("Peak memory"),
      ],
      rows: report.shownProcesses.map { process in
        [
          .code(process.name), .number(Double(process.pid), String(process.pid)),
          process.cpuSeconds.map(CellModel.seconds) ?? .none,
          process.wakeups.map(CellModel.count) ?? .none,
          process.bytesWritten.map(CellModel.bytes) ?? .none,
          process.bytesSent.map(CellModel.bytes) ?? .none,
          process.bytesReceived.map(CellModel.bytes) ?? .none,
          process.peakFootprintBytes.map(CellModel.bytes) ?? .none,
        ]
      })
  }

  /// As `PageText.place`, to be escaped by the cell.
  static func rawPlace(_ frame: ReportFrame) -> String {
    if let file = frame.file {
      return PageText.fileName(file) + (frame.line.map { ":\($0)" } ?? "")
    }
    return PageText.fileName(frame.module)
  }
}
