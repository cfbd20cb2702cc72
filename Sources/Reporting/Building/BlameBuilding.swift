import Signals

/// Turns the blame tables into the section of a report.
enum BlameBuilding {
  static func build(_ tables: BlameTables) -> BlameSection {
    BlameSection(
      cpu: tables.cpu.map(row), cpuEvent: tables.cpuEvent, blocked: tables.blocked.map(row),
      wakeups: tables.wakeups.map(row), disk: tables.disk.map(row),
      network: tables.network.map(row), gapShare: tables.gapShare.mapValues(\.finite))
  }

  private static func row(_ row: BlameRow) -> BlameRowSection {
    BlameRowSection(
      function: row.function, module: row.module, file: row.file, line: row.line,
      cause: row.cause?.rawValue, selfSeconds: row.selfSeconds.finite,
      inclusiveSeconds: row.inclusiveSeconds.finite, count: row.count.finite,
      inclusiveCount: row.inclusiveCount.finite, bytes: row.bytes.finite,
      inclusiveBytes: row.inclusiveBytes.finite, joules: row.joules.finite)
  }
}
