import Reporting

extension FunctionShares {
  /// The functions of a figure, as one report has them; nil where it tells no function of it.
  static func of(_ path: FigurePath, in report: Report) -> FunctionShares? {
    let keys = path.keys
    if let rule = FigureNames.rule(of: path) {
      let shares = of(rule: rule, in: report)
      let unit = report.audits.first { $0.id == rule }?.unit ?? ""
      // What a rule counts by the run is as it is.
      let isRate = unit.contains("/") && !unit.hasSuffix("/run")
      return isRate ? shares?.divided(by: report.trace.durationSeconds) : shares
    }
    guard keys.count > 2, keys[0] == "signals" else { return nil }
    let isRate = keys[2].hasSuffix("PerSecond") || keys[2].hasSuffix("PerMinute")
    let shares: FunctionShares? =
      switch keys[1] {
      case "disk": disk(keys, report)
      case "mainThread": mainThread(keys, report)
      case "wakeups": wakeups(keys[2], report)
      case "network": network(keys[2], report)
      case "cpu": processor(keys[2], report)
      case "energy": energy(keys[2], report)
      default: nil
      }
    return isRate ? shares?.divided(by: report.trace.durationSeconds) : shares
  }

  private static func of(rule: String, in report: Report) -> FunctionShares? {
    let signals = report.signals
    switch rule {
    case "bytes-written": return disk(["signals", "disk", "bytesWritten"], report)
    case "write-frequency": return disk(["signals", "disk", "smallWrites"], report)
    case "sync-frequency": return disk(["signals", "disk", "syncs"], report)
    case "whole-file-rewrites": return disk(["signals", "disk", "rewrittenBytes"], report)
    case "cpu-use": return processor("totalSeconds", report)
    case "idle-wakeups": return wakeups("idle", report)
    case "polling-timers":
      guard let timers = signals.wakeups?.timers, !timers.isEmpty else { return nil }
      let expiries = timers.map { ($0.stack, nil as String?, Double($0.expiredWithoutWork)) }
      return FunctionShares(expiries, of: 0)
    case "bytes-transferred":
      guard let network = signals.network else { return nil }
      var shares = FunctionShares(report.blame.network) { $0.bytes }
      shares.add(untold: Double(network.bytesReceived))
      return shares
    case "radio-duty-cycle", "tail-energy", "burst-coalescing":
      return FunctionShares(report.blame.network) { $0.joules }
    case "main-thread-computation":
      // Its own offenders are the long turns'; other time of that thread is told by samples of all threads.
      return report.audits.contains { $0.id == rule && $0.evidence.contains { $0.function != nil } }
        ? nil : mainThread(["signals", "mainThread", "runningSeconds"], report)
    default: return nil
    }
  }

  private static func disk(_ keys: [String], _ report: Report) -> FunctionShares? {
    guard let disk = report.signals.disk else { return nil }
    let rows = report.blame.disk
    let file = keys[2] == "files" && keys.count > 4 ? disk.files.first { $0.path == keys[3] } : nil
    let whole: [String: Double?] = [
      "writes": nil, "writesPerMinute": nil, "bytesWritten": nil, "syncs": nil, "syncSeconds": nil,
      "smallWrites": Double(disk.smallWrites), "rewrittenBytes": Double(disk.rewrittenBytes),
      "reads": disk.reads.map(Double.init), "bytesRead": disk.bytesRead.map(Double.init),
    ]
    let ofFile: [String: Double?] =
      file.map {
        [
          "writes": Double($0.writes), "bytesWritten": Double($0.bytesWritten),
          "syncs": Double($0.syncs), "rewrittenBytes": Double($0.rewrittenBytes),
          "reads": $0.reads.map(Double.init), "bytesRead": $0.bytesRead.map(Double.init),
        ]
      } ?? [:]
    let name = keys[2] == "files" ? keys.last ?? "" : keys[2]
    guard let figure = (keys[2] == "files" ? ofFile : whole)[name] else { return nil }
    switch name {
    case "writes", "writesPerMinute", "smallWrites":
      return FunctionShares(rows, of: figure) { $0.count }
    case "bytesWritten", "rewrittenBytes": return FunctionShares(rows, of: figure) { $0.bytes }
    case "syncs": return FunctionShares(rows, of: figure) { $0.syncs ?? 0 }
    case "syncSeconds": return FunctionShares(rows) { $0.selfSeconds }
    case "reads": return FunctionShares(report.blame.reads ?? [], of: figure) { $0.count }
    case "bytesRead": return FunctionShares(report.blame.reads ?? [], of: figure) { $0.bytes }
    default: return nil
    }
  }

  private static func mainThread(_ keys: [String], _ report: Report) -> FunctionShares? {
    guard let main = report.signals.mainThread else { return nil }
    switch keys[2] {
    case "blockedSeconds", "blockedByCause":
      let cause = keys.count > 3 ? keys[3] : nil
      let waits = main.blockings.filter { cause == nil || $0.cause == cause }
      return FunctionShares(
        waits.map { ($0.stack, $0.cause, $0.seconds) },
        of: cause.map { main.blockedByCause[$0] ?? 0 } ?? main.blockedSeconds)
    case "hangs":
      return FunctionShares(main.hangs.map { ($0.stack, nil, 1) }, of: Double(main.hangs.count))
    case "runningSeconds":
      return FunctionShares(report.blame.cpu, of: main.runningSeconds) { $0.selfSeconds }
    default: return nil
    }
  }

  private static func wakeups(_ name: String, _ report: Report) -> FunctionShares? {
    guard let wakeups = report.signals.wakeups else { return nil }
    switch name {
    case "total", "perSecond": return FunctionShares(report.blame.wakeups) { $0.count }
    case "idle", "idlePerSecond":
      let rows = FunctionShares(report.blame.wakeups, of: Double(wakeups.idle)) { $0.count }
      if rows.most != nil { return rows }
      // Those of timers are known to be such.
      return FunctionShares(
        wakeups.timers.map { ($0.stack, nil, Double($0.count)) }, of: Double(wakeups.idle))
    default: return nil
    }
  }

  private static func network(_ name: String, _ report: Report) -> FunctionShares? {
    switch name {
    case "bytesSent": FunctionShares(report.blame.network) { $0.bytes }
    case "sends": FunctionShares(report.blame.network) { $0.count }
    // What began a burst is charged with it.
    case "bursts", "radio": FunctionShares(report.blame.network) { $0.joules }
    default: nil
    }
  }

  private static func processor(_ name: String, _ report: Report) -> FunctionShares? {
    guard let cpu = report.signals.cpu, report.blame.cpuEvent == nil else { return nil }
    switch name {
    case "totalSeconds": return FunctionShares(report.blame.cpu) { $0.selfSeconds }
    case "userSeconds", "systemSeconds":
      let figure = name == "userSeconds" ? cpu.userSeconds : cpu.systemSeconds
      return FunctionShares(report.blame.cpu, of: figure) { $0.selfSeconds }
    default: return nil
    }
  }

  private static func energy(_ name: String, _ report: Report) -> FunctionShares? {
    let tables = report.blame
    return switch name {
    case "cpuJoules": FunctionShares(tables.cpu) { $0.joules }
    case "wakeupJoules": FunctionShares(tables.wakeups) { $0.joules }
    case "diskJoules": FunctionShares(tables.disk) { $0.joules }
    case "radioJoules": FunctionShares(tables.network) { $0.joules }
    case "totalJoules":
      FunctionShares(tables.cpu + tables.wakeups + tables.disk + tables.network) { $0.joules }
    default: nil
    }
  }
}
