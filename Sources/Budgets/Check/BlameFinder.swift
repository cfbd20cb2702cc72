import Reporting
import Rules
import Signals

/// Finds who is to blame for a figure, and the rule that says what to do about it.
enum BlameFinder {
  struct Finding {
    var rule: String
    var advice: String
    var blame: Blame?
  }

  /// The rules that explain a figure, by the beginning of its path; the longest beginning counts.
  private static let rules: [String: [String]] = [
    "signals.disk": ["write-frequency", "bytes-written"],
    "signals.disk.syncs": ["sync-frequency"], "signals.disk.syncSeconds": ["sync-frequency"],
    "signals.disk.bytesWritten": ["bytes-written"],
    "signals.disk.deviceBytesWritten": ["bytes-written"],
    "signals.disk.rewrittenBytes": ["whole-file-rewrites"],
    "signals.wakeups": ["polling-timers", "idle-wakeups"],
    "signals.mainThread": ["main-thread-hangs"],
    "signals.mainThread.blockedByCause.file": ["main-thread-file-access"],
    "signals.mainThread.blockedByCause.sync": ["main-thread-file-access"],
    "signals.mainThread.blockedByCause.lock": ["main-thread-lock-waits"],
    "signals.mainThread.blockedByCause.network": ["main-thread-network-waits"],
    "signals.mainThread.blockedByCause.sleep": ["main-thread-sleeps"],
    "signals.mainThread.runningSeconds": ["main-thread-computation"],
    "signals.mainThread.launchSeconds": ["launch-time"],
    "signals.mainThread.terminationSeconds": ["termination-time"],
    "signals.cpu": ["cpu-use"], "signals.energy.cpuJoules": ["cpu-use"],
    "signals.energy.wakeupJoules": ["polling-timers", "idle-wakeups"],
    "signals.network": ["radio-duty-cycle", "tail-energy"],
    "signals.network.bytesSent": ["bytes-transferred"],
    "signals.network.bytesReceived": ["bytes-transferred"],
    "signals.energy.radioJoules": ["tail-energy", "radio-duty-cycle"],
    "signals.memory.growthBytesPerMinute": ["footprint-growth"],
    "signals.memory": ["peak-footprint"],
  ]

  /// The finding for a figure of one report; nil where no rule explains it.
  static func find(_ path: FigurePath, in report: Report) -> Finding? {
    let audits = audits(for: path, in: report)
    guard let first = audits.first else { return nil }
    // The rule that found somebody, else the one that fits best.
    let chosen = audits.first { blame($0) != nil } ?? first
    return Finding(
      rule: chosen.id, advice: sentence(chosen.advice),
      blame: complete(blame(chosen), with: BlameRows.blame(for: chosen.id, in: report)))
  }

  /// What was done to whom, with the place where it was done if only that is missing.
  private static func complete(_ blame: Blame?, with place: Blame?) -> Blame? {
    guard var blame else { return place }
    guard blame.file == nil, let place else { return blame }
    (blame.function, blame.file, blame.line) = (place.function, place.file, place.line)
    return blame
  }

  private static func audits(for path: FigurePath, in report: Report) -> [AuditSection] {
    if let id = FigureNames.rule(of: path) { return report.audits.filter { $0.id == id } }
    if path.keys.first == "score" {
      let category = path.keys.count > 2 ? path.keys[2] : nil
      return report.audits.filter { audit in
        (audit.status == .fail || audit.status == .warn)
          && (category == nil || audit.category == category)
      }.sorted { ($0.score ?? 0, $1.weight, $0.id) < ($1.score ?? 0, $0.weight, $1.id) }
    }
    var keys = path.keys
    while !keys.isEmpty {
      if let ids = rules[keys.joined(separator: ".")] {
        return ids.compactMap { id in report.audits.first { $0.id == id } }
      }
      keys.removeLast()
    }
    return []
  }

  private static func blame(_ audit: AuditSection) -> Blame? {
    let rows = audit.evidence
    guard let best = rows.first(where: { place($0.stack ?? []) != nil }) ?? rows.first else {
      return nil
    }
    let frame = place(best.stack ?? [])
    return Blame(
      function: best.function, file: frame?.file, line: frame?.line,
      subject: best.path ?? best.host, summary: best.summary)
  }

  /// Where the function to blame stands, or where the program called it if that is not known.
  private static func place(_ stack: [StackFrame]) -> StackFrame? {
    if let frame = stack.blamed, frame.file != nil { return frame }
    return stack.first { $0.isProgram && $0.file != nil }
  }

  /// The first sentence.
  private static func sentence(_ text: String) -> String {
    guard let end = text.firstRange(of: ". ") else { return text }
    return String(text[..<end.lowerBound]) + "."
  }
}
