import Rules
import Signals

/// Turns the blame tables into the section of a report.
enum BlameBuilding {
  static func build(_ tables: BlameTables) -> BlameSection {
    BlameSection(
      cpu: processor(tables.cpu, tables.cpuEvent),
      cpuOfChildren: tables.cpuOfChildren.isEmpty
        ? nil : processor(tables.cpuOfChildren, tables.cpuEvent),
      reads: tables.reads.isEmpty ? nil : tables.reads.map(row),
      calls: tables.calls.isEmpty ? nil : tables.calls, cpuEvent: tables.cpuEvent,
      blocked: tables.blocked.map(row),
      wakeups: tables.wakeups.map(row), disk: tables.disk.map(row),
      network: tables.network.map(row), gapShare: tables.gapShare.mapValues(\.finite))
  }

  /// What samples tell has the bounds of their number.
  private static func processor(_ rows: [BlameRow], _ event: String?) -> [BlameRowSection] {
    let samples = rows.reduce(0) { $0 + $1.samples + $1.untakenSamples }
    let seconds = rows.reduce(0) { $0 + $1.selfSeconds }
    return rows.map {
      var section = row($0)
      section.samples = $0.samples
      if event == nil {
        let own = Double($0.samples + $0.untakenSamples)
        let bounds = Bounds.share(own, of: Double(samples)).scaled(by: seconds)
        section.selfSecondsInterval = [bounds.low.finite, bounds.high.finite]
      }
      return section
    }
  }

  private static func row(_ row: BlameRow) -> BlameRowSection {
    BlameRowSection(
      function: row.function, module: row.module, file: row.file, line: row.line,
      cause: row.cause?.rawValue, selfSeconds: row.selfSeconds.finite,
      selfSecondsInterval: nil, samples: nil,
      inclusiveSeconds: row.inclusiveSeconds.finite, count: row.count.finite,
      inclusiveCount: row.inclusiveCount.finite,
      syncs: row.syncs > 0 ? row.syncs.finite : nil,
      untimed: row.untimed > 0 ? row.untimed.finite : nil, bytes: row.bytes.finite,
      inclusiveBytes: row.inclusiveBytes.finite, joules: row.joules.finite)
  }
}
